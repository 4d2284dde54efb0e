import type { MessageSenderRow } from '../../core/data/rows.js';
import { reader, type Wire } from '../../core/model/wire.js';
import type { Platform } from '../common/platform.js';
import { segment, type AdminClient } from './client.js';

const read = reader<MessageSenderRow>({ created_at: true, decided_at: true });

/** Names under which messages are sent. */
export function remoteSenders(client: AdminClient): Platform['messageSenders'] {
  const path = (id: string): string => `/message-senders/${segment(id)}`;
  return {
    waiting: async () => {
      const rows = await client.all<Wire<MessageSenderRow>>('/message-senders', { status: 'pending' });
      return rows.map(read).sort((one, other) => one.id.localeCompare(other.id));
    },
    approve: async (id) => read(await client.send('POST', `${path(id)}/approve`)),
    reject: async (id, reason) => read(await client.send('POST', `${path(id)}/reject`, { reason })),
  };
}
