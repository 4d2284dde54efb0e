import { Q850 } from '../../../model/call/hangup-cause.js';
import type { TransferRow } from '../../../data/rows.js';
import { MAX_TRANSFERS } from '../../../model/call/transfer.js';
import type { CallCommand, CommandOutcome } from '../../../ports/command-bus.js';
import type { LegEvent } from '../../../ports/engine-events.js';
import type { LiveCall } from '../call/live-call.js';
import type { LiveCalls } from '../registry/live-calls.js';
import { guardSetup, SETUP_GRACE_MS } from '../outbound/origination.js';
import { legsOf, TransferMoves, wantedLeg } from './transfer-moves.js';
import { awayBrowsersOf } from '../../call-state/away-browsers.js';
import { nextStep, takesImmediately } from '../../call-state/transfer-step.js';

type Begin = Extract<CallCommand, { type: 'transfer' }>;
type Finish = Extract<CallCommand, { type: 'finish_transfer' }>;

/** Transfers live calls to other parties. Every method runs in the call's turn. */
export class Transfers {
  readonly #moves: TransferMoves;

  constructor(private readonly calls: LiveCalls) {
    this.#moves = new TransferMoves(calls);
  }

  /** Resolves when the transfer is stored; the target is rung after that. */
  async begin(live: LiveCall, command: Begin): Promise<CommandOutcome> {
    const { state } = live;
    const refused = await this.#refusal(live, command);
    if (refused) return refused;
    const from = state.legOf('agent');
    state.putTransfer({
      id: command.transferId,
      call_id: live.callId,
      project_id: state.row.project_id,
      type: command.transferType,
      destination: command.to,
      ring_timeout_seconds: command.ringTimeoutSeconds,
      status: 'initiated',
      from_leg_id: from?.id ?? null,
      leg_id: null,
      agent: null,
      requested_by: command.actor,
      request_id: command.requestId,
      created_at: this.calls.clock.now(),
      ended_at: null,
    });
    this.#noteCommand(live, 'control.transfer', command);
    // Whatever the outcome of the transfer, two parties talk after it, so the program is over.
    if (from) live.become({ type: 'talk' });
    await this.calls.commit(live);
    this.calls.run(live.callId, async () => {
      await this.advance(live);
      await this.calls.settle(live);
    });
    return { result: 'done' };
  }

  async #refusal(live: LiveCall, { transferId, transferType, to, actor }: Begin): Promise<CommandOutcome | null> {
    const { state } = live;
    if (state.isFinal) return { result: 'not_active' };
    if (this.calls.engine.status.status === 'unreachable') return { result: 'not_controllable' };
    if (live.status !== 'answered') return { result: 'not_answered' };
    if (state.transfers.some(({ id }) => id === transferId)) return { result: 'done' };
    if (state.transfer) return { result: 'transfer_in_progress' };
    if (state.conference) return { result: 'in_conference', conferenceId: state.conference.id };
    // The customer is hearing the recording announcement, which comes first.
    if (live.announcing) return { result: 'not_controllable' };
    const from = state.legOf('agent');
    if (awayBrowsersOf(state.row).length > 0) return { result: 'leg_not_connected' };
    if (from ? from.status !== 'answered' : transferType === 'attended') return { result: 'leg_not_connected' };
    if (state.transfers.filter(({ status }) => status === 'completed').length >= MAX_TRANSFERS) {
      return { result: 'transfer_limit' };
    }
    // A removed queue sends its callers on itself, and a flow reports them.
    if (takesImmediately(to)) return null;
    const route = await live.admit({ ...wantedLeg(live, to, actor), isTrial: true });
    return 'refused' in route ? { result: 'no_route' } : null;
  }

  /**
   * Complete: the transferor is released; if the target is still ringing, the transfer becomes a blind one. Cancel: the
   * customer goes back. A repeat does nothing.
   */
  async finish(live: LiveCall, command: Finish): Promise<CommandOutcome> {
    const { state } = live;
    const { how, transferId } = command;
    const wanted = state.transfers.find(({ id }) => id === transferId);
    if (!wanted) return { result: 'no_transfer' };
    if (wanted.ended_at !== null) return { result: wanted.status === ENDS_AS[how] ? 'done' : 'no_transfer' };
    if (this.calls.engine.status.status === 'unreachable') return { result: 'not_controllable' };
    const { from } = legsOf(live, wanted);
    if (how === 'cancel' && from && from.status !== 'answered') return { result: 'leg_not_connected' };
    this.#noteCommand(live, `control.transfer_${how}`, command);
    if (how === 'cancel') await this.#moves.giveBack(live, wanted, 'cancelled');
    else if (wanted.status === 'consulting') await this.#moves.complete(live, wanted);
    else if (from) await live.hangupLeg(from.id, Q850.NORMAL_CLEARING);
    return { result: 'done' };
  }

  /**
   * Runs after an event or an outage: advances a running transfer as far as possible.
   * @returns whether the transfer handled the event, so that the call's program does not
   */
  async advance(live: LiveCall): Promise<boolean> {
    const { state } = live;
    if (state.transfers.length === 0) return false;
    if (state.isFinal) {
      for (const leg of state.legs) await live.hangupLeg(leg.id, Q850.NORMAL_CLEARING);
      return true;
    }
    if (!state.transfer) return false;
    const left = await this.#advance(live);
    if (left) this.#guard(live, left);
    else this.calls.guard(live.callId, null);
    return true;
  }

  /** @returns the transfer if it is still running */
  async #advance(live: LiveCall): Promise<TransferRow | undefined> {
    for (;;) {
      const { transfer } = live.state;
      // In a call that is being ended, hang-ups no longer decide about the transfer.
      if (!transfer || live.ending !== null || !(await this.#step(live, transfer))) return live.state.transfer;
    }
  }

  /** @returns whether another step may follow */
  async #step(live: LiveCall, transfer: TransferRow): Promise<boolean> {
    switch (nextStep(transfer, legsOf(live, transfer))) {
      case 'hand_over':
        await this.#moves.handOver(live, transfer);
        return false;
      case 'ring':
        await this.#moves.ring(live, transfer);
        return true;
      case 'tell_ringing':
        this.#moves.reportRinging(live, transfer);
        return true;
      case 'consult':
        await this.#moves.consult(live, transfer);
        return true;
      case 'complete':
        await this.#moves.complete(live, transfer);
        return false;
      case 'give_back':
        await this.#moves.giveBack(live, transfer, 'failed');
        return false;
      case 'end':
        await this.#moves.end(live, transfer);
        return false;
      case 'wait':
        return false;
    }
  }

  /** Passes an event to the running transfer, or else to the call's program. */
  readonly show = async (live: LiveCall, event: LegEvent): Promise<void> => {
    if (live.isSupervisors(event.legId)) return;
    if (!(await this.advance(live))) await live.program.onLegEvent(live, event);
  };

  #guard(live: LiveCall, transfer: TransferRow): void {
    const { target } = legsOf(live, transfer);
    if (target?.status !== 'created' && target?.status !== 'ringing') {
      this.calls.guard(live.callId, null);
      return;
    }
    const endsMs = target.created_at.getTime() + transfer.ring_timeout_seconds * 1000 + SETUP_GRACE_MS;
    const waitMs = Math.max(0, endsMs - this.calls.clock.now().getTime());
    guardSetup(this.calls, live, target.id, waitMs, this.show);
  }

  #noteCommand(live: LiveCall, type: string, { transferId, actor, requestId }: Begin | Finish): void {
    live.note(type, { transfer_id: transferId, actor, request_id: requestId });
  }
}

const ENDS_AS = { complete: 'completed', cancel: 'cancelled' } as const;
