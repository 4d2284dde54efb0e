import type { Queryable } from '../../database.js';

/** Messages that a project accepted in one minute. */
export interface MessageMinute {
  readonly minute: Date;
  readonly count: number;
}

/**
 * The minutes since a time in which a project accepted messages, oldest first. Until the end of the transaction no other
 * one counts messages of the project.
 */
export async function lockMessageMinutes(tx: Queryable, projectId: string, since: Date): Promise<MessageMinute[]> {
  await tx.query(`SELECT pg_advisory_xact_lock(hashtextextended($1, 0))`, [`messages ${projectId}`], {
    prepared: true,
  });
  return tx.query<MessageMinute>(
    `SELECT minute, count FROM message_minutes WHERE project_id = $1 AND minute > $2 ORDER BY minute`,
    [projectId, since],
    { prepared: true },
  );
}

/** Counts messages, and forgets minutes up to a time. The caller has locked them. */
export async function addMessageMinute(
  tx: Queryable,
  projectId: string,
  { minute, count }: MessageMinute,
  forgottenUntil: Date,
): Promise<void> {
  await tx.query(
    `WITH forgotten AS (DELETE FROM message_minutes WHERE project_id = $1 AND minute <= $4)
     INSERT INTO message_minutes AS known (project_id, minute, count) VALUES ($1, $2, $3)
     ON CONFLICT (project_id, minute) DO UPDATE SET count = known.count + excluded.count`,
    [projectId, minute, count, forgottenUntil],
    { prepared: true },
  );
}
