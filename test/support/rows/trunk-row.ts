import type { TrunkRow } from '../../../core/data/rows.js';
import { newId } from '../../../core/model/ids.js';

/** The default trunk, which also accepts foreign numbers, to a carrier on this machine. */
export function trunkRow(name: string, changes: Partial<TrunkRow> = {}): TrunkRow {
  return {
    id: newId(),
    name,
    host: '127.0.0.1',
    port: 5080,
    transport: 'udp',
    username: null,
    password: null,
    inbound_addresses: [],
    foreign_numbers: true,
    is_default: true,
    probed: true,
    created_at: new Date(),
    ...changes,
  };
}
