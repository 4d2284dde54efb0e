import type { Queryable } from '../../data/database.js';
import type { Members } from '../../data/repositories/accounts/members.js';
import type { SsoDomains } from '../../data/repositories/single-sign-on/domains.js';
import type { SsoSettings } from '../../data/repositories/single-sign-on/settings.js';
import type { SsoSettingsRow } from '../../data/rows.js';
import type { Cipher } from '../../model/access/cipher.js';
import { HatifError, invalidField } from '../../model/errors/index.js';
import type { Clock } from '../../ports/clock.js';
import type { OpenIdClient, OpenIdRelyingParty } from '../../ports/openid.js';
import { assertOfAllProjects, type ActingMember } from '../accounts/acting-member.js';
import type { Membership } from './membership.js';
import { issuerProblem, withProvider } from './phrases.js';

/** What an organization sets, beside the times. */
export interface WantedSso extends Omit<
  SsoSettingsRow,
  'organization_id' | 'client_secret' | 'admits_owners' | 'created_at' | 'updated_at'
> {
  /** Undefined: the secret that is stored. */
  readonly client_secret: string | null | undefined;
  /** Undefined: whether an owner sets it. */
  readonly admits_owners: boolean | undefined;
  readonly forced_domains: readonly string[];
}

/** The settings with the domains whose people have no other way in. */
export interface SsoView {
  readonly row: SsoSettingsRow;
  readonly forcedDomains: readonly string[];
}

export interface SsoSettingsServiceOptions {
  readonly settings: SsoSettings;
  readonly domains: SsoDomains;
  readonly members: Members;
  readonly membership: Membership;
  readonly openid: OpenIdRelyingParty;
  readonly cipher: Cipher;
  readonly clock: Clock;
  /** Called after a change, so that this process asks the database again for the sessions of members. */
  readonly onChanged: () => void;
}

const PHRASES = {
  secret: {
    en: 'is required: there is none yet, or it belongs to another issuer or client id',
    ar: 'مطلوب: لا يوجد بعد، أو يخص مُصدِرًا (issuer) أو معرّف عميل آخر',
  },
  domain: { en: 'is not a verified domain of the organization', ar: 'ليس نطاقًا موثّقًا للمؤسسة' },
  project: { en: 'is not a project of the organization', ar: 'ليس مشروعًا للمؤسسة' },
  owner: { en: 'must be null for an owner, who has every project', ar: 'يجب أن يكون `null` للمالك، فله جميع المشاريع' },
};

/** The identity provider of an organization, as its members with `sso:write` set it. */
export class SsoSettingsService {
  constructor(private readonly options: SsoSettingsServiceOptions) {}

  /** @throws HatifError SSO_NOT_CONFIGURED, INSUFFICIENT_ROLE */
  async get(actor: ActingMember): Promise<SsoView> {
    assertOfAllProjects(actor);
    const row = await this.options.settings.get(actor.organizationId);
    if (row === null) throw notConfigured();
    return this.#view(row);
  }

  /**
   * Sets everything. A provider that is switched on must answer now. Members of a directory get the roles of
   * the new rules at once.
   * @throws HatifError VALIDATION_ERROR, INSUFFICIENT_ROLE, SSO_PROVIDER_UNAVAILABLE
   */
  async put(actor: ActingMember, wanted: WantedSso): Promise<SsoView> {
    assertOfAllProjects(actor);
    const { settings, domains, members, membership, openid, cipher, clock, onChanged } = this.options;
    const { organizationId } = actor;
    const problem = openid.problemOf(wanted.issuer);
    if (problem !== null) throw invalidField('issuer', issuerProblem(problem));
    const before = await settings.get(organizationId);
    const made = this.#rowOf(actor, wanted, before);
    assertMayChange(actor, before, made);
    if (made.enabled) await withProvider(() => openid.check(clientOf(made, cipher)));
    await members.exclusively(organizationId, async (tx) => {
      // Somebody else changed them while the provider answered: what was checked then still holds.
      const now = await settings.get(organizationId, tx);
      const row = this.#rowOf(actor, wanted, now);
      assertMayChange(actor, now, row);
      await this.#assertKnown(tx, row, wanted.forced_domains);
      await settings.put(tx, row);
      await domains.force(tx, organizationId, wanted.forced_domains);
      await membership.applyRules(tx, organizationId, clock.now());
    });
    onChanged();
    return this.get(actor);
  }

  /** The organization's people sign in as before. @throws HatifError SSO_NOT_CONFIGURED, INSUFFICIENT_ROLE */
  async remove(actor: ActingMember): Promise<void> {
    assertOfAllProjects(actor);
    if (!(await this.removeOf(actor.organizationId))) throw notConfigured();
  }

  /** For administrators of the installation. @returns false if there are no settings */
  async removeOf(organizationId: string): Promise<boolean> {
    const { settings, domains, members, onChanged } = this.options;
    const removed = await members.exclusively(organizationId, async (tx) => {
      await domains.force(tx, organizationId, []);
      return settings.remove(tx, organizationId);
    });
    onChanged();
    return removed;
  }

  async #view(row: SsoSettingsRow): Promise<SsoView> {
    const domains = await this.options.domains.list(row.organization_id);
    return { row, forcedDomains: domains.filter(({ forced }) => forced).map(({ domain }) => domain) };
  }

  #rowOf(
    { organizationId, role }: ActingMember,
    { client_secret: secret, admits_owners, forced_domains, ...rest }: WantedSso,
    before: SsoSettingsRow | null,
  ): SsoSettingsRow {
    const now = this.options.clock.now();
    return {
      ...rest,
      organization_id: organizationId,
      client_secret: this.#sealed(secret, rest, before),
      admits_owners: admits_owners ?? role === 'owner',
      created_at: before?.created_at ?? now,
      updated_at: now,
    };
  }

  /** A secret is not sent to another issuer than the one that it was given for. */
  #sealed(
    secret: string | null | undefined,
    { issuer, client_id }: Pick<SsoSettingsRow, 'issuer' | 'client_id'>,
    before: SsoSettingsRow | null,
  ): string | null {
    if (typeof secret === 'string') return this.options.cipher.seal(secret);
    if (secret === null) return null;
    if (before?.issuer !== issuer || before.client_id !== client_id)
      throw invalidField('client_secret', PHRASES.secret);
    return before.client_secret;
  }

  async #assertKnown(tx: Queryable, row: SsoSettingsRow, forced: readonly string[]): Promise<void> {
    const { domains, members } = this.options;
    const grants = [
      ...row.group_roles.map((entry, index) => ({ ...entry, path: `group_roles[${index}].project_ids` })),
      { role: row.default_role, project_ids: row.default_project_ids, path: 'default_project_ids' },
    ];
    for (const { role, project_ids, path } of grants) {
      if (project_ids === null) continue;
      if (role === 'owner') throw invalidField(path, PHRASES.owner);
      const known = await members.knownProjects(row.organization_id, project_ids, tx);
      if (project_ids.some((id) => !known.has(id))) throw invalidField(path, PHRASES.project);
    }
    for (const [index, domain] of forced.entries()) {
      const isVerified = await domains.isVerified(row.organization_id, domain, tx);
      if (!isVerified) throw invalidField(`forced_domains[${index}]`, PHRASES.domain);
    }
  }
}

/** The client with its secret opened. */
export function clientOf(row: SsoSettingsRow, cipher: Pick<Cipher, 'open'>): OpenIdClient {
  return {
    issuer: row.issuer,
    clientId: row.client_id,
    clientSecret: row.client_secret === null ? null : cipher.open(row.client_secret),
    authentication: row.client_authentication,
  };
}

export function notConfigured(
  who: string | { readonly en: string; readonly ar: string } = { en: 'your organization', ar: 'مؤسستك' },
): HatifError<'SSO_NOT_CONFIGURED'> {
  return new HatifError('SSO_NOT_CONFIGURED', { who });
}

/**
 * Who chooses the identity provider can sign in as anybody that it names. So only an owner chooses one that names
 * owners, and which groups are owners. @throws HatifError INSUFFICIENT_ROLE
 */
function assertMayChange({ role }: ActingMember, before: SsoSettingsRow | null, after: SsoSettingsRow): void {
  if (role === 'owner' || !namesOwners(after)) return;
  if (before === null || ownersPart(before) !== ownersPart(after))
    throw new HatifError('INSUFFICIENT_ROLE', { role: 'owner' });
}

function namesOwners({ admits_owners, group_roles }: SsoSettingsRow): boolean {
  return admits_owners || group_roles.some(({ role }) => role === 'owner');
}

function ownersPart({ issuer, client_id, admits_owners, group_roles }: SsoSettingsRow): string {
  const groups = group_roles.filter(({ role }) => role === 'owner').map(({ group }) => group);
  return JSON.stringify([issuer, client_id, admits_owners, groups]);
}
