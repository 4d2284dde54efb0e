import type { LegRow } from '../../../data/rows.js';
import { Q850 } from '../../../model/call/hangup-cause.js';
import { newId } from '../../../model/ids.js';
import type { TransferTarget } from '../../../model/call/transfer.js';
import type { LegEvent } from '../../../ports/engine-events.js';
import type { IncomingRoutes } from '../routing/incoming.js';
import type { LiveCall } from '../call/live-call.js';
import type { LiveCalls } from '../registry/live-calls.js';
import type { Transfers } from './transfers.js';

type TransferRequested = Extract<LegEvent, { type: 'leg.transfer_requested' }>;

/** Ring timeout for transfers requested by a phone; then the transferor gets the customer back. */
const RING_SECONDS = 30;

/**
 * Transfers that agents' softphones request themselves (REFER, RFC 3515), to any party that the agent may call. They
 * take the same path as API transfers. An agent of another project, who is only a party to the call, may not transfer
 * it: the call's own project would pay.
 *
 * An attended transfer (Replaces) is declined unless it is allowed by configuration. If it is, the call with the
 * consulted party is ended and the customer is transferred blind to that party, whose phone rings once more. Merging
 * the phone's two calls would need one owner process for both.
 */
export class PhoneTransfers {
  constructor(
    private readonly calls: LiveCalls,
    private readonly transfers: Transfers,
    private readonly router: Pick<IncomingRoutes, 'transferTarget'>,
    private readonly allowsAttended: boolean,
  ) {}

  async requested(live: LiveCall, event: TransferRequested): Promise<void> {
    const aor = aorOfAgent(live, event.legId);
    const consulted = event.dialled === null && aor !== undefined ? this.#consulted(live, event, aor) : null;
    const dialled = event.dialled ?? (consulted && partyOf(consulted));
    const to =
      aor === undefined || dialled === null
        ? null
        : await this.router.transferTarget(aor, dialled, live.state.row.project_id);
    if (!to || !consulted) return this.#transferOrDecline(live, event.legId, to);
    // The consulted party must be free before it is rung. No serial executor waits for another: each call continues in
    // its own.
    this.calls.run(consulted.callId, async () => {
      consulted.note('transfer.consulted', { call_id: live.callId });
      await consulted.end({ q850: Q850.NORMAL_CLEARING, status: 'cancelled', disposition: 'cancelled' });
      await this.calls.settle(consulted);
      this.calls.run(live.callId, async () => {
        await this.#transferOrDecline(live, event.legId, to);
        await this.calls.settle(live);
      });
    });
  }

  /** Transfers the customer, or reports to the phone that the transfer was declined. */
  async #transferOrDecline(live: LiveCall, legId: string, to: TransferTarget | null): Promise<void> {
    const outcome = to && (await this.transfers.begin(live, blind(live.callId, newId(), to)));
    if (outcome?.result === 'done') return;
    live.note('transfer.declined', { reason: to ? outcome?.result : 'not_allowed' });
    await live.reportTransfer(legId, 'declined');
  }

  /** The other call of the same phone, if it may be treated as a consultation. */
  #consulted(live: LiveCall, { replaces }: TransferRequested, aor: string): LiveCall | null {
    const other = this.calls.get(this.calls.callOfLeg(replaces ?? '') ?? '');
    if (!this.allowsAttended || !other || other === live || other.status !== 'answered') return null;
    const isSame =
      other.state.row.project_id === live.state.row.project_id && aorOf(other.state.leg(replaces ?? '')) === aor;
    return isSame ? other : null;
  }
}

/**
 * Returns the phone of the agent who talks to the customer. @returns undefined for any other leg, which may not
 * transfer the customer
 */
function aorOfAgent({ state }: LiveCall, legId: string): string | undefined {
  const agent = state.legOf('agent');
  return agent?.id === legId ? aorOf(agent) : undefined;
}

function aorOf(leg: LegRow | undefined): string | undefined {
  return (leg?.endpoint as { readonly aor?: string } | undefined)?.aor;
}

/** The number or extension that the agent had dialled. */
function partyOf({ state }: LiveCall): string | null {
  const { direction, customer_number, agent } = state.row;
  return direction === 'outbound' ? customer_number : agent;
}

function blind(callId: string, transferId: string, to: TransferTarget): Parameters<Transfers['begin']>[1] {
  const base = { type: 'transfer', transferType: 'blind', requestId: transferId, actor: null } as const;
  return { ...base, callId, transferId, to, ringTimeoutSeconds: RING_SECONDS };
}
