import type { Queryable } from '../../data/database.js';
import type { Members } from '../../data/repositories/accounts/members.js';
import type { UserRow } from '../../data/rows.js';
import { HatifError } from '../../model/errors/index.js';

/**
 * For a change after which the member is no owner, while the organization is locked.
 * @throws HatifError LAST_OWNER if nobody else can act as an owner
 */
export async function assertNotLastOwner(
  members: Pick<Members, 'hasOtherOwner'>,
  tx: Queryable,
  { id, organization_id, role }: UserRow,
): Promise<void> {
  if (role === 'owner' && !(await members.hasOtherOwner(tx, organization_id, id))) throw new HatifError('LAST_OWNER');
}
