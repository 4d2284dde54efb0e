import type { TrunkRow } from '../../../core/data/rows.js';
import { newId } from '../../../core/model/ids.js';
import { NEW_TRUNK } from '../../../core/services/trunks/settings.js';

/** The default trunk, which also accepts foreign numbers, to a carrier on this machine. */
export function trunkRow(name: string, changes: Partial<TrunkRow> = {}): TrunkRow {
  return {
    ...NEW_TRUNK,
    id: newId(),
    name,
    host: '127.0.0.1',
    port: 5080,
    transport: 'udp',
    is_default: true,
    created_at: new Date(),
    ...changes,
  };
}
