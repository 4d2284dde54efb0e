import type { TransferRow } from '../../../data/rows.js';
import { isoTime } from '../../../model/time.js';
import type { TransferStatus, TransferTarget, TransferType } from '../../../model/call/transfer.js';

/** A transfer as the API and its webhooks show it. */
export interface TransferObject {
  readonly transfer_id: string;
  readonly call_id: string;
  readonly type: TransferType;
  readonly to: TransferTarget;
  readonly status: TransferStatus;
  readonly created_at: string;
  readonly ended_at: string | null;
}

export function presentTransfer(row: TransferRow): TransferObject {
  const { type, target } = row.destination;
  return {
    transfer_id: row.id,
    call_id: row.call_id,
    type: row.type,
    to: { type, target },
    status: row.status,
    created_at: isoTime(row.created_at),
    ended_at: isoTime(row.ended_at),
  };
}
