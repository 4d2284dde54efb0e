import { z } from 'zod';
import { LEG_ROLES } from '../model/call/call.js';
import { MONITOR_MODES } from '../model/call/monitoring.js';
import { PARTICIPANTS } from '../model/call/conference.js';
import { TRANSFER_TARGETS, TRANSFER_TYPES } from '../model/call/transfer.js';
import type { TextResult } from '../model/messaging/softphone-text.js';
import type { EngineErrorKind } from './engine.js';

/**
 * What can be done to one leg of a live call. Audio is prepared beforehand: the process that owns
 * the engine only plays it.
 */
const legAction = z.discriminatedUnion('action', [
  /** Hangs up, but is refused once the call is answered. */
  z.object({ action: z.literal('cancel') }),
  z.object({ action: z.enum(['hangup', 'hold', 'unhold', 'mute', 'unmute', 'play_stop']) }),
  z.object({ action: z.literal('dtmf'), digits: z.string() }),
  z.object({ action: z.enum(['recording_stop', 'recording_pause', 'recording_resume']) }),
  z.object({
    action: z.literal('recording_start'),
    channels: z.union([z.literal(1), z.literal(2)]),
    /** Null: until the call ends. */
    maxSeconds: z.int().min(1).nullable(),
    /** Absent when sent by a process of the previous release. */
    transcribe: z.boolean().optional(),
  }),
  z.object({ action: z.literal('play'), path: z.string(), loop: z.int().min(1) }),
]);
export type LegAction = z.infer<typeof legAction>;

const browserPage = {
  callId: z.string(),
  /** The browser's SIP user name. */
  aor: z.string(),
  /** ISO 8601: only legs that began earlier are of the page that was left. */
  before: z.string(),
};

/** A request about calls from an API process to the process that owns the calls' engine. */
const callCommand = z.discriminatedUnion('type', [
  z.object({ type: z.literal('place'), callId: z.string() }),
  /** A simulated caller calls a number of the project's sandbox; `no_route`: nothing answers there. */
  z.object({
    type: z.literal('call_in'),
    /** Chosen by the sender. */
    callId: z.string(),
    projectId: z.string(),
    from: z.string(),
    to: z.string(),
    /** Pressed after the answer; `w` waits half a second. */
    digits: z.string(),
    /** After the answer. */
    hangUpAfterSeconds: z.int().min(1),
    metadata: z.record(z.string(), z.string()),
    requestId: z.string(),
    actor: z.string().nullable(),
  }),
  z.object({
    type: z.literal('control'),
    callId: z.string(),
    leg: z.enum(LEG_ROLES),
    what: legAction,
    requestId: z.string(),
    /** The API key that made the request; null for the platform itself. */
    actor: z.string().nullable(),
  }),
  z.object({
    type: z.literal('transfer'),
    callId: z.string(),
    /** Chosen by the sender. */
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
  /** The page of a browser was left: the other party of a conversation is kept for some time. */
  z.object({ type: z.literal('browser_left'), ...browserPage }),
  /** The page was loaded again: the call rings the browser. `leg_not_connected`: it has no place in the call. */
  z.object({ type: z.literal('browser_back'), ...browserPage }),
  z.object({
    type: z.literal('join_conference'),
    callId: z.string(),
    /** An existing conference; null: find the conference by name, or create it. */
    conferenceId: z.string().nullable(),
    name: z.string(),
    muted: z.boolean(),
    beep: z.boolean(),
    startOnEnter: z.boolean(),
    endOnExit: z.boolean(),
    /** Used only when a conference is created. */
    maxParticipants: z.int().min(PARTICIPANTS.min).max(PARTICIPANTS.max),
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
    /** For a start; null: until the conference ends. */
    maxSeconds: z.int().min(1).nullable(),
    requestId: z.string(),
    actor: z.string().nullable(),
  }),
]);
export type CallCommand = z.infer<typeof callCommand>;

/**
 * Pushes a softphone whose agent is about to be stored, to learn whether the engine accepts it. The owner removes it
 * again unless the agent is in the tables a moment later.
 */
const softphoneCommand = z.object({
  type: z.literal('accept_softphone'),
  aor: z.string(),
  displayName: z.string(),
  /** Sealed. */
  password: z.string(),
  /** A browser, over WebSocket. */
  isBrowser: z.boolean().optional(),
});
export type SoftphoneCommand = z.infer<typeof softphoneCommand>;

/** Sends a text to a softphone, once: to the owner of the engine where it is registered, or to the SIP edge. */
const textCommand = z.object({
  type: z.literal('send_text'),
  /** Chosen by the sender, another one for each attempt: one of several processes of the edge takes it. */
  attemptId: z.string(),
  aor: z.string(),
  from: z.string(),
  body: z.string(),
});
export type TextCommand = z.infer<typeof textCommand>;

/** The name under which the processes of the SIP edge serve commands together. */
export const SIP_EDGE_COMMANDS = 'sip-edge';

/** A request from an API process to the process that owns an engine. */
export const engineCommand = z.union([callCommand, softphoneCommand, textCommand]);
export type EngineCommand = z.infer<typeof engineCommand>;

/** `done`, or the reason why not. */
export type CommandOutcome =
  /** `conferenceId` is the conference that a joining call is now in. */
  | { readonly result: 'done'; readonly conferenceId?: string }
  /** The call is over, or too far along for the command (a cancel after the answer). */
  | { readonly result: 'not_active' }
  | { readonly result: 'not_answered' }
  /** The call has no such leg, or the leg has not answered. */
  | { readonly result: 'leg_not_connected' }
  /** The project's recording announcement cannot be played, so nothing was recorded. */
  | { readonly result: 'not_announced' }
  | { readonly result: 'transfer_in_progress' }
  | { readonly result: 'transfer_limit' }
  /** No route leads to the transfer's target. */
  | { readonly result: 'no_route' }
  /** The simulated caller is on the block list. */
  | { readonly result: 'caller_blocked' }
  /** The call has no such transfer, or it already ended in another way. */
  | { readonly result: 'no_transfer' }
  | { readonly result: 'in_conference'; readonly conferenceId: string }
  | { readonly result: 'conference_full'; readonly max: number }
  | { readonly result: 'conference_ended'; readonly conferenceId: string }
  /** The engine is unreachable, or this process does not own it (any more). */
  | { readonly result: 'not_controllable' }
  | { readonly result: 'engine_refused'; readonly kind: EngineErrorKind; readonly message: string }
  | { readonly result: 'text'; readonly text: TextResult }
  /** Another process that serves the same name answers. */
  | { readonly result: 'elsewhere' };

/** A command to bring a call into a conference. */
export type JoinConferenceCommand = Extract<CallCommand, { type: 'join_conference' }>;

export type CommandHandler = (command: EngineCommand) => Promise<CommandOutcome>;

/**
 * Carries commands to the process that owns an engine, at most once. PostgreSQL stays the source of
 * truth: the owner's sweep finds a lost `place`; for any other lost command the caller gets {@link
 * CommandTimeout}.
 */
export interface CommandBus {
  /**
   * @param deadlineMs 5 s by default
   * @throws CommandTimeout if no owner answered within the deadline
   */
  send(engineId: string, command: EngineCommand, deadlineMs?: number): Promise<CommandOutcome>;
  /**
   * Serves the commands of an engine that this process owns. Returns a function that stops serving.
   */
  serve(engineId: string, handler: CommandHandler): Promise<() => Promise<void>>;
  close(): Promise<void>;
}

export class CommandTimeout extends Error {
  override readonly name = 'CommandTimeout';
  /**
   * @param wasReceived a process took the command: it may still be carried out, so never send it
   * again
   */
  constructor(
    message: string,
    readonly wasReceived: boolean,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
