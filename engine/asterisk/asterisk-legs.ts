import { Q850 } from '../../core/model/call/hangup-cause.js';
import type { RejectStatus } from '../../core/model/call/refusal.js';
import { EngineError, type Legs, type OriginateRequest, type TransferOutcome } from '../../core/ports/engine.js';
import { AriRefusal, isGone, type AriHttp } from './ari/ari-http.js';
import { CALL_APP } from './ari/ari-types.js';
import type { Arrivals } from './arrivals.js';
import { causeToRequest } from './requested-cause.js';
import type { AsteriskEcho } from './asterisk-echo.js';
import type { AsteriskMedia } from './asterisk-media.js';
import type { AsteriskMonitors } from './asterisk-monitors.js';
import type { AsteriskTrunks } from './asterisk-trunks.js';
import {
  callerIdVariables,
  dialString,
  diversionVariables,
  exitVariables,
  identityVariables,
  resumedVariables,
} from './sip/dial-string.js';
import type { EngineLink } from './ari/engine-link.js';
import type { AsteriskHolds } from './asterisk-holds.js';
import { callingLegOf, farHalfOf } from './leg-id.js';
import type { LegRegistry } from './leg-registry.js';
import { DIALLED } from './relist.js';

const PROGRESS: Readonly<Record<TransferOutcome, string>> = {
  completed: 'channel_answered',
  failed: 'channel_unavailable',
  declined: 'channel_declined',
};

/** The dialplan's context whose extensions are SIP statuses. */
const REJECTING = 'hatif-reject';

/** The format of audio that leaves Asterisk by no phone. */
const UNCODED = 'slin';

export class AsteriskLegs implements Legs {
  constructor(
    private readonly http: AriHttp,
    private readonly link: EngineLink,
    private readonly registry: LegRegistry,
    private readonly media: AsteriskMedia,
    private readonly echoes: AsteriskEcho,
    private readonly holds: AsteriskHolds,
    private readonly monitors: Pick<AsteriskMonitors, 'leave'>,
    private readonly arrivals: Arrivals,
    /** The codecs that a leg offers, in order. Without this, Asterisk offers the endpoint's codecs in an order of its own. */
    private readonly codecs: readonly string[],
    private readonly trunks: Pick<AsteriskTrunks, 'get'>,
  ) {}

  /**
   * Creates the channel, then dials it: Asterisk's one-step originate answers the callee before the application can
   * talk to him. After a rejection no event of the leg follows, except after `indeterminate`.
   */
  async originate(request: OriginateRequest): Promise<void> {
    this.link.require();
    const { legId } = request;
    const endpoint = dialString(request.endpoint);
    const isInside = request.endpoint.type === 'inside';
    const trunk = request.endpoint.type === 'trunk' ? this.trunks.get(request.endpoint.trunkId) : undefined;
    const leg = this.registry.open(legId, legId, { pending: true });
    const arrival = this.arrivals.expect(legId);
    try {
      const body = {
        endpoint,
        app: CALL_APP,
        formats: isInside ? UNCODED : (trunk?.codecs ?? this.codecs).join(','),
        channelId: legId,
        ...(isInside && { otherChannelId: farHalfOf(legId) }),
        variables: {
          'TIMEOUT(absolute)': String(request.maxDurationSeconds),
          // By default Asterisk would transfer the leg without notifying the application.
          ...(!isInside && { 'PJSIP_TRANSFER_HANDLING()': 'ari-only' }),
          ...callerIdVariables(request.callerId),
          ...(trunk && request.identity && identityVariables(request.identity, trunk)),
          ...(trunk && exitVariables(trunk)),
          ...diversionVariables(request.endpoint),
          ...resumedVariables(request.endpoint),
        },
      };
      if (await this.#create(body)) await arrival.arrived;
      else arrival.forget();
      if (leg.endedHere) throw new EngineError('rejected', 'The leg was hung up before it was dialled');
    } catch (error) {
      arrival.forget();
      this.registry.close(leg);
      // Nothing has rung yet, so a channel that may have been created can be destroyed.
      void this.#destroy(legId, Q850.NORMAL_CLEARING).catch(() => undefined);
      throw refusedCreation(error);
    }
    await this.#dial(legId, request.ringTimeoutSeconds);
  }

  /** @returns false if the channel exists already, created by a process that died before it dialled */
  async #create(body: object): Promise<boolean> {
    try {
      await this.http.send('POST', '/channels/create', { body });
      return true;
    } catch (error) {
      if (error instanceof AriRefusal && error.status === 409) return false;
      throw error;
    }
  }

  async #dial(legId: string, ringTimeoutSeconds: number): Promise<void> {
    const leg = this.registry.leg(legId);
    if (!leg) throw new EngineError('rejected', 'The leg ended before it was dialled');
    leg.pending = false;
    try {
      // A second dial would end the leg, and nothing else shows whether there was a first one: set this mark before dialling.
      await this.http.send('POST', `/channels/${legId}/variable`, { query: { variable: DIALLED, value: '1' } });
      await this.http.send('POST', `/channels/${legId}/dial`, {
        query: { timeout: String(ringTimeoutSeconds) },
        once: true,
      });
    } catch (error) {
      if (this.registry.leg(legId) !== leg) return;
      if (error instanceof EngineError && error.kind === 'indeterminate') throw error;
      this.registry.close(leg);
      void this.#destroy(legId, Q850.NORMAL_CLEARING).catch(() => undefined);
      throw error;
    }
  }

  async answer(legId: string): Promise<void> {
    await this.#command('POST', legId, 'answer');
  }

  async ring(legId: string): Promise<void> {
    await this.#command('POST', legId, 'ring');
  }

  async hangup(legId: string, q850: number = Q850.NORMAL_CLEARING): Promise<void> {
    this.link.require();
    this.registry.noteHangup(legId, q850);
    const channelId = this.registry.channelOf(legId);
    // A call inside passes every cause on.
    await this.#destroy(channelId, callingLegOf(channelId) === null ? causeToRequest(q850) : q850);
  }

  async #destroy(channelId: string, q850: number): Promise<void> {
    try {
      await this.http.send('DELETE', `/channels/${channelId}`, { query: { reason_code: String(q850) } });
    } catch (error) {
      if (!isGone(error)) throw error;
    }
  }

  /** No cause leads to these statuses: the dialplan sends them. */
  async reject(legId: string, status: RejectStatus): Promise<void> {
    const channelId = this.registry.channelOf(legId);
    // A call inside passes every cause on, and has no status.
    if (callingLegOf(channelId) !== null) return this.hangup(legId, Q850.CALL_REJECTED);
    this.link.require();
    this.registry.noteHangup(legId, Q850.CALL_REJECTED);
    try {
      const query = { context: REJECTING, extension: String(status), priority: '1' };
      await this.http.send('POST', `/channels/${channelId}/continue`, { query });
    } catch (error) {
      if (!isGone(error)) throw error;
    }
  }

  async hold(legId: string): Promise<void> {
    this.link.require();
    await this.media.stopAllOf(legId);
    await this.echoes.leave(legId);
    await this.monitors.leave(legId);
    await this.holds.enter(legId);
  }

  async unhold(legId: string): Promise<void> {
    this.link.require();
    await this.media.stopAllOf(legId);
    await this.holds.leave(legId);
  }

  async mute(legId: string): Promise<void> {
    await this.#command('POST', legId, 'mute', { direction: 'in' });
  }

  async unmute(legId: string): Promise<void> {
    await this.#command('DELETE', legId, 'mute', { direction: 'in' });
  }

  async sendDtmf(legId: string, digits: string): Promise<void> {
    await this.#command('POST', legId, 'dtmf', { dtmf: digits, between: '100', duration: '160' });
  }

  async echo(legId: string): Promise<void> {
    this.link.require();
    await this.media.stopAllOf(legId);
    await this.monitors.leave(legId);
    await this.echoes.start(legId);
  }

  async stopEcho(legId: string): Promise<void> {
    this.link.require();
    await this.echoes.stop(legId);
  }

  /**
   * The success of an attended transfer is signalled by the hangup that follows: sending progress at the same time can
   * lock up all SIP processing in Asterisk (asterisk#2166).
   */
  async reportTransfer(legId: string, outcome: TransferOutcome): Promise<void> {
    if (outcome === 'completed' && this.registry.leg(legId)?.attended === true) return;
    await this.#command('POST', legId, 'transfer_progress', { states: PROGRESS[outcome] });
  }

  async #command(method: 'POST' | 'DELETE', legId: string, verb: string, query: Record<string, string> = {}) {
    this.link.require();
    await this.http.send(method, `/channels/${this.registry.channelOf(legId)}/${verb}`, { query });
  }
}

/** For an endpoint without a reachable contact, Asterisk answers "Allocation failed". */
function refusedCreation(error: unknown): unknown {
  if (error instanceof AriRefusal && error.status === 500) {
    return new EngineError('rejected', `No such endpoint, or it has no reachable contact: ${error.message}`, {
      cause: error,
    });
  }
  return error;
}
