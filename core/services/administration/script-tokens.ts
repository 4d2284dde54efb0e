import type { AdministratorTable } from '../../data/repositories/accounts/administrators.js';
import type { AdministratorTokens } from '../../data/repositories/accounts/administrator-tokens.js';
import type { AdministratorTokenRow } from '../../data/rows.js';
import { HatifError, invalidField } from '../../model/errors/index.js';
import { isId, newId } from '../../model/ids.js';
import { hashSecret, visiblePart } from '../../model/access/secrets.js';
import { generateToken } from '../../model/access/tokens.js';
import { arabic } from '../../model/wording/wording.js';
import type { Clock } from '../../ports/clock.js';

export interface ScriptTokensOptions {
  readonly table: AdministratorTable;
  readonly tokens: AdministratorTokens;
  readonly clock: Clock;
}

export interface NewScriptToken {
  /** The address of the administrator whose rights the script has. */
  readonly email: string;
  readonly name: string;
  readonly expiresAt: Date | null;
}

/** A script token as lists show it. The token itself is returned only once, at creation. */
export type ScriptTokenView = Omit<AdministratorTokenRow, 'hash' | 'kind' | 'ip'> & {
  readonly status: 'active' | 'expired' | 'revoked';
};

/** Tokens with which scripts call the routes of administrators. The command and administrators make them. */
export class ScriptTokens {
  constructor(private readonly options: ScriptTokensOptions) {}

  /** @throws HatifError VALIDATION_ERROR */
  async create(wanted: NewScriptToken): Promise<{ readonly token: string; readonly view: ScriptTokenView }> {
    const { table, tokens, clock } = this.options;
    const now = clock.now();
    const name = wanted.name.trim();
    if (name === '' || name.length > 100) {
      throw invalidField('name', { en: 'must be 1 to 100 characters', ar: 'يجب أن يتكوّن من 1 إلى 100 حرف' });
    }
    if (wanted.expiresAt !== null && !(wanted.expiresAt > now)) {
      throw invalidField('expires_at', { en: 'must be in the future', ar: 'يجب أن يكون في المستقبل' });
    }
    const email = wanted.email.trim().toLowerCase();
    const administrator = await table.findByEmail(email);
    if (!administrator) {
      throw invalidField('email', {
        en: `is not the address of an administrator: ${email}`,
        ar: arabic`ليس عنوان أحد المسؤولين: ${email}`,
      });
    }
    const token = generateToken('administrator');
    const row: AdministratorTokenRow = {
      id: newId(),
      administrator_id: administrator.id,
      kind: 'script',
      name,
      prefix: visiblePart(token),
      hash: hashSecret(token),
      ip: '',
      created_at: now,
      last_used_at: now,
      expires_at: wanted.expiresAt,
      revoked_at: null,
    };
    await tokens.create(row);
    return { token, view: viewOf(row, now) };
  }

  /** Oldest first. */
  async list(): Promise<ScriptTokenView[]> {
    const now = this.options.clock.now();
    return (await this.options.tokens.scripts()).map((row) => viewOf(row, now));
  }

  /** Works at once; again it changes nothing. @throws HatifError NOT_FOUND */
  async revoke(id: string): Promise<ScriptTokenView> {
    const { tokens, clock } = this.options;
    const now = clock.now();
    if (isId(id)) await tokens.revoke(id, now);
    const row = isId(id) ? await tokens.get(id) : null;
    if (row?.kind === 'script') return viewOf(row, now);
    throw new HatifError('NOT_FOUND', { what: { en: `the token ${id}`, ar: arabic`الرمز ${id}` } });
  }
}

function viewOf({ hash: _, kind: _kind, ip: _ip, ...row }: AdministratorTokenRow, now: Date): ScriptTokenView {
  const isExpired = row.expires_at !== null && row.expires_at <= now;
  return { ...row, status: row.revoked_at !== null ? 'revoked' : isExpired ? 'expired' : 'active' };
}
