import type { Queryable } from '../../database.js';

/** A part of an incoming message in several parts. */
export interface MessageFragmentRow {
  readonly provider: string;
  readonly sender: string;
  readonly recipient: string;
  readonly reference: number;
  readonly total: number;
  readonly part: number;
  /** UTF-16 in base64: a part may end within a character, which no text column takes. */
  readonly body: string;
  readonly received_at: Date;
}

/**
 * Stores a part; one that comes twice is stored once.
 * @returns the bodies of all parts in their order, which are then forgotten; null while some are missing
 */
export async function completeFragments(tx: Queryable, row: MessageFragmentRow): Promise<readonly string[] | null> {
  const { provider, sender, recipient, reference, total } = row;
  const series = [provider, sender, recipient, reference, total];
  // The last two parts may come at the same moment.
  await tx.query(`SELECT pg_advisory_xact_lock(hashtextextended($1, 0))`, [JSON.stringify(series)]);
  await tx.query(
    `INSERT INTO message_fragments SELECT * FROM jsonb_populate_record(NULL::message_fragments, $1)
     ON CONFLICT DO NOTHING`,
    [JSON.stringify(row)],
  );
  const [found] = await tx.query<{ bodies: string[] }>(
    `SELECT array_agg(body ORDER BY part) AS bodies FROM message_fragments
     WHERE provider = $1 AND sender = $2 AND recipient = $3 AND reference = $4 AND total = $5`,
    series,
  );
  if (found?.bodies.length !== total) return null;
  await tx.query(
    `DELETE FROM message_fragments
     WHERE provider = $1 AND sender = $2 AND recipient = $3 AND reference = $4 AND total = $5`,
    series,
  );
  return found.bodies;
}
