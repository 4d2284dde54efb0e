import { newId } from '../../model/ids.js';
import type { TransferTarget } from '../../model/transfer.js';
import type { LegEvent } from '../../ports/engine.js';
import type { IncomingRouter } from './incoming.js';
import type { LiveCall } from './live-call.js';
import type { Transfers } from './transfers.js';

type TransferRequested = Extract<LegEvent, { type: 'leg.transfer_requested' }>;

/** So long a target is rung that a phone asked for; the transferor gets the customer back after it. */
const RING_SECONDS = 30;

/**
 * Transfers that agents' softphones ask for by themselves (REFER, RFC 3515): blind ones, to where the agent may call. They go the same way as
 * those of the API. An attended one (Replaces) is declined: two calls of the phone's would have to become one behind the back of both.
 */
export class PhoneTransfers {
  constructor(
    private readonly transfers: Transfers,
    private readonly router: Pick<IncomingRouter, 'transferTarget'>,
  ) {}

  async requested(live: LiveCall, event: TransferRequested): Promise<void> {
    const { legId } = event;
    const to = await this.#target(live, event);
    const transferId = newId();
    const outcome = to && (await this.transfers.begin(live, blind(live.callId, transferId, to)));
    if (outcome?.result === 'done') return;
    live.note('transfer.declined', { reason: to ? outcome?.result : 'not_allowed' });
    await live.tellTransfer(legId, 'declined');
  }

  /** Only who talks to the customer may give the customer to somebody else. */
  async #target(live: LiveCall, { legId, dialled }: TransferRequested): Promise<TransferTarget | null> {
    const leg = live.record.leg(legId);
    if (dialled === null || leg?.id !== live.record.legOf('agent')?.id) return null;
    const { aor } = leg?.endpoint as { readonly aor?: string };
    return aor === undefined ? null : this.router.transferTarget(aor, dialled);
  }
}

function blind(callId: string, transferId: string, to: TransferTarget): Parameters<Transfers['begin']>[1] {
  const asked = { type: 'transfer', transferType: 'blind', requestId: transferId, actor: null } as const;
  return { ...asked, callId, transferId, to, ringTimeoutSeconds: RING_SECONDS };
}
