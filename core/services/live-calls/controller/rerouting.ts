import { unlessUnavailable } from '../../../data/errors.js';
import type { LegRow } from '../../../data/rows.js';
import { hangupCause, Q850 } from '../../../model/call/hangup-cause.js';
import { newId } from '../../../model/ids.js';
import { MAX_ATTEMPTS } from '../../../model/trunks/choice.js';
import type { LegEvent } from '../../../ports/engine-events.js';
import { endLeg, endWith } from '../../call-state/apply-leg-event.js';
import { carrierOf, isCarrierFault, triedTrunks } from '../../call-state/attempts.js';
import type { CallState } from '../../call-state/call-state.js';
import { newLeg } from '../../call-state/new-leg.js';
import { startsAtOnce, type SavedProgram } from '../../call-state/program.js';
import { forwarderOf } from '../call/forwarded-leg.js';
import type { LiveCall } from '../call/live-call.js';
import type { LiveCalls } from '../registry/live-calls.js';
import type { Transfers } from '../transfers/transfers.js';
import { guardSetup, SETUP_GRACE_MS } from '../outbound/origination.js';

type LegEnd = Extract<LegEvent, { type: 'leg.ended' }>;

/**
 * Dials the next trunk when a carrier does not carry a leg. Never after the other side rang or sent audio, and never if
 * the outcome of the leg is not certain, so that nobody is rung twice: a leg whose end this process only infers, after
 * an outage, is not dialled again.
 */
export class Rerouting {
  constructor(
    private readonly calls: LiveCalls,
    private readonly transfers: Pick<Transfers, 'advance' | 'show'>,
  ) {}

  /** @returns whether the event was the end of a leg whose place another takes, so that there is nothing else to do */
  async takes(live: LiveCall, event: LegEvent): Promise<boolean> {
    if (event.type !== 'leg.ended' || !this.calls.options.lease.mayCommand) return false;
    const leg = live.state.leg(event.legId);
    if (!leg || !isCarrierFault(event.cause) || !(await this.#mayReroute(live, leg))) return false;
    endLeg(live.state, leg, event);
    let [failed, end] = [leg, event];
    for (let next = await this.#next(live, failed); next; next = await this.#next(live, failed)) {
      if (await this.#dial(live, failed, next)) return true;
      failed = live.state.leg(next.id) ?? next;
      const cause = hangupCause(failed.hangup_q850 ?? Q850.TEMPORARY_FAILURE, failed.hangup_sip_code);
      end = { type: 'leg.ended', legId: failed.id, at: this.calls.clock.now(), cause };
    }
    await this.#giveUp(live, failed, end);
    return true;
  }

  async #mayReroute({ state, ending }: LiveCall, leg: LegRow): Promise<boolean> {
    const { gate, routing } = this.calls;
    if (!carrierOf(leg) || leg.status !== 'created' || leg.number === null) return false;
    if (ending !== null || state.isFinal || !isAwaited(state, leg)) return false;
    const to = { type: 'number', target: leg.number } as const;
    if (gate.isEmergency({ to, dialler: diallerOf(state, leg) })) return false;
    const tried = triedTrunks(state.legs, leg);
    const route = await unlessUnavailable(routing.routeTo(state.row.project_id, to), () => null);
    const trunks = route?.trunks ?? [];
    return tried.size < MAX_ATTEMPTS && trunks.some(({ trunkId }) => !tried.has(trunkId));
  }

  /** The leg to dial next; null if no trunk is left, or the gate refuses. */
  async #next(live: LiveCall, failed: LegRow): Promise<LegRow | null> {
    const { state } = live;
    const tried = triedTrunks(state.legs, failed);
    if (tried.size >= MAX_ATTEMPTS) return null;
    const legId = newId();
    const to = { type: 'number', target: failed.number ?? '' } as const;
    const after = { legId: failed.id, tried };
    const wanted = { role: failed.role, to, dialler: diallerOf(state, failed), legId, after };
    const route = await live.admit(wanted, forwarderOf(failed));
    return 'refused' in route ? null : newLeg(live.callId, failed.role, route, this.calls.clock.now(), legId);
  }

  /** @returns false if the engine refuses the leg, which has then ended */
  async #dial(live: LiveCall, failed: LegRow, next: LegRow): Promise<boolean> {
    const { state } = live;
    state.note('leg.rerouted', this.calls.clock.now(), { leg: failed.role });
    const asked = live.ringing.askedOf(failed);
    const { transfer } = state;
    if (transfer?.leg_id === failed.id) state.putTransfer({ ...transfer, leg_id: next.id });
    live.program.onRerouted?.(live, failed.id, next.id);
    const refused = await live.ringing.originate(next, asked.callerId, asked.ringTimeoutSeconds, 'wait');
    if (refused !== null) return false;
    if (transfer) await this.transfers.advance(live);
    else if (next.role === 'customer' && !startsAtOnce(state.row)) {
      guardSetup(this.calls, live, next.id, asked.ringTimeoutSeconds * 1000 + SETUP_GRACE_MS);
    }
    return true;
  }

  /** No trunk reached the party: passes the end of the last leg on. */
  async #giveUp(live: LiveCall, last: LegRow, end: LegEnd): Promise<void> {
    const { calls } = this;
    if (last.role === 'customer') endWith(live.state, end.cause, end.at, live.ending, calls.onIllegal);
    await calls.commit(live);
    await this.transfers.show(live, end);
  }
}

/** The extension of the agent whose phone asked for the leg; null if the platform dials, as it does for a forward. */
function diallerOf({ row, transfer }: CallState, leg: LegRow): string | null {
  if (forwarderOf(leg)) return null;
  const { id, role } = leg;
  const { spec } = row.program as SavedProgram;
  const isAgentsCall = role === 'customer' && spec.type === 'dial_out';
  const isPhonesTransfer = transfer?.leg_id === id && transfer.requested_by === null;
  return isAgentsCall || isPhonesTransfer ? row.agent : null;
}

/** Whether somebody still waits for the party, or nobody has to. */
function isAwaited(state: CallState, { role }: LegRow): boolean {
  if (role !== 'customer') return state.legOf('customer')?.status !== 'ended';
  const agent = state.legOf('agent');
  const { spec } = state.row.program as SavedProgram;
  if (spec.type === 'dial_out') return agent?.status !== 'ended';
  return agent?.status !== 'ended' || agent.answered_at === null;
}
