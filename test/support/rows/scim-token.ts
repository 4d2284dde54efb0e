import type { Database } from '../../../core/data/database.js';
import { ScimTokens } from '../../../core/data/repositories/scim/tokens.js';
import { hashSecret, visiblePart } from '../../../core/model/access/secrets.js';
import { generateToken } from '../../../core/model/access/tokens.js';
import { newId } from '../../../core/model/ids.js';

/** Gives the organization a token for its directory. */
export async function addScimToken(db: Database, organizationId: string): Promise<string> {
  const token = generateToken('scim');
  await new ScimTokens(db).put({
    ...{ id: newId(), organization_id: organizationId, prefix: visiblePart(token), hash: hashSecret(token) },
    ...{ keys_of_leavers: 'revoke', created_at: new Date(), last_used_at: null },
  });
  return token;
}
