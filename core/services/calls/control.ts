import type { CallRow } from '../../data/rows.js';
import { HatifError, type Phrase } from '../../model/errors/index.js';
import { isFinal } from '../../model/call.js';
import type { CommandBus, CommandOutcome, LegAction } from '../../ports/command-bus.js';
import { askOwner } from './ask-owner.js';
import type { AudioSource, PrepareAudio } from './prepare-audio.js';

/** Who asks, for the timeline. */
export interface Controller {
  readonly projectId: string;
  readonly sandbox: boolean;
  readonly requestId: string;
  readonly keyId: string;
}

/** Which leg; the agent's can only be named where the feature is on. */
export type ControlledLeg = 'customer' | 'agent';

/** What the API can ask of a live call. */
export type ControlAction =
  | Exclude<LegAction, { action: 'play' | 'cancel' }>
  | { readonly action: 'play'; readonly source: AudioSource; readonly loop: number };

/** What the API answers to every control action (spec 2.4a). */
export interface ActionResult {
  readonly call_id: string;
  readonly action: string;
  readonly status: 'accepted';
  readonly request_id: string;
}

export interface CallFinder {
  get(scope: { readonly projectId: string; readonly sandboxOnly: boolean }, callId: string): Promise<CallRow | null>;
}

export interface ControlCallOptions {
  readonly calls: CallFinder;
  readonly audio: PrepareAudio;
  readonly bus: CommandBus;
}

/** Control of live calls from any API process: checks the call's kind and state, sends the command to the owner of its engine. */
export class ControlCall {
  constructor(private readonly options: ControlCallOptions) {}

  /**
   * Resolves when the engine accepted. A hang-up is allowed before the answer too; the call is then cancelled.
   * @throws HatifError CALL_NOT_FOUND, CALL_CONTROL_UNSUPPORTED (digits into an incoming call), CALL_NOT_ACTIVE, CALL_NOT_ANSWERED,
   *   AGENT_LEG_NOT_CONNECTED, TRANSFER_IN_PROGRESS (hold and unhold), CALL_NOT_CONTROLLABLE, CALL_CONTROL_FAILED; of `play` also those of {@link PrepareAudio}.
   */
  async control(
    callId: string,
    leg: ControlledLeg,
    wanted: ControlAction,
    controller: Controller,
  ): Promise<ActionResult> {
    const { action } = wanted;
    const call = await this.#find(callId, controller);
    checkKind(call, action);
    checkState(call, action);
    const what = await this.#prepared(wanted, controller);
    const { requestId, keyId: actor } = controller;
    const command = { type: 'control', callId, leg, what, requestId, actor } as const;
    const outcome = await askOwner(this.options.bus, call, command);
    await this.#refuse(outcome, call, leg, action, controller);
    return { call_id: callId, action, status: 'accepted', request_id: requestId };
  }

  async #find(callId: string, controller: Controller): Promise<CallRow> {
    const scope = { projectId: controller.projectId, sandboxOnly: controller.sandbox };
    const call = await this.options.calls.get(scope, callId);
    if (!call) throw new HatifError('CALL_NOT_FOUND', { call_id: callId });
    return call;
  }

  async #prepared(wanted: ControlAction, controller: Controller): Promise<LegAction> {
    if (wanted.action !== 'play') return wanted;
    const path = await this.options.audio.prepare(wanted.source, controller.projectId);
    return { action: 'play', path, loop: wanted.loop };
  }

  async #refuse(
    outcome: CommandOutcome,
    call: CallRow,
    leg: ControlledLeg,
    action: string,
    controller: Controller,
  ): Promise<void> {
    switch (outcome.result) {
      case 'done':
        return;
      case 'not_active':
        throw new HatifError('CALL_NOT_ACTIVE', { status: (await this.#find(call.id, controller)).status });
      case 'not_answered':
        throw new HatifError('CALL_NOT_ANSWERED', { status: (await this.#find(call.id, controller)).status });
      case 'leg_not_connected':
        if (leg === 'agent') throw new HatifError('AGENT_LEG_NOT_CONNECTED');
        throw new HatifError('CALL_NOT_ACTIVE', { status: 'ended' });
      case 'not_announced':
        throw new HatifError('RECORDING_SERVICE_UNAVAILABLE');
      case 'transfer_in_progress':
        throw new HatifError('TRANSFER_IN_PROGRESS');
      case 'engine_refused':
        throw new HatifError('CALL_CONTROL_FAILED', { action: NAMES[action] ?? action }, { cause: outcome });
      default:
        throw new HatifError('CALL_NOT_CONTROLLABLE');
    }
  }
}

/** Spec 4.4: no digits into incoming and web calls. */
function checkKind(call: CallRow, action: string): void {
  if (action !== 'dtmf' || (call.kind !== 'inbound' && call.kind !== 'web')) return;
  throw new HatifError('CALL_CONTROL_UNSUPPORTED', { action: NAMES[action] ?? action, kind: call.kind });
}

/** What the record says already; the owner looks again at the call itself. */
function checkState({ status }: CallRow, action: string): void {
  if (isFinal(status)) throw new HatifError('CALL_NOT_ACTIVE', { status });
  if (status !== 'answered' && action !== 'hangup') throw new HatifError('CALL_NOT_ANSWERED', { status });
}

const NAMES: Readonly<Record<string, Phrase>> = {
  hangup: { en: 'hang up', ar: 'إنهاء المكالمة' },
  hold: { en: 'hold', ar: 'التعليق' },
  unhold: { en: 'unhold', ar: 'إلغاء التعليق' },
  mute: { en: 'mute', ar: 'كتم الصوت' },
  unmute: { en: 'unmute', ar: 'إلغاء كتم الصوت' },
  dtmf: { en: 'sending digits', ar: 'إرسال النغمات' },
  play: { en: 'play', ar: 'تشغيل الصوت' },
  play_stop: { en: 'stopping the audio', ar: 'إيقاف الصوت' },
  recording_start: { en: 'recording', ar: 'التسجيل' },
  recording_stop: { en: 'stopping the recording', ar: 'إيقاف التسجيل' },
  recording_pause: { en: 'pausing the recording', ar: 'إيقاف التسجيل مؤقتًا' },
  recording_resume: { en: 'resuming the recording', ar: 'استئناف التسجيل' },
};
