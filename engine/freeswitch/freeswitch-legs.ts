import { Q850 } from '../../core/model/call/hangup-cause.js';
import { hostPort } from '../../core/model/host-port.js';
import type { RejectStatus } from '../../core/model/call/refusal.js';
import type { SipSecurity } from '../../core/model/sip-security.js';
import { EngineError, type LegEndpoint, type Legs, type OriginateRequest } from '../../core/ports/engine.js';
import type { Softphone, Trunk } from '../../core/ports/engine/peers.js';
import { browserCodecs, codecNames } from './codecs.js';
import { callerIdVariables, dialString, trunkVariables, variableList } from './dial-string.js';
import type { EslLink } from './esl/esl-link.js';
import type { FreeswitchMedia } from './freeswitch-media.js';
import type { FreeswitchTrunks } from './freeswitch-trunks.js';
import type { AwaitedEvents } from './awaited-events.js';
import type { LegRegistry, RegisteredLeg } from './leg-registry.js';
import { PROFILE } from './leg-id.js';
import type { Originations } from './originations.js';
import { ECHO, move, ON_HOLD, PARKED, type LegLocation } from './leg-locations.js';

/** The duration that Asterisk uses. */
const DIGIT_MS = 160;
const DAY_MS = 86_400_000;
/** The causes that FreeSWITCH sends as these statuses; the second one is its own. */
const CAUSE_OF_STATUS: Readonly<Record<RejectStatus, string>> = { 603: String(Q850.CALL_REJECTED), 607: 'UNWANTED' };

export interface LegDefaults {
  /** The codecs that a leg offers, in order. */
  readonly codecs: readonly string[];
  readonly mediaTimeoutMs: number;
  readonly softphone: (aor: string) => Softphone | undefined;
  readonly security: SipSecurity;
}

export class FreeswitchLegs implements Legs {
  constructor(
    private readonly link: EslLink,
    private readonly registry: LegRegistry,
    private readonly media: FreeswitchMedia,
    private readonly trunks: FreeswitchTrunks,
    private readonly awaitedEvents: AwaitedEvents,
    private readonly originations: Originations,
    private readonly defaults: LegDefaults,
  ) {}

  /** Behind the SIP edge, a softphone is where the edge is. */
  #contactOf(aor: string): Promise<string> {
    const edge = this.defaults.softphone(aor)?.edge;
    if (edge === undefined) return contactsOf(this.link, aor);
    return Promise.resolve(`sofia/${PROFILE}/${aor}@${hostPort(edge)};transport=udp`);
  }

  /**
   * FreeSWITCH creates and dials a leg in one background job, under the leg's own id. The originate counts as accepted
   * when the channel is created. After a rejection no event of the leg follows, except after `indeterminate`.
   */
  async originate(request: OriginateRequest): Promise<void> {
    this.link.require();
    const { legId } = request;
    const { target, variables } = await dialString(
      request.endpoint,
      (trunkId) => this.trunks.get(trunkId),
      (aor) => this.#contactOf(aor),
      this.defaults.security,
      (aor) => this.defaults.softphone(aor)?.edge !== undefined,
    );
    const trunk = request.endpoint.type === 'trunk' ? this.trunks.get(request.endpoint.trunkId) : undefined;
    const codecs = this.#codecsFor(request.endpoint, trunk);
    const list = variableList({
      origination_uuid: legId,
      // Its end is recorded.
      process_cdr: 'true',
      originate_timeout: String(request.ringTimeoutSeconds),
      // Park the leg when it is answered, not when early media arrives.
      ignore_early_media: 'true',
      playback_terminators: 'none',
      // Send silence to a leg that has nothing to hear: without a stream, DTMF sent to it has no timing.
      send_silence_when_idle: '-1',
      ...(request.endpoint.type !== 'inside' && { absolute_codec_string: codecs.join(',') }),
      media_timeout: String(this.defaults.mediaTimeoutMs),
      media_hold_timeout: String(DAY_MS),
      ...callerIdVariables(request.callerId),
      ...variables,
      ...(trunk && trunkVariables(trunk, request.identity)),
    });
    const leg = this.registry.open(legId, legId, { pending: true });
    try {
      // Scheduled before the leg exists, so that no crash can leave a leg without an end.
      await this.link.api(endAfter(legId, request.maxDurationSeconds));
      await this.originations.begin(leg, `originate ${list}${target} &park()`);
    } catch (error) {
      if (error instanceof EngineError && error.kind === 'indeterminate') throw error;
      if (this.registry.leg(legId) === leg) this.registry.close(leg);
      void this.link.api(`sched_del ${legId}`).catch(() => undefined);
      throw error;
    }
  }

  /** The codecs that the leg offers, in order. */
  #codecsFor(endpoint: LegEndpoint, trunk: Trunk | undefined): readonly string[] {
    const { codecs, softphone } = this.defaults;
    if (trunk?.codecs) return codecNames(trunk.codecs);
    const isBrowser = endpoint.type === 'softphone' && softphone(endpoint.aor)?.isBrowser === true;
    return isBrowser ? browserCodecs(codecs) : codecs;
  }

  async answer(legId: string): Promise<void> {
    await this.#command(legId, 'uuid_answer');
  }

  async ring(legId: string): Promise<void> {
    await this.#command(legId, 'uuid_ring_ready');
  }

  async hangup(legId: string, q850: number = Q850.NORMAL_CLEARING): Promise<void> {
    this.link.require();
    const leg = this.registry.noteHangup(legId, q850);
    // A leg that has no channel yet is killed when its channel is created.
    if (leg?.pending !== true) await this.#kill(legId, leg, String(q850));
  }

  async reject(legId: string, status: RejectStatus): Promise<void> {
    this.link.require();
    await this.#kill(legId, this.registry.noteHangup(legId, Q850.CALL_REJECTED), CAUSE_OF_STATUS[status]);
  }

  async #kill(legId: string, leg: RegisteredLeg | undefined, cause: string): Promise<void> {
    try {
      await this.link.api(`uuid_kill ${this.registry.channelOf(legId)} ${cause}`);
      if (leg) leg.hangingUp = true;
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
    // With a bonded channel, FreeSWITCH itself would carry out a phone's REFER.
    await this.link.api(`uuid_setvar ${this.registry.channelOf(legId)} signal_bond`);
    if (leg) [leg.echo, leg.held, leg.monitors] = [true, false, false];
  }

  async stopEcho(legId: string): Promise<void> {
    const leg = this.registry.leg(legId);
    if (leg?.echo === false) return;
    await this.#move(legId, PARKED);
    if (leg) leg.echo = false;
  }

  /** FreeSWITCH has already rejected the phone's REFER (403), and that cannot be changed. */
  reportTransfer(): Promise<void> {
    return Promise.resolve();
  }

  async #move(legId: string, place: LegLocation): Promise<void> {
    this.link.require();
    await this.media.stopAllOf(legId);
    await move(this.link, this.awaitedEvents, this.registry.channelOf(legId), place);
  }

  async #command(legId: string, verb: string, rest = ''): Promise<void> {
    this.link.require();
    try {
      await this.link.api(`${verb} ${this.registry.channelOf(legId)} ${rest}`.trim());
    } catch (error) {
      if (!(error instanceof EngineError) || error.kind !== 'rejected') throw error;
      // Some commands only report that they failed; a missing leg is the only possible reason.
      throw new EngineError('no_such_leg', `No such leg: ${legId}`, { cause: error });
    }
  }
}

/** Schedules the end of a channel. FreeSWITCH removes the task when the channel ends; `sched_hangup` requires an existing channel. */
export function endAfter(channelId: string, seconds: number): string {
  return `sched_api +${seconds} ${channelId} uuid_kill ${channelId} ${Q850.NORMAL_CLEARING}`;
}

/** The contacts of a softphone that is registered at FreeSWITCH, separated by commas; otherwise `error/user_not_registered`. */
export function contactsOf(link: Pick<EslLink, 'api'>, aor: string): Promise<string> {
  return link.api(`sofia_contact ${PROFILE}/${aor}@${PROFILE}`);
}

export function isMissing(error: unknown): boolean {
  return error instanceof EngineError && error.kind === 'no_such_leg';
}
