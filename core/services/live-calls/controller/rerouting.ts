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
import { diallerIn } from '../call/leg-admission.js';
import type { LiveCall } from '../call/live-call.js';
import type { LiveCalls } from '../registry/live-calls.js';
import type { Transfers } from '../transfers/transfers.js';
import { guardSetup, SETUP_GRACE_MS } from '../outbound/origination.js';

type LegEnd = Extract<LegEvent, { type: 'leg.ended' }>;

type Tried = { readonly dialled: LegRow; readonly last: null } | { readonly dialled: null; readonly last: LegRow };

/**
 * Dials the next trunk when a carrier does not carry a leg, or the engine refuses it. Never after the other side rang or
 * sent audio, and never if the outcome of the leg is not certain, so that nobody is rung twice: a leg whose end this
 * process only infers, after an outage, is not dialled again.
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
    if (leg?.status !== 'created' || !isCarrierFault(event.cause) || !(await this.#mayReroute(live, leg))) return false;
    endLeg(live.state, leg, event);
    const { last } = await this.#tryOthers(live, leg);
    if (last === leg) await this.#giveUp(live, leg, event);
    else if (last) await this.#giveUp(live, last, this.#endOf(last));
    return true;
  }

  /**
   * The engine may not know a trunk yet, or not be able to do what the trunk wants.
   * @returns the leg that is dialled in the place of the refused one, which has ended; null if no trunk is left
   */
  async afterRefusal(live: LiveCall, { id }: LegRow): Promise<LegRow | null> {
    const leg = live.state.leg(id);
    const isUp = this.calls.engine.status.status === 'up';
    if (!leg || !isUp || !(await this.#mayReroute(live, leg))) return null;
    return (await this.#tryOthers(live, leg)).dialled;
  }

  /** Dials one trunk after another. @returns the leg that the engine accepted, or else the last one that failed */
  async #tryOthers(live: LiveCall, failed: LegRow): Promise<Tried> {
    let last = failed;
    for (let next = await this.#next(live, last); next; next = await this.#next(live, last)) {
      if (await this.#dial(live, last, next)) return { dialled: next, last: null };
      last = live.state.leg(next.id) ?? next;
    }
    return { dialled: null, last };
  }

  #endOf({ id, hangup_q850, hangup_sip_code }: LegRow): LegEnd {
    const cause = hangupCause(hangup_q850 ?? Q850.TEMPORARY_FAILURE, hangup_sip_code);
    return { type: 'leg.ended', legId: id, at: this.calls.clock.now(), cause };
  }

  async #mayReroute({ state, ending }: LiveCall, leg: LegRow): Promise<boolean> {
    const { gate, routing } = this.calls;
    if (!carrierOf(leg) || leg.number === null) return false;
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
    live.program.onLegReplaced?.(live, failed.id, next.id);
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
  return isAgentsCall || isPhonesTransfer ? diallerIn(row) : null;
}

/** Whether somebody still waits for the party, or nobody has to. */
function isAwaited(state: CallState, { role }: LegRow): boolean {
  if (role !== 'customer') return state.legOf('customer')?.status !== 'ended';
  const agent = state.legOf('agent');
  const { spec } = state.row.program as SavedProgram;
  if (spec.type === 'dial_out') return agent?.status !== 'ended';
  return agent?.status !== 'ended' || agent.answered_at === null;
}
