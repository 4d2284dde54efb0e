import type { ProjectKind } from '../../data/repositories/project-kind.js';
import type { CallScope } from '../../data/repositories/calls/calls.js';
import type { CallRow } from '../../data/rows.js';
import { HatifError, type Phrase } from '../../model/errors/index.js';
import type { CommandBus, LegAction } from '../../ports/command-bus.js';
import { askOwner, errorOf, type Refusal } from './ask-owner.js';
import { assertActive, assertAnswered, findCall, type CallFinder } from './find-call.js';
import type { AudioSource, PrepareAudio } from './prepare-audio.js';

/** The client, the calls it may control, and the identifiers for the timeline. */
export interface CallRequester extends CallScope {
  readonly requestId: string;
  readonly keyId: string;
}

/** The requester that controls a call; `keyId` is null for the operator. */
export type Controller = Omit<CallRequester, 'keyId'> & { readonly keyId: string | null };

/** The leg to control; `agent` only if the feature is on. */
export type ControlledLeg = 'customer' | 'agent';

/** A control action of the API on a live call. */
export type ControlAction =
  | Exclude<LegAction, { action: 'play' | 'cancel' }>
  | { readonly action: 'play'; readonly source: AudioSource; readonly loop: number };

/** The API's response to every control action (spec 2.4a). */
export interface ActionResult {
  readonly call_id: string;
  readonly action: string;
  readonly status: 'accepted';
  readonly request_id: string;
}

export interface ControlCallOptions {
  readonly calls: CallFinder;
  readonly audio: Pick<PrepareAudio, 'prepare'>;
  readonly bus: Pick<CommandBus, 'send'>;
}

/**
 * Controls live calls from any API process: checks the call's kind and state, and sends the command to the owner of its
 * engine.
 */
export class ControlCall {
  constructor(private readonly options: ControlCallOptions) {}

  /**
   * Resolves when the engine has accepted. Hanging up before the answer cancels the call.
   * @throws HatifError CALL_NOT_FOUND, CALL_CONTROL_UNSUPPORTED (digits into an incoming call), CALL_NOT_ACTIVE,
   * CALL_NOT_ANSWERED, AGENT_LEG_NOT_CONNECTED, TRANSFER_IN_PROGRESS (hold and unhold), CALL_NOT_CONTROLLABLE,
   * CALL_CONTROL_FAILED; for `play` also those of {@link PrepareAudio}
   */
  async control(
    callId: string,
    leg: ControlledLeg,
    wanted: ControlAction,
    controller: Controller,
  ): Promise<ActionResult> {
    const { action } = wanted;
    const call = await findCall(this.options.calls, controller, callId);
    checkKind(call, action);
    if (action === 'hangup') assertActive(call);
    else assertAnswered(call);
    const what = await this.#prepared(wanted, controller);
    const { requestId, keyId: actor } = controller;
    const command = { type: 'control', callId, leg, what, requestId, actor } as const;
    const outcome = await askOwner(this.options.bus, call, command);
    if (outcome.result !== 'done') {
      const { status } = await findCall(this.options.calls, controller, callId);
      throw refusalOf(outcome, leg, status, action);
    }
    return { call_id: callId, action, status: 'accepted', request_id: requestId };
  }

  async #prepared(wanted: ControlAction, controller: CallScope): Promise<LegAction> {
    if (wanted.action !== 'play') return wanted;
    const path = await this.options.audio.prepare(wanted.source, kindOfRequester(controller));
    return { action: 'play', path, loop: wanted.loop };
  }
}

/** The kind of audio files that the key may play. */
export function kindOfRequester({ projectId, sandboxOnly }: CallScope): ProjectKind {
  return { projectId, sandbox: sandboxOnly };
}

/** Spec 4.4: no digits into incoming and web calls. */
function checkKind(call: CallRow, action: string): void {
  if (action !== 'dtmf' || (call.kind !== 'inbound' && call.kind !== 'web')) return;
  throw new HatifError('CALL_CONTROL_UNSUPPORTED', { action: NAMES[action] ?? action, kind: call.kind });
}

function refusalOf(refusal: Refusal, leg: ControlledLeg, status: CallRow['status'], action: string): HatifError {
  // The customer's leg ends before its call does.
  if (refusal.result === 'leg_not_connected' && leg === 'customer') {
    return new HatifError('CALL_NOT_ACTIVE', { status: 'ended' });
  }
  return errorOf(refusal, status, NAMES[action] ?? action);
}

const NAMES: Readonly<Record<string, Phrase>> = {
  hangup: { en: 'hang up', ar: 'إنهاء المكالمة' },
  hold: { en: 'hold', ar: 'تعليق المكالمة' },
  unhold: { en: 'unhold', ar: 'استئناف المكالمة' },
  mute: { en: 'mute', ar: 'كتم الصوت' },
  unmute: { en: 'unmute', ar: 'إلغاء كتم الصوت' },
  dtmf: { en: 'sending digits', ar: 'إرسال نغمات DTMF' },
  play: { en: 'play', ar: 'تشغيل الصوت' },
  play_stop: { en: 'stopping the audio', ar: 'إيقاف الصوت' },
  recording_start: { en: 'recording', ar: 'تسجيل المكالمة' },
  recording_stop: { en: 'stopping the recording', ar: 'إيقاف التسجيل' },
  recording_pause: { en: 'pausing the recording', ar: 'إيقاف التسجيل مؤقتًا' },
  recording_resume: { en: 'resuming the recording', ar: 'استئناف التسجيل' },
};
