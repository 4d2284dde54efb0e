import type { TransferStatus, TransferTarget, TransferType } from '../../model/call/transfer.js';

/**
 * A transfer of a call to another party. When it completes, the target's leg becomes an agent leg.
 */
export interface TransferRow {
  readonly id: string;
  readonly call_id: string;
  readonly project_id: string;
  readonly type: TransferType;
  readonly destination: TransferTarget;
  readonly ring_timeout_seconds: number;
  readonly status: TransferStatus;
  /** The leg of the transferring party; null if the customer was alone. */
  readonly from_leg_id: string | null;
  /** The target's leg; null before it is rung. */
  readonly leg_id: string | null;
  /** The target's extension once it is rung; null if the target is not an agent. */
  readonly agent: string | null;
  /** Id of the API key; null if the transferring phone requested it. */
  readonly requested_by: string | null;
  readonly request_id: string;
  readonly created_at: Date;
  readonly ended_at: Date | null;
}
