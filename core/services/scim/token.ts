import type { ScimTokens } from '../../data/repositories/scim/tokens.js';
import type { ScimTokenRow } from '../../data/rows.js';
import { hashSecret, visiblePart } from '../../model/access/secrets.js';
import { generateToken } from '../../model/access/tokens.js';
import { HatifError } from '../../model/errors/index.js';
import { newId } from '../../model/ids.js';
import type { Clock } from '../../ports/clock.js';
import { assertOfAllProjects, type ActingMember } from '../accounts/acting-member.js';

export interface ScimTokenServiceOptions {
  readonly tokens: ScimTokens;
  readonly clock: Clock;
  /** Called after a change, so that this process refuses the old token at once. */
  readonly onChanged: () => void;
}

const NONE = { en: 'a SCIM token of the organization', ar: 'رمز SCIM للمؤسسة' };

/** The token with which a directory provisions an organization: one at a time, shown once. */
export class ScimTokenService {
  constructor(private readonly options: ScimTokenServiceOptions) {}

  /** @throws HatifError NOT_FOUND, INSUFFICIENT_ROLE */
  async get(actor: ActingMember): Promise<ScimTokenRow> {
    assertOfAllProjects(actor);
    const row = await this.options.tokens.get(actor.organizationId);
    if (row === null) throw new HatifError('NOT_FOUND', { what: NONE });
    return row;
  }

  /** Makes a token in place of the one before, which stops working. @throws HatifError INSUFFICIENT_ROLE */
  async renew(
    actor: ActingMember,
    keysOfLeavers: ScimTokenRow['keys_of_leavers'],
  ): Promise<{ readonly row: ScimTokenRow; readonly token: string }> {
    assertOfAllProjects(actor);
    const { tokens, clock, onChanged } = this.options;
    const token = generateToken('scim');
    const row: ScimTokenRow = {
      id: newId(),
      organization_id: actor.organizationId,
      prefix: visiblePart(token),
      hash: hashSecret(token),
      keys_of_leavers: keysOfLeavers,
      created_at: clock.now(),
      last_used_at: null,
    };
    await tokens.put(row);
    onChanged();
    return { row, token };
  }

  /** Members and groups stay as the directory left them. @throws HatifError NOT_FOUND, INSUFFICIENT_ROLE */
  async remove(actor: ActingMember): Promise<void> {
    assertOfAllProjects(actor);
    const { tokens, onChanged } = this.options;
    const removed = await tokens.remove(actor.organizationId);
    onChanged();
    if (!removed) throw new HatifError('NOT_FOUND', { what: NONE });
  }
}
