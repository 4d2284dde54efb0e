import type { TransferStatus, TransferTarget, TransferType } from '../../model/call/transfer.js';

/** A call is given, or was to be given, to another party. Its target's leg is an agent's from its completion on. */
export interface TransferRow {
  readonly id: string;
  readonly call_id: string;
  readonly project_id: string;
  readonly type: TransferType;
  readonly destination: TransferTarget;
  readonly ring_timeout_seconds: number;
  readonly status: TransferStatus;
  /** Whose party transfers; null where the customer was alone. */
  readonly from_leg_id: string | null;
  /** The target's; null while it was not rung. */
  readonly leg_id: string | null;
  /** The extension behind the target, once it is rung; null for others. */
  readonly agent: string | null;
  /** The API key; null: the transferor's phone itself. */
  readonly requested_by: string | null;
  readonly request_id: string;
  readonly created_at: Date;
  readonly ended_at: Date | null;
}
