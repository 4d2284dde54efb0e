import type { LegRow, TransferRow } from '../../data/rows.js';
import type { TransferTarget } from '../../model/call/transfer.js';

/** What a running transfer does next. */
export type TransferStep =
  /** Give the customer to the target, a queue or call flow, and release the transferor. */
  | 'hand_over'
  /** Play music to the customer and ring the target. */
  | 'ring'
  /** Report that the target rings. */
  | 'tell_ringing'
  /** Connect the transferor to the target, while the customer hears music. */
  | 'consult'
  /** Bridge customer and target, and release the transferor. */
  | 'complete'
  /** The target is unavailable: return the customer to where it came from. */
  | 'give_back'
  /** The target is unavailable and the transferor has left: end the call. */
  | 'end'
  | 'wait';

export interface TransferLegs {
  /** The transferor's leg; null if the customer was alone. */
  readonly from: LegRow | null;
  /** The target's leg; null until it is rung. */
  readonly target: LegRow | null;
}

/** Whether the target takes the customer immediately, without ringing anyone first. */
export function takesImmediately({ type }: Pick<TransferTarget, 'type'>): boolean {
  return type === 'queue' || type === 'callflow';
}

/**
 * Chosen from the state of the legs, not from events, so that another process can continue the transfer. A completed
 * step is not chosen again.
 */
export function nextStep(
  transfer: Pick<TransferRow, 'type' | 'status' | 'destination'>,
  { from, target }: TransferLegs,
): TransferStep {
  if (takesImmediately(transfer.destination)) return 'hand_over';
  const hasTransferor = from?.status === 'answered';
  if (target === null) return 'ring';
  switch (target.status) {
    case 'created':
      return 'wait';
    case 'ringing':
      return transfer.status === 'initiated' ? 'tell_ringing' : 'wait';
    case 'answered':
      // A transferor who hangs up hands the customer to the target.
      if (transfer.type === 'blind' || !hasTransferor) return 'complete';
      return transfer.status === 'consulting' ? 'wait' : 'consult';
    case 'ended':
      return from === null || hasTransferor ? 'give_back' : 'end';
  }
}
