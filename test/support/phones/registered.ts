import type { Queryable } from '../../../core/data/database.js';
import { eventually } from '../eventually.js';

/** Resolves when queues and calls see the softphone as registered, or as not registered. */
export function untilRegistered(
  db: Pick<Queryable, 'query'>,
  aor: string,
  is = true,
  limitMs?: number,
): Promise<unknown> {
  const query = 'SELECT FROM softphone_registrations WHERE aor = $1';
  return eventually(
    async () => (await db.query(query, [aor])).length > 0 === is,
    `${aor} is ${is ? '' : 'not '}registered`,
    limitMs,
  );
}
