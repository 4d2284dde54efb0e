import type { Queryable } from '../../data/database.js';
import type { KeptKeyRow, KeyChanges, KeyGround, MemberKeys } from '../../data/repositories/accounts/member-keys.js';
import type { Cipher } from '../../model/access/cipher.js';
import { generateKey, hashKey, KEPT_SECRET_DAYS, type KeyKind } from '../../model/access/keys.js';
import { permissionsOf } from '../../model/access/roles.js';
import { visiblePart } from '../../model/access/secrets.js';
import { DEFAULT_SCOPES, type Scope } from '../../model/access/scopes.js';
import { HatifError, type Phrase } from '../../model/errors/index.js';
import { newId } from '../../model/ids.js';
import type { Clock } from '../../ports/clock.js';
import { checkKey, keyViewOf, readScopes, type KeyView } from '../access/keys.js';
import { lacks, type ActingMember } from './acting-member.js';
import { isRecent } from './confirmation.js';

export interface NewMemberKey {
  readonly projectId: string;
  readonly name: string;
  readonly kind: KeyKind;
  /** Default: the default scopes that the member's role has. */
  readonly scopes?: readonly string[] | undefined;
  readonly allowedIps?: readonly string[] | undefined;
  readonly expiresAt?: Date | null | undefined;
}

/** An omitted or undefined member is left unchanged. */
export interface KeyChange {
  readonly name?: string | undefined;
  readonly scopes?: readonly string[] | undefined;
  readonly allowedIps?: readonly string[] | undefined;
  readonly expiresAt?: Date | null | undefined;
}

/** A key as members see it. */
export interface MemberKeyView extends KeyView {
  /** Until when the secret can be revealed; null: it cannot. */
  readonly revealable_until: Date | null;
}

/** The secret is returned only here. */
export interface KeyWithSecret {
  readonly view: MemberKeyView;
  readonly secret: string;
}

/** A member who wants to see a secret. */
export interface Revealer extends ActingMember {
  /** When the member last proved who it is in this session. */
  readonly confirmedAt: Date | null;
  /** Whether an administrator of the installation acts as the member. */
  readonly impersonated: boolean;
}

export interface MemberKeyServiceOptions {
  readonly keys: MemberKeys;
  readonly cipher: Cipher;
  readonly clock: Clock;
  /** Whether the organization lets keys be revealed. */
  readonly revealAllowed: (organizationId: string) => Promise<boolean>;
  /** Called after a change, so that this process asks the database again for keys. */
  readonly onChanged: () => void;
}

const KEPT_MS = KEPT_SECRET_DAYS * 86_400_000;

const FORBIDDEN = {
  off: { en: 'the organization does not allow it', ar: 'لا تسمح به المؤسسة' },
  role: { en: 'your role does not allow it', ar: 'لا يسمح به دورك' },
  unconfirmed: {
    en: 'you did not confirm in the last 5 minutes that it is you',
    ar: 'لم تؤكد هويتك خلال آخر 5 دقائق',
  },
} as const satisfies Record<string, Phrase>;

/** Creates, lists, changes, rotates, reveals and revokes the API keys of an organization for its members. */
export class MemberKeyService {
  constructor(private readonly options: MemberKeyServiceOptions) {}

  async page(
    member: ActingMember,
    projectId: string | null,
    beforeId: string | null,
    limit: number,
  ): Promise<MemberKeyView[]> {
    const rows = await this.options.keys.page(member, projectId, beforeId, limit);
    return rows.map((row) => this.#view(row));
  }

  /** @throws HatifError API_KEY_NOT_FOUND */
  async get(member: ActingMember, id: string): Promise<MemberKeyView> {
    return this.#view(known(await this.options.keys.get(member, id), id));
  }

  /**
   * @throws HatifError VALIDATION_ERROR, INVALID_SCOPE, INSUFFICIENT_ROLE for scopes that the member's role lacks,
   * PROJECT_NOT_FOUND, PRODUCTION_TIER_REQUIRED, EMAIL_NOT_CONFIRMED
   */
  async create(member: ActingMember, wanted: NewMemberKey): Promise<KeyWithSecret> {
    const { keys, clock } = this.options;
    const now = clock.now();
    const held = permissionsOf(member.role);
    const scopes = readScopes(wanted.scopes ?? DEFAULT_SCOPES.filter((scope) => held.has(scope)));
    const { allowedIps = [], expiresAt = null } = wanted;
    checkKey({ name: wanted.name, allowedIps, expiresAt }, now);
    assertHeld(member, scopes);
    const secret = generateKey(wanted.kind);
    const row = await keys.transaction(async (tx) => {
      const ground = await this.#ground(tx, member, wanted.projectId);
      if (wanted.kind === 'live') assertProduction(ground);
      const made: KeptKeyRow = {
        id: newId(),
        project_id: wanted.projectId,
        organization_id: member.organizationId,
        name: wanted.name.trim(),
        kind: wanted.kind,
        ...this.#stored(secret, ground, now),
        scopes,
        allowed_ips: allowedIps,
        rate_limit_per_minute: null,
        expires_at: expiresAt,
        revoked_at: null,
        last_used_at: null,
        created_by: member.id,
        created_at: now,
      };
      await keys.add(tx, made);
      return made;
    });
    return { view: this.#view(row), secret };
  }

  /** @throws HatifError API_KEY_NOT_FOUND, VALIDATION_ERROR, INVALID_SCOPE, INSUFFICIENT_ROLE for new scopes */
  async change(member: ActingMember, id: string, wanted: KeyChange): Promise<MemberKeyView> {
    const { keys, clock, onChanged } = this.options;
    const scopes = wanted.scopes === undefined ? undefined : readScopes(wanted.scopes);
    const changed = await keys.transaction(async (tx) => {
      const before = await this.#usable(tx, member, id);
      const { name = before.name, allowedIps = before.allowed_ips, expiresAt } = wanted;
      checkKey({ name, allowedIps, expiresAt: expiresAt ?? null }, clock.now());
      if (scopes !== undefined) {
        const added = scopes.filter((scope) => !before.scopes.includes(scope));
        assertHeld(member, added);
      }
      const changes: KeyChanges = {
        name: name.trim(),
        allowed_ips: allowedIps,
        ...(scopes !== undefined && { scopes }),
        ...(expiresAt !== undefined && { expires_at: expiresAt }),
      };
      await keys.change(tx, id, changes);
      return { ...before, ...changes };
    });
    onChanged();
    return this.#view(changed);
  }

  /**
   * Gives the key a new secret; the old one stops working at once in this process, and within 2 s in others.
   * @throws HatifError API_KEY_NOT_FOUND, INSUFFICIENT_ROLE if the key may do more than the member
   */
  async rotate(member: ActingMember, id: string): Promise<KeyWithSecret> {
    const { keys, clock, onChanged } = this.options;
    const now = clock.now();
    const { secret, row } = await keys.transaction(async (tx) => {
      const { project_id } = known(await keys.get(member, id, tx), id);
      // The organization is locked before its keys, as everywhere.
      const ground = await this.#ground(tx, member, project_id);
      const before = await this.#usable(tx, member, id);
      assertHeld(member, before.scopes);
      if (before.kind === 'live') assertProduction(ground);
      const made = generateKey(before.kind);
      const stored = this.#stored(made, ground, now);
      await keys.replaceSecret(tx, id, stored);
      return { secret: made, row: { ...before, ...stored } };
    });
    onChanged();
    return { view: this.#view(row), secret };
  }

  /** For members with `keys:reveal`. @throws HatifError API_KEY_REVEAL_FORBIDDEN, API_KEY_NOT_FOUND, API_KEY_REVEAL_UNAVAILABLE */
  async reveal(member: Revealer, id: string): Promise<string> {
    const { keys, cipher, clock, revealAllowed } = this.options;
    if (!(await revealAllowed(member.organizationId))) throw revealForbidden('off');
    if (member.impersonated || !isRecent(member.confirmedAt, clock.now())) throw revealForbidden('unconfirmed');
    const row = known(await keys.get(member, id), id);
    if (row.kept_secret === null || this.#view(row).revealable_until === null) {
      throw new HatifError('API_KEY_REVEAL_UNAVAILABLE');
    }
    return cipher.open(row.kept_secret);
  }

  /** Ends a key for good; a repeat changes nothing. @throws HatifError API_KEY_NOT_FOUND */
  async revoke(member: ActingMember, id: string): Promise<void> {
    const { keys, clock, onChanged } = this.options;
    await keys.transaction(async (tx) => {
      known(await keys.get(member, id, tx, true), id);
      await keys.revoke(tx, id, clock.now());
    });
    onChanged();
  }

  async #ground(
    tx: Queryable,
    { organizationId, projectIds, id }: ActingMember,
    projectId: string,
  ): Promise<KeyGround> {
    const isReached = projectIds === null || projectIds.includes(projectId);
    const ground = isReached ? await this.options.keys.ground(tx, projectId, organizationId, id) : null;
    if (ground === null) throw new HatifError('PROJECT_NOT_FOUND', { project_id: projectId });
    return ground;
  }

  /** The key, locked; a revoked one is gone for good. */
  async #usable(tx: Queryable, member: ActingMember, id: string): Promise<KeptKeyRow> {
    const row = known(await this.options.keys.get(member, id, tx, true), id);
    if (row.revoked_at !== null) throw new HatifError('API_KEY_NOT_FOUND', { key_id: id });
    return row;
  }

  #stored(
    secret: string,
    { key_reveal }: KeyGround,
    now: Date,
  ): Pick<KeptKeyRow, 'prefix' | 'hash' | 'kept_secret' | 'kept_at'> {
    return {
      prefix: visiblePart(secret),
      hash: hashKey(secret),
      kept_secret: key_reveal ? this.options.cipher.seal(secret) : null,
      kept_at: key_reveal ? now : null,
    };
  }

  #view({ kept_secret: _secret, kept_at, created_by: _creator, ...row }: KeptKeyRow): MemberKeyView {
    const now = this.options.clock.now();
    const until = kept_at && new Date(kept_at.getTime() + KEPT_MS);
    const isOpen = until !== null && until > now && row.revoked_at === null;
    return { ...keyViewOf(row, now), revealable_until: isOpen ? until : null };
  }
}

function known(row: KeptKeyRow | null, id: string): KeptKeyRow {
  if (row === null) throw new HatifError('API_KEY_NOT_FOUND', { key_id: id });
  return row;
}

/** Nobody hands out more than the own role may do. */
function assertHeld({ role }: ActingMember, scopes: readonly string[]): void {
  const held = permissionsOf(role);
  const missing = scopes.find((scope) => !held.has(scope as Scope));
  if (missing !== undefined) throw lacks(missing as Scope);
}

function assertProduction({ account_kind, email_confirmed_at }: KeyGround): void {
  if (account_kind !== 'production') throw new HatifError('PRODUCTION_TIER_REQUIRED');
  if (email_confirmed_at === null) throw new HatifError('EMAIL_NOT_CONFIRMED');
}

/** The error for a member who may not see the secret of a key. */
export function revealForbidden(why: keyof typeof FORBIDDEN): HatifError<'API_KEY_REVEAL_FORBIDDEN'> {
  return new HatifError('API_KEY_REVEAL_FORBIDDEN', { reason: FORBIDDEN[why] });
}
