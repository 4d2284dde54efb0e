import { z } from 'zod';
import { LEG_ROLES } from '../model/call/call.js';
import { MONITOR_MODES } from '../model/call/monitoring.js';
import { PARTICIPANTS } from '../model/call/conference.js';
import { TRANSFER_TARGETS, TRANSFER_TYPES } from '../model/call/transfer.js';
import type { EngineErrorKind } from './engine.js';

/** What can be done to one leg of a live call. Audio was made ready before: the owner of the engine only plays it. */
const legAction = z.discriminatedUnion('action', [
  /** A hang-up that is refused once the call is answered. */
  z.object({ action: z.literal('cancel') }),
  z.object({ action: z.enum(['hangup', 'hold', 'unhold', 'mute', 'unmute', 'play_stop']) }),
  z.object({ action: z.literal('dtmf'), digits: z.string() }),
  z.object({ action: z.enum(['recording_stop', 'recording_pause', 'recording_resume']) }),
  z.object({
    action: z.literal('recording_start'),
    channels: z.union([z.literal(1), z.literal(2)]),
    /** Null: as long as the call may last. */
    maxSeconds: z.int().min(1).nullable(),
    /** Absent from a process of the release before. */
    transcribe: z.boolean().optional(),
  }),
  z.object({ action: z.literal('play'), path: z.string(), loop: z.int().min(1) }),
]);
export type LegAction = z.infer<typeof legAction>;

/** What an API process asks of the process that owns the call's engine. */
export const callCommand = z.discriminatedUnion('type', [
  z.object({ type: z.literal('place'), callId: z.string() }),
  z.object({
    type: z.literal('control'),
    callId: z.string(),
    leg: z.enum(LEG_ROLES),
    what: legAction,
    requestId: z.string(),
    /** The API key that asked; null for the platform itself. */
    actor: z.string().nullable(),
  }),
  z.object({
    type: z.literal('transfer'),
    callId: z.string(),
    /** Chosen by who asks. */
    transferId: z.string(),
    transferType: z.enum(TRANSFER_TYPES),
    to: z.object({ type: z.enum(TRANSFER_TARGETS), target: z.string() }),
    ringTimeoutSeconds: z.int().min(1),
    requestId: z.string(),
    actor: z.string().nullable(),
  }),
  z.object({
    type: z.literal('finish_transfer'),
    callId: z.string(),
    transferId: z.string(),
    how: z.enum(['complete', 'cancel']),
    requestId: z.string(),
    actor: z.string().nullable(),
  }),
  z.object({
    type: z.literal('monitor'),
    callId: z.string(),
    /** The supervisor. */
    agent: z.string(),
    mode: z.enum(MONITOR_MODES),
    requestId: z.string(),
    actor: z.string().nullable(),
  }),
  z.object({
    type: z.literal('stop_monitor'),
    callId: z.string(),
    /** Null: all supervisors. */
    agent: z.string().nullable(),
    requestId: z.string(),
    actor: z.string().nullable(),
  }),
  z.object({
    type: z.literal('join_conference'),
    callId: z.string(),
    /** One that there is; null: the one of that name, which is made where there is none. */
    conferenceId: z.string().nullable(),
    name: z.string(),
    muted: z.boolean(),
    beep: z.boolean(),
    startOnEnter: z.boolean(),
    endOnExit: z.boolean(),
    /** Counts for a conference that is made. */
    maxParticipants: z.int().min(PARTICIPANTS.least).max(PARTICIPANTS.most),
    requestId: z.string(),
    actor: z.string().nullable(),
  }),
  z.object({
    type: z.literal('end_conference'),
    conferenceId: z.string(),
    requestId: z.string(),
    actor: z.string().nullable(),
  }),
  z.object({
    type: z.literal('play_to_conference'),
    conferenceId: z.string(),
    path: z.string(),
    loop: z.int().min(1),
  }),
  z.object({ type: z.literal('stop_playing_to_conference'), conferenceId: z.string() }),
  z.object({
    type: z.literal('record_conference'),
    conferenceId: z.string(),
    how: z.enum(['start', 'stop']),
    /** Of a start; null: as long as the conference. */
    maxSeconds: z.int().min(1).nullable(),
    requestId: z.string(),
    actor: z.string().nullable(),
  }),
]);
export type CallCommand = z.infer<typeof callCommand>;

/** `done`; or why not. */
export type CommandOutcome =
  /** `conferenceId` is where a call that joins is by now. */
  | { readonly result: 'done'; readonly conferenceId?: string }
  /** The call is over, or beyond what was asked (a cancellation after the answer). */
  | { readonly result: 'not_active' }
  | { readonly result: 'not_answered' }
  /** The call has no such leg, or the leg has not answered. */
  | { readonly result: 'leg_not_connected' }
  /** The project's announcement of recordings cannot be played: nothing was recorded. */
  | { readonly result: 'not_announced' }
  | { readonly result: 'transfer_in_progress' }
  | { readonly result: 'transfer_limit' }
  /** Nothing leads to the transfer's target. */
  | { readonly result: 'no_route' }
  /** The call has no such transfer, or it ended in another way than asked. */
  | { readonly result: 'no_transfer' }
  | { readonly result: 'in_conference'; readonly conferenceId: string }
  | { readonly result: 'conference_full'; readonly max: number }
  | { readonly result: 'conference_ended'; readonly conferenceId: string }
  /** The engine is away, or this process does not own it (any more). */
  | { readonly result: 'not_controllable' }
  | { readonly result: 'engine_refused'; readonly kind: EngineErrorKind; readonly message: string };

/** A command to bring a call into a conference. */
export type JoinConferenceCommand = Extract<CallCommand, { type: 'join_conference' }>;

export type CommandHandler = (command: CallCommand) => Promise<CommandOutcome>;

/**
 * Carries commands to the owner of an engine, at most once. The truth stays in PostgreSQL: a lost `place` is found again by the
 * owner's sweep, any other lost command is told to the caller as {@link CommandTimeout}.
 */
export interface CommandBus {
  /** @throws CommandTimeout when no owner answered within the deadline (5 s). */
  send(engineId: string, command: CallCommand): Promise<CommandOutcome>;
  /** Serve the commands of an engine this process owns; returns how to stop. */
  serve(engineId: string, handler: CommandHandler): Promise<() => Promise<void>>;
  close(): Promise<void>;
}

export class CommandTimeout extends Error {
  override readonly name = 'CommandTimeout';
  /** @param wasHeard somebody took the command: it may be carried out all the same, and is never sent again */
  constructor(
    message: string,
    readonly wasHeard: boolean,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
