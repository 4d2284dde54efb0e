import type { Queryable } from '../../database.js';
import { recordsetOf, recordsetValues } from '../../recordset.js';
import type { MessageRow, MessageThreadRow } from '../../rows.js';
import type { Channel } from '../../../model/messaging/channels.js';
import type { ProjectKind } from '../project-kind.js';
import type { ThreadTouch } from './messages.js';

/** Who wrote last in the conversations of a project with these people, by address. */
export async function lastSenders(
  on: Queryable,
  { projectId, sandbox }: ProjectKind,
  channel: Channel,
  addresses: readonly string[],
): Promise<ReadonlyMap<string, Pick<MessageThreadRow, 'sender'>>> {
  const rows = await on.query<Pick<MessageThreadRow, 'address' | 'sender'>>(
    `SELECT address, sender FROM message_threads
     WHERE project_id = $1 AND channel = $2 AND address = ANY ($3::text[]) AND sandbox = $4`,
    [projectId, channel, addresses, sandbox],
    { prepared: true },
  );
  return new Map(rows.map((row) => [row.address, row]));
}

/**
 * Adds to conversations, as Messages.touchThread does for one.
 * @param touches of different people
 * @returns the ids of the conversations, by address
 */
export async function touchThreads(
  tx: Queryable,
  touches: readonly ThreadTouch[],
): Promise<ReadonlyMap<string, string>> {
  // In one order, so that two transactions never wait for each other.
  const ordered = touches.toSorted((one, other) => (one.address < other.address ? -1 : 1));
  const rows = await tx.query<Pick<MessageThreadRow, 'id' | 'address'>>(
    `INSERT INTO message_threads AS thread
       (id, organization_id, project_id, sandbox, channel, address, sender, agent, last_message_at, created_at)
     SELECT id, organization_id, project_id, sandbox, channel, address, sender, agent, last_message_at, last_message_at
     FROM ${recordsetOf('message_threads')}
     ON CONFLICT (project_id, channel, address, sandbox) DO UPDATE SET
       last_message_at = greatest(thread.last_message_at, excluded.last_message_at),
       sender = coalesce(excluded.sender, thread.sender), agent = coalesce(thread.agent, excluded.agent)
     RETURNING id, address`,
    recordsetValues(ordered),
    { prepared: true },
  );
  return new Map(rows.map(({ id, address }) => [address, id]));
}

export async function addMessages(tx: Queryable, rows: readonly MessageRow[]): Promise<void> {
  await tx.query(`INSERT INTO messages SELECT * FROM ${recordsetOf('messages')}`, recordsetValues(rows), {
    prepared: true,
  });
}
