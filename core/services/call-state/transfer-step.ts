import type { LegRow, TransferRow } from '../../data/rows.js';
import type { TransferTarget } from '../../model/call/transfer.js';

/** What a running transfer does next. */
export type TransferStep =
  /** Let the target, a queue or call flow, have the customer, and the transferor go. */
  | 'hand_over'
  /** Put the customer on music and ring the target. */
  | 'ring'
  /** Tell that the target rings. */
  | 'tell_ringing'
  /** Let the transferor talk to the target, while the customer hears music. */
  | 'consult'
  /** Join customer and target, and let the transferor go. */
  | 'complete'
  /** The target is not to be had: the customer goes back to where it came from. */
  | 'give_back'
  /** The target is not to be had, and the transferor has gone: the call is over. */
  | 'end'
  | 'wait';

export interface TransferLegs {
  /** The transferor's; null where the customer was alone. */
  readonly from: LegRow | null;
  /** The target's; null while it was not rung. */
  readonly target: LegRow | null;
}

/** Nobody is rung for the customer, who is given away at once. */
export function takesAtOnce({ type }: Pick<TransferTarget, 'type'>): boolean {
  return type === 'queue' || type === 'callflow';
}

/**
 * Decided by where the legs are, not by what happened: so a transfer that somebody else had in hand before goes on in the same way. Each step,
 * once done, is not decided again.
 */
export function nextStep(
  transfer: Pick<TransferRow, 'type' | 'status' | 'destination'>,
  { from, target }: TransferLegs,
): TransferStep {
  if (takesAtOnce(transfer.destination)) return 'hand_over';
  const hasTransferor = from?.status === 'answered';
  if (target === null) return 'ring';
  switch (target.status) {
    case 'created':
      return 'wait';
    case 'ringing':
      return transfer.status === 'initiated' ? 'tell_ringing' : 'wait';
    case 'answered':
      // Who transfers and hangs up has said enough: the target gets the customer.
      if (transfer.type === 'blind' || !hasTransferor) return 'complete';
      return transfer.status === 'consulting' ? 'wait' : 'consult';
    case 'ended':
      return from === null || hasTransferor ? 'give_back' : 'end';
  }
}
