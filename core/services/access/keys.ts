import type { Keys } from '../../data/repositories/accounts/keys.js';
import type { Projects } from '../../data/repositories/accounts/projects.js';
import type { KeyRow } from '../../data/rows.js';
import { HatifError, invalidField } from '../../model/errors/index.js';
import { newId } from '../../model/ids.js';
import { generateKey, hashKey, parseKey, type KeyKind } from '../../model/access/keys.js';
import { DEFAULT_SCOPES, isScope, type Scope } from '../../model/access/scopes.js';
import type { Clock } from '../../ports/clock.js';
import { readRange } from './authenticate.js';

export interface NewKey {
  readonly projectId: string;
  readonly name: string;
  readonly kind: KeyKind;
  /** Default: every scope except `pii:read`. */
  readonly scopes?: readonly string[];
  /** Addresses and CIDR ranges; an empty list allows every address. */
  readonly allowedIps?: readonly string[];
  /** Overrides the default of the key's kind. */
  readonly rateLimitPerMinute?: number | null;
  readonly expiresAt?: Date | null;
}

/** A key as lists show it. The key text itself is returned only once, at creation. */
export interface KeyView {
  readonly id: string;
  readonly project_id: string;
  readonly name: string;
  readonly kind: KeyKind;
  readonly prefix: string;
  readonly status: 'active' | 'expired' | 'revoked';
  readonly scopes: readonly string[];
  readonly allowed_ips: readonly string[];
  readonly rate_limit_per_minute: number | null;
  readonly expires_at: Date | null;
  readonly revoked_at: Date | null;
  readonly last_used_at: Date | null;
  readonly created_at: Date;
}

export interface KeyServiceOptions {
  readonly keys: Keys;
  readonly projects: Projects;
  readonly clock: Clock;
  /** Called after a revocation, so that this process clears its cache of keys. */
  readonly onRevoked?: () => void;
}

const PHRASES = {
  name: { en: 'must be 1 to 100 characters', ar: 'يجب أن يتكوّن من 1 إلى 100 حرف' },
  scopes: { en: 'must name at least one scope', ar: 'يجب أن يحتوي على نطاق صلاحية واحد على الأقل' },
  address: { en: 'must be an IP address or a CIDR range', ar: 'يجب أن يكون عنوان IP أو نطاق CIDR' },
  limit: { en: 'must be a whole number above 0', ar: 'يجب أن يكون عددًا صحيحًا أكبر من 0' },
  past: { en: 'must be in the future', ar: 'يجب أن يكون في المستقبل' },
};

/** Creates, lists and revokes the API keys of projects. */
export class KeyService {
  constructor(private readonly options: KeyServiceOptions) {}

  /**
   * Creates a key. This is the only time that `key` is returned: the platform stores only its hash.
   * @throws HatifError PROJECT_NOT_FOUND, INVALID_SCOPE, VALIDATION_ERROR.
   */
  async create(input: NewKey): Promise<{ readonly key: string; readonly view: KeyView }> {
    const now = this.options.clock.now();
    const scopes = readScopes(input.scopes ?? DEFAULT_SCOPES);
    checkKey(input, now);
    const project = await this.options.projects.get(input.projectId);
    if (project === null) throw new HatifError('PROJECT_NOT_FOUND', { project_id: input.projectId });
    const key = generateKey(input.kind);
    const row: KeyRow = {
      id: newId(),
      project_id: project.id,
      organization_id: project.organization_id,
      name: input.name.trim(),
      kind: input.kind,
      prefix: parseKey(key)?.prefix ?? '',
      hash: hashKey(key),
      scopes,
      allowed_ips: input.allowedIps ?? [],
      rate_limit_per_minute: input.rateLimitPerMinute ?? null,
      expires_at: input.expiresAt ?? null,
      revoked_at: null,
      last_used_at: null,
      created_at: now,
    };
    await this.options.keys.create(row);
    return { key, view: keyViewOf(row, now) };
  }

  /** Returns a project's keys, oldest first. */
  async list(projectId: string): Promise<KeyView[]> {
    const now = this.options.clock.now();
    return (await this.options.keys.listByProject(projectId)).map((row) => keyViewOf(row, now));
  }

  /**
   * Revokes a key for good; revoking it again changes nothing. Other processes refuse it within seconds.
   * @throws HatifError API_KEY_NOT_FOUND.
   */
  async revoke(projectId: string, keyId: string): Promise<KeyView> {
    const now = this.options.clock.now();
    await this.options.keys.revoke(projectId, keyId, now);
    this.options.onRevoked?.();
    const row = (await this.options.keys.listByProject(projectId)).find(({ id }) => id === keyId);
    if (row === undefined) throw new HatifError('API_KEY_NOT_FOUND', { key_id: keyId });
    return keyViewOf(row, now);
  }
}

/** @throws HatifError INVALID_SCOPE with every unknown one; VALIDATION_ERROR if there is none */
export function readScopes(given: readonly string[]): Scope[] {
  if (given.length === 0) throw invalidField('scopes', PHRASES.scopes);
  const unknown = given.filter((scope) => !isScope(scope));
  if (unknown.length > 0) throw new HatifError('INVALID_SCOPE', { scope: unknown.join(', ') });
  return [...new Set(given.filter(isScope))];
}

/** The highest number that the database stores. */
const MOST_REQUESTS = 2_147_483_647;

/** @throws HatifError VALIDATION_ERROR */
export function checkKey(
  { name, allowedIps = [], rateLimitPerMinute = null, expiresAt = null }: Omit<NewKey, 'projectId' | 'kind' | 'scopes'>,
  now: Date,
): void {
  const { length } = name.trim();
  if (length < 1 || length > 100) throw invalidField('name', PHRASES.name);
  for (const [index, address] of allowedIps.entries()) {
    if (readRange(address) === null) throw invalidField(`allowed_ips[${index}]`, PHRASES.address);
  }
  if (rateLimitPerMinute !== null && !isLimit(rateLimitPerMinute)) {
    throw invalidField('rate_limit_per_minute', PHRASES.limit);
  }
  if (expiresAt !== null && !(expiresAt > now)) throw invalidField('expires_at', PHRASES.past);
}

function isLimit(requests: number): boolean {
  return Number.isInteger(requests) && requests > 0 && requests <= MOST_REQUESTS;
}

/** A key as lists show it. */
export function keyViewOf({ hash: _hash, organization_id: _organization, ...row }: KeyRow, now: Date): KeyView {
  const expired = row.expires_at !== null && row.expires_at <= now;
  return { ...row, status: row.revoked_at !== null ? 'revoked' : expired ? 'expired' : 'active' };
}
