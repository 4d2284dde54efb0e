import type { TransferRow } from '../../../data/rows.js';
import type { TransferObject } from '../../../model/objects/transfer.js';
import { isoTime } from '../../../model/time.js';

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
