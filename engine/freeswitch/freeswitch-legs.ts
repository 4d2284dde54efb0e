import { Q850 } from '../../core/model/call/hangup-cause.js';
import { EngineError, type Legs, type OriginateRequest } from '../../core/ports/engine.js';
import { callerIdVariables, dialString, variableList } from './dial-string.js';
import type { EslLink } from './esl/esl-link.js';
import type { FreeswitchMedia } from './freeswitch-media.js';
import type { FreeswitchTrunks } from './freeswitch-trunks.js';
import type { AwaitedEvents } from './awaited-events.js';
import type { LegRegistry } from './leg-registry.js';
import { PROFILE } from './leg-id.js';
import type { Originations } from './originations.js';
import { ECHO, move, ON_HOLD, PARKED, type LegLocation } from './leg-locations.js';

/** As Asterisk sends them. */
const DIGIT_MS = 160;
const DAY_MS = 86_400_000;

export interface LegDefaults {
  /** What a leg offers, in order. */
  readonly codecs: readonly string[];
  readonly mediaTimeoutMs: number;
}

export class FreeswitchLegs implements Legs {
  constructor(
    private readonly link: EslLink,
    private readonly registry: LegRegistry,
    private readonly media: FreeswitchMedia,
    private readonly trunks: FreeswitchTrunks,
    private readonly happenings: AwaitedEvents,
    private readonly originations: Originations,
    private readonly defaults: LegDefaults,
  ) {}

  /**
   * FreeSWITCH creates and dials in one step, in the background, under the leg's own id. It was accepted when the channel came to be.
   * After a rejection no event of the leg follows, except after `indeterminate`.
   */
  async originate(request: OriginateRequest): Promise<void> {
    this.link.require();
    const { legId } = request;
    const { target, variables } = await dialString(
      request.endpoint,
      (trunkId) => this.trunks.get(trunkId),
      (aor) => this.link.api(`sofia_contact ${PROFILE}/${aor}@${PROFILE}`),
    );
    const list = variableList({
      origination_uuid: legId,
      originate_timeout: String(request.ringTimeoutSeconds),
      // It is parked when it is answered, not when the first sound comes.
      ignore_early_media: 'true',
      playback_terminators: 'none',
      // A leg that hears nothing is sent silence: without a stream, the digits that are sent to it have no time.
      send_silence_when_idle: '-1',
      absolute_codec_string: this.defaults.codecs.join(','),
      media_timeout: String(this.defaults.mediaTimeoutMs),
      media_hold_timeout: String(DAY_MS),
      ...callerIdVariables(request.callerId),
      ...variables,
    });
    const leg = this.registry.open(legId, legId, { pending: true });
    try {
      // Before the leg is there: nothing that dies in between leaves a leg without an end.
      await this.link.api(endAfter(legId, request.maxDurationSeconds));
      await this.originations.begin(leg, `originate ${list}${target} &park()`);
    } catch (error) {
      if (error instanceof EngineError && error.kind === 'indeterminate') throw error;
      if (this.registry.leg(legId) === leg) this.registry.close(leg);
      void this.link.api(`sched_del ${legId}`).catch(() => undefined);
      throw error;
    }
  }

  async answer(legId: string): Promise<void> {
    await this.#command(legId, 'uuid_answer');
  }

  async ring(legId: string): Promise<void> {
    await this.#command(legId, 'uuid_ring_ready');
  }

  async hangup(legId: string, q850: number = Q850.NORMAL_CLEARING): Promise<void> {
    this.link.require();
    // One that is asked for is killed when it comes to be.
    if (this.registry.noteHangup(legId, q850)?.pending === true) return;
    try {
      await this.link.api(`uuid_kill ${this.registry.channelOf(legId)} ${q850}`);
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
  }

  async hold(legId: string): Promise<void> {
    const leg = this.registry.leg(legId);
    if (leg?.held === true) return;
    await this.#move(legId, ON_HOLD);
    if (leg) [leg.held, leg.echo, leg.monitors] = [true, false, false];
  }

  async unhold(legId: string): Promise<void> {
    const leg = this.registry.leg(legId);
    if (leg?.held === false) return;
    await this.#move(legId, PARKED);
    if (leg) leg.held = false;
  }

  async mute(legId: string): Promise<void> {
    await this.#command(legId, 'uuid_audio', 'start read mute 1');
  }

  async unmute(legId: string): Promise<void> {
    await this.#command(legId, 'uuid_audio', 'stop');
  }

  async sendDtmf(legId: string, digits: string): Promise<void> {
    await this.#command(legId, 'uuid_send_dtmf', `${digits}@${DIGIT_MS}`);
  }

  async echo(legId: string): Promise<void> {
    const leg = this.registry.leg(legId);
    if (leg?.echo === true) return;
    await this.#move(legId, ECHO);
    // With a partner, FreeSWITCH itself would do what the phone asks for in a REFER.
    await this.link.api(`uuid_setvar ${this.registry.channelOf(legId)} signal_bond`);
    if (leg) [leg.echo, leg.held, leg.monitors] = [true, false, false];
  }

  async stopEcho(legId: string): Promise<void> {
    const leg = this.registry.leg(legId);
    if (leg?.echo === false) return;
    await this.#move(legId, PARKED);
    if (leg) leg.echo = false;
  }

  /** FreeSWITCH has told the phone already that nothing came of its REFER (403): that cannot be taken back. */
  reportTransfer(): Promise<void> {
    return Promise.resolve();
  }

  async #move(legId: string, place: LegLocation): Promise<void> {
    this.link.require();
    await this.media.stopAllOf(legId);
    await move(this.link, this.happenings, this.registry.channelOf(legId), place);
  }

  async #command(legId: string, verb: string, rest = ''): Promise<void> {
    this.link.require();
    try {
      await this.link.api(`${verb} ${this.registry.channelOf(legId)} ${rest}`.trim());
    } catch (error) {
      if (!(error instanceof EngineError) || error.kind !== 'rejected') throw error;
      // Some commands say no more than that they failed; for them there is one reason.
      throw new EngineError('no_such_leg', `No such leg: ${legId}`, { cause: error });
    }
  }
}

/** FreeSWITCH forgets it when the channel ends; `sched_hangup` would want the channel to be there already. */
export function endAfter(channelId: string, seconds: number): string {
  return `sched_api +${seconds} ${channelId} uuid_kill ${channelId} ${Q850.NORMAL_CLEARING}`;
}

export function isMissing(error: unknown): boolean {
  return error instanceof EngineError && error.kind === 'no_such_leg';
}
