import type { Database, Queryable } from '../../database.js';

/**
 * Runs one change of the organization's settings, members, keys and projects after another. The lock is the first that
 * each of them takes, so that none waits for one that waits for it. Calls and other new rows of the organization do not
 * wait.
 */
export function withLockedOrganization<T>(
  db: Database,
  organizationId: string,
  work: (tx: Queryable) => Promise<T>,
): Promise<T> {
  return db.transaction(async (tx) => {
    await lockOrganization(tx, organizationId);
    return work(tx);
  });
}

/** As {@link withLockedOrganization}, for a transaction that has begun. */
export async function lockOrganization(tx: Queryable, organizationId: string): Promise<void> {
  await tx.query(`SELECT FROM organizations WHERE id = $1 FOR NO KEY UPDATE`, [organizationId]);
}
