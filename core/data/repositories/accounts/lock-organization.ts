import type { Queryable } from '../../database.js';

/**
 * Waits for other changes of the organization's settings, members, keys and projects; the first lock of each of them, so
 * that none waits for one that waits for it. Calls and other new rows of the organization do not wait.
 */
export async function lockOrganization(tx: Queryable, organizationId: string): Promise<void> {
  await tx.query(`SELECT FROM organizations WHERE id = $1 FOR NO KEY UPDATE`, [organizationId]);
}
