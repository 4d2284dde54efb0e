import type { ConferenceObject, ParticipantObject } from '../../model/objects/conference.js';
import type { Conferences } from '../../data/repositories/calls/conferences.js';
import type { CallRow, ConferenceRow } from '../../data/rows.js';
import { HatifError, invalidField, type Phrase } from '../../model/errors/index.js';
import type { CallCommand, CommandBus } from '../../ports/command-bus.js';
import { askOwner, errorOf } from '../calls/ask-owner.js';
import { kindOfRequester, type CallRequester, type ControlCall } from '../calls/control.js';
import { assertAnswered, findCall, type CallFinder } from '../calls/find-call.js';
import type { AudioSource, PrepareAudio } from '../calls/prepare-audio.js';
import { presentParticipant } from '../call-state/presenting/conference.js';
import type { ReadConferences } from './read.js';

/** How a call joins. */
export interface JoinRequest {
  /** An existing conference's id, or a name, for which a conference is created if none is open. */
  readonly conference: { readonly id: string } | { readonly name: string };
  readonly muted: boolean;
  readonly beep: boolean;
  readonly startOnEnter: boolean;
  readonly endOnExit: boolean;
  /** Applies only to a newly created conference. */
  readonly maxParticipants: number;
}

export interface ControlConferenceOptions {
  readonly calls: CallFinder;
  readonly conferences: Conferences;
  readonly read: ReadConferences;
  readonly control: ControlCall;
  readonly audio: PrepareAudio;
  readonly bus: CommandBus;
}

/** An action on one participant. */
export type ParticipantAction = 'mute' | 'unmute' | 'hold' | 'unhold' | 'kick';

type Wanted = Extract<
  CallCommand,
  { type: 'end_conference' | 'play_to_conference' | 'stop_playing_to_conference' | 'record_conference' }
>;

/**
 * Controls conferences of live calls from any API process: checks the request, and sends the command to the owner of
 * the engine.
 */
export class ControlConference {
  constructor(private readonly options: ControlConferenceOptions) {}

  /**
   * Resolves when the call is in the conference, with its customer and, if one is connected, its agent.
   * @throws HatifError CALL_NOT_FOUND, VALIDATION_ERROR (unknown conference), CALL_CONTROL_UNSUPPORTED (the conference
   * is on another engine), CALL_NOT_ACTIVE, CALL_NOT_ANSWERED, CONFERENCE_ENDED, CONFERENCE_FULL,
   * CALL_ALREADY_IN_CONFERENCE, TRANSFER_IN_PROGRESS, CALL_NOT_CONTROLLABLE, CALL_CONTROL_FAILED
   */
  async join(callId: string, request: JoinRequest, controller: CallRequester): Promise<ConferenceObject> {
    const { read, bus } = this.options;
    const call = await findCall(this.options.calls, controller, callId);
    const known = await this.#known(call, request, controller);
    if (known && known.engine_id !== call.engine_id) {
      throw new HatifError('CALL_CONTROL_UNSUPPORTED', { action: ELSEWHERE, kind: call.kind });
    }
    assertAnswered(call);
    if (known) requireOpen(known);
    const { muted, beep, startOnEnter, endOnExit, maxParticipants } = request;
    const outcome = await askOwner(bus, call, {
      type: 'join_conference',
      callId,
      conferenceId: 'id' in request.conference ? request.conference.id : null,
      name: 'name' in request.conference ? request.conference.name : (known?.name ?? ''),
      muted,
      beep,
      startOnEnter,
      endOnExit,
      maxParticipants,
      requestId: controller.requestId,
      actor: controller.keyId,
    });
    if (outcome.result === 'done') return read.get(controller, outcome.conferenceId ?? '');
    throw errorOf(outcome, (await findCall(this.options.calls, controller, callId)).status, JOINING);
  }

  /** @throws HatifError CONFERENCE_NOT_FOUND, CONFERENCE_ENDED, CALL_NOT_CONTROLLABLE, CALL_CONTROL_FAILED */
  async end(conferenceId: string, controller: CallRequester): Promise<ConferenceObject> {
    const { requestId, keyId: actor } = controller;
    await this.#ask(conferenceId, controller, { type: 'end_conference', conferenceId, requestId, actor }, ENDING);
    return this.options.read.get(controller, conferenceId);
  }

  /** Plays to everyone in the conference. @throws HatifError as {@link end} and {@link PrepareAudio} */
  async play(
    conferenceId: string,
    source: AudioSource,
    loop: number,
    controller: CallRequester,
  ): Promise<ConferenceObject> {
    await this.#open(conferenceId, controller);
    const path = await this.options.audio.prepare(source, kindOfRequester(controller));
    await this.#ask(conferenceId, controller, { type: 'play_to_conference', conferenceId, path, loop }, PLAYING);
    return this.options.read.get(controller, conferenceId);
  }

  /** @throws HatifError as {@link end} */
  async stopPlaying(conferenceId: string, controller: CallRequester): Promise<ConferenceObject> {
    await this.#ask(conferenceId, controller, { type: 'stop_playing_to_conference', conferenceId }, PLAYING);
    return this.options.read.get(controller, conferenceId);
  }

  /**
   * Records the whole conference. Does nothing if it is being recorded.
   * @param maxSeconds null: to the end of the conference
   * @throws HatifError as {@link end}; RECORDING_SERVICE_UNAVAILABLE if the announcement cannot be played
   */
  startRecording(
    conferenceId: string,
    maxSeconds: number | null,
    controller: CallRequester,
  ): Promise<ConferenceObject> {
    return this.#record(conferenceId, 'start', maxSeconds, controller);
  }

  /** @throws HatifError as {@link end} */
  stopRecording(conferenceId: string, controller: CallRequester): Promise<ConferenceObject> {
    return this.#record(conferenceId, 'stop', null, controller);
  }

  async #record(
    conferenceId: string,
    how: 'start' | 'stop',
    maxSeconds: number | null,
    controller: CallRequester,
  ): Promise<ConferenceObject> {
    const { requestId, keyId: actor } = controller;
    const command = { type: 'record_conference', conferenceId, how, maxSeconds, requestId, actor } as const;
    await this.#ask(conferenceId, controller, command, RECORDING);
    return this.options.read.get(controller, conferenceId);
  }

  /**
   * Acts on one participant; `kick` hangs up the leg.
   * @throws HatifError CONFERENCE_NOT_FOUND, CONFERENCE_ENDED, and those of {@link ControlCall} for the participant's
   * leg
   */
  async participant(
    conferenceId: string,
    participantId: string,
    action: ParticipantAction,
    controller: CallRequester,
  ): Promise<ParticipantObject> {
    const { read, control } = this.options;
    const conference = await read.find(controller, conferenceId);
    const { call_id: callId, leg, left_at } = await read.participant(conference.id, participantId);
    requireOpen(conference);
    if (left_at !== null && leg === 'agent') throw new HatifError('AGENT_LEG_NOT_CONNECTED');
    await control.control(callId, leg, { action: action === 'kick' ? 'hangup' : action }, controller);
    return presentParticipant(await read.participant(conferenceId, participantId));
  }

  /** Returns the requested conference if it exists. */
  async #known(call: CallRow, { conference }: JoinRequest, controller: CallRequester): Promise<ConferenceRow | null> {
    const { conferences } = this.options;
    if ('name' in conference) return conferences.open(call.project_id, call.sandbox, conference.name);
    const row = await conferences.get(controller, conference.id);
    if (!row) throw invalidField('conference_id', UNKNOWN);
    return row;
  }

  async #open(conferenceId: string, controller: CallRequester): Promise<ConferenceRow> {
    const conference = await this.options.read.find(controller, conferenceId);
    requireOpen(conference);
    return conference;
  }

  async #ask(conferenceId: string, controller: CallRequester, command: Wanted, action: Phrase): Promise<void> {
    const conference = await this.#open(conferenceId, controller);
    const outcome = await askOwner(this.options.bus, conference, command);
    if (outcome.result === 'done') return;
    // A conference that its owner does not have any more may have just ended.
    await this.#open(conferenceId, controller);
    throw errorOf(outcome, 'ended', action);
  }
}

function requireOpen({ id, ended_at }: ConferenceRow): void {
  if (ended_at !== null) throw new HatifError('CONFERENCE_ENDED', { conference_id: id });
}

const JOINING: Phrase = { en: 'joining the conference', ar: 'الانضمام إلى المكالمة الجماعية' };
const ENDING: Phrase = { en: 'ending the conference', ar: 'إنهاء المكالمة الجماعية' };
const PLAYING: Phrase = { en: 'playing to the conference', ar: 'تشغيل الصوت في المكالمة الجماعية' };
const RECORDING: Phrase = { en: 'recording the conference', ar: 'تسجيل المكالمة الجماعية' };
const ELSEWHERE: Phrase = {
  en: 'joining a conference on another engine',
  ar: 'الانضمام إلى مكالمة جماعية تجري على محرّك صوت آخر',
};
const UNKNOWN: Phrase = { en: 'is not a conference of this project', ar: 'ليس مكالمة جماعية في هذا المشروع' };
