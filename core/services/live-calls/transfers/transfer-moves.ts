import type { LegRow, TransferRow } from '../../../data/rows.js';
import { outcomeOfUnanswered, Q850 } from '../../../model/call/hangup-cause.js';
import { newId } from '../../../model/ids.js';
import { EngineError, type TransferOutcome } from '../../../ports/engine.js';
import type { ForwardedPath } from '../../../model/call/forwarding.js';
import type { TransferTarget } from '../../../model/call/transfer.js';
import { diallerIn, type WantedLeg } from '../call/leg-admission.js';
import type { LiveCall } from '../call/live-call.js';
import type { LiveCalls } from '../registry/live-calls.js';
import type { ProgramSpec } from '../../call-state/program.js';
import { newLeg } from '../../call-state/new-leg.js';
import { callerIdFor } from '../call/ringing.js';
import type { TransferLegs } from '../../call-state/transfer-step.js';

/** Returns the current legs of a transfer. */
export function legsOf({ state }: LiveCall, transfer: TransferRow): TransferLegs {
  const leg = (id: string | null): LegRow | null => (id === null ? null : (state.leg(id) ?? null));
  return { from: leg(transfer.from_leg_id), target: leg(transfer.leg_id) };
}

/**
 * Returns the leg to a transfer's target.
 * @param requestedBy the API key; null if the agent's phone asked for the transfer
 */
export function wantedLeg({ state }: LiveCall, to: TransferTarget, requestedBy: string | null): WantedLeg {
  return { role: 'transfer', to, dialler: requestedBy === null ? diallerIn(state.row) : null };
}

function directly({ destination: to }: TransferRow): ForwardedPath {
  return { to, through: [] };
}

/**
 * The steps of a transfer. Transferor and target talk in the call's own bridge, which the customer leaves meanwhile.
 * Each step commands the engine first and records it afterwards: after a crash the next owner process repeats the step,
 * which is safe.
 */
export class TransferMoves {
  constructor(private readonly calls: LiveCalls) {}

  /** From here until the transfer is over the customer hears music, and the transferor hears ringback. */
  async ring(live: LiveCall, transfer: TransferRow): Promise<void> {
    const { state } = live;
    const now = this.calls.clock.now();
    const isLate = now.getTime() - transfer.created_at.getTime() > transfer.ring_timeout_seconds * 1000;
    const step = isLate ? null : await live.forward(directly(transfer), transfer.ring_timeout_seconds);
    // A transferor cannot consult a voicemail box.
    if (step?.type === 'continue' && transfer.type === 'blind') return this.#handOver(live, transfer, step.spec);
    const legId = newId();
    const route = step?.type === 'dial' ? await this.#admit(live, transfer, step.path, legId) : null;
    if (!route || 'refused' in route) return this.#fail(live, transfer);
    if (!(await this.#parkCustomer(live))) return this.#fail(live, transfer);
    const leg = newLeg(live.callId, 'transfer', route, now, legId);
    state.putTransfer({ ...transfer, leg_id: leg.id, agent: route.agent });
    const refused = await live.ringing.originate(leg, callerIdFor(live.state.row, leg), transfer.ring_timeout_seconds);
    const isDialled = refused === null || (await this.calls.redial(live, leg)) !== null;
    const { from } = legsOf(live, transfer);
    if (isDialled && from?.status === 'answered' && !from.on_hold) await live.ringback(from.id, transfer.id);
  }

  /** A transfer to a party that forwards its calls needs the rights of the agent who forwards them. */
  #admit(live: LiveCall, transfer: TransferRow, { to, through }: ForwardedPath, legId: string) {
    const forwardedBy = through.at(-1);
    if (forwardedBy) return live.admit({ role: 'transfer', to, legId }, forwardedBy);
    return live.admit({ ...wantedLeg(live, transfer.destination, transfer.requested_by), legId });
  }

  /** Gives the customer to the queue or call flow. */
  async handOver(live: LiveCall, transfer: TransferRow): Promise<void> {
    const { type, target } = transfer.destination;
    const spec: ProgramSpec =
      type === 'callflow' ? { type, callflowId: target, version: null } : { type: 'queue', queueId: target };
    await this.#handOver(live, transfer, spec);
  }

  /** Gives the customer to a program, which then decides what the customer hears. */
  async #handOver(live: LiveCall, transfer: TransferRow, spec: ProgramSpec): Promise<void> {
    if (!(await this.#parkCustomer(live))) return this.#fail(live, transfer);
    await live.separateCustomer();
    const customer = live.state.legOf('customer');
    const { from } = legsOf(live, transfer);
    if (from?.status === 'answered') {
      await this.#reportToPhone(live, transfer, 'completed');
      await live.hangupLeg(from.id, Q850.NORMAL_CLEARING);
    }
    const done = this.#end(live, transfer, 'completed');
    live.state.emitTransferred(done, this.calls.clock.now());
    // A queue continues the music.
    if (customer && spec.type !== 'queue') await live.unpark(customer.id);
    await live.continueAs(spec);
  }

  reportRinging(live: LiveCall, transfer: TransferRow): void {
    live.state.putTransfer({ ...transfer, status: 'ringing' });
    this.#note(live, transfer, 'transfer.ringing');
  }

  async consult(live: LiveCall, transfer: TransferRow): Promise<void> {
    const { from, target } = legsOf(live, transfer);
    await live.stopPlay(transfer.id);
    await live.bridgeLegs([from, target].flatMap((leg) => leg?.id ?? []));
    live.state.putTransfer({ ...transfer, status: 'consulting' });
    this.#note(live, transfer, 'transfer.consulting');
  }

  async complete(live: LiveCall, transfer: TransferRow): Promise<void> {
    const { state } = live;
    const { from, target } = legsOf(live, transfer);
    const customer = state.legOf('customer');
    if (from?.status === 'answered') {
      await live.stopPlay(transfer.id);
      await this.#reportToPhone(live, transfer, 'completed');
      await live.hangupLeg(from.id, Q850.NORMAL_CLEARING);
    }
    await live.bridgeLegs([target, customer].flatMap((leg) => leg?.id ?? []));
    const done = this.#end(live, transfer, 'completed');
    if (target) state.makeAgent(target.id, transfer.agent);
    live.become({ type: 'talk' });
    state.emitTransferred(done, this.calls.clock.now());
  }

  /** Returns the customer to the transferor, or, without one, to the program that the transfer interrupted. */
  async giveBack(live: LiveCall, transfer: TransferRow, status: 'failed' | 'cancelled'): Promise<void> {
    const { from, target } = legsOf(live, transfer);
    const customer = live.state.legOf('customer');
    if (target) await live.hangupLeg(target.id, Q850.NORMAL_CLEARING);
    if (from) {
      await live.stopPlay(transfer.id);
      await this.#reportToPhone(live, transfer, 'failed');
      await live.bridgeLegs([from, customer].flatMap((leg) => leg?.id ?? []));
      this.#end(live, transfer, status);
      return;
    }
    if (customer) await live.unpark(customer.id);
    this.#end(live, transfer, status);
    live.become();
    await live.program.start(live);
  }

  async end(live: LiveCall, transfer: TransferRow): Promise<void> {
    const { target } = legsOf(live, transfer);
    const q850 = target?.hangup_q850 ?? Q850.NORMAL_CLEARING;
    this.#end(live, transfer, 'failed');
    await live.end({ ...outcomeOfUnanswered(q850), q850 });
  }

  /** @returns false if the engine refused; the customer then stays connected */
  async #parkCustomer(live: LiveCall): Promise<boolean> {
    const customer = live.state.legOf('customer');
    try {
      if (customer) await live.park(customer.id);
      return true;
    } catch (error) {
      if (!(error instanceof EngineError) || error.kind === 'unreachable') throw error;
      live.note('transfer.refused', { kind: error.kind });
      return false;
    }
  }

  /** Reports the outcome to the transferor's phone if the phone requested the transfer, not an API key. */
  async #reportToPhone(live: LiveCall, transfer: TransferRow, outcome: TransferOutcome): Promise<void> {
    const { from } = legsOf(live, transfer);
    if (transfer.requested_by === null && from) await live.reportTransfer(from.id, outcome);
  }

  /** Ends a transfer whose target was not rung. */
  #fail(live: LiveCall, transfer: TransferRow): Promise<void> {
    const { from } = legsOf(live, transfer);
    return from?.status === 'ended' ? this.end(live, transfer) : this.giveBack(live, transfer, 'failed');
  }

  #end(live: LiveCall, transfer: TransferRow, status: 'completed' | 'failed' | 'cancelled'): TransferRow {
    const ended = { ...transfer, status, ended_at: this.calls.clock.now() };
    live.state.putTransfer(ended);
    this.#note(live, ended, `transfer.${status}`);
    return ended;
  }

  #note(live: LiveCall, { id: transfer_id, type }: TransferRow, what: string): void {
    live.note(what, { transfer_id, type });
  }
}
