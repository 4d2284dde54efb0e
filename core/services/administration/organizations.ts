import type {
  Organizations,
  OrganizationChange,
  OrganizationFilter,
} from '../../data/repositories/accounts/organizations.js';
import type { Projects } from '../../data/repositories/accounts/projects.js';
import type { ResetTokens } from '../../data/repositories/accounts/reset-tokens.js';
import type { AccountKind, OrganizationRow, ProjectRow, UserRow } from '../../data/rows.js';
import type { Cipher } from '../../model/access/cipher.js';
import { EMAIL_RULE, isEmail, readEmail } from '../../model/accounts/email.js';
import { HatifError, invalidField, unknownOrganization } from '../../model/errors/index.js';
import type { Clock } from '../../ports/clock.js';
import { newMailedLink } from '../accounts/mailed-link.js';
import type { Passwords } from '../accounts/passwords.js';
import type { Account, ProvisionAccount } from '../provisioning/account.js';

export interface AdministerOrganizationsOptions {
  readonly organizations: Organizations;
  readonly projects: Projects;
  readonly provisioning: ProvisionAccount;
  readonly resetTokens: ResetTokens;
  readonly passwords: Passwords;
  readonly cipher: Cipher;
  readonly publicUrl: () => string;
  /** Called after a change, so that this process clears its caches of keys and sessions. */
  readonly onChanged: () => void;
  readonly clock: Clock;
}

export interface NewOrganization {
  readonly name: string;
  readonly tier: AccountKind;
  readonly owner: {
    readonly email: string;
    readonly name: string;
    readonly locale: UserRow['locale'];
    /** Null: a mail asks the owner to choose one. */
    readonly password: string | null;
  };
}

/** Absent members stay unchanged. */
export interface WantedOrganization {
  readonly name?: string;
  readonly tier?: AccountKind;
  readonly contact_email?: string | null;
  /** Null: as in the environment. */
  readonly flags?: Readonly<Record<string, boolean | null>>;
  readonly suspended?: boolean;
}

const WELCOME_MS = 7 * 86_400_000;

/** The organizations of the installation, for its administrators. */
export class AdministerOrganizations {
  constructor(private readonly options: AdministerOrganizationsOptions) {}

  /**
   * Makes an organization with a project, an owner and a softphone: all or nothing.
   * @throws HatifError VALIDATION_ERROR, PASSWORD_VALIDATION_FAILED, ADMIN_ORG_OWNER_EMAIL_TAKEN, PBX_PROVISIONING_FAILED
   */
  async create({ name, tier, owner: wanted }: NewOrganization): Promise<Account> {
    const { provisioning, passwords, clock } = this.options;
    const { password, locale } = wanted;
    const email = readEmail(wanted.email);
    if (email === null) throw invalidField('owner.email', EMAIL_RULE);
    if (password !== null) passwords.assertAccepted(password, { email, name: wanted.name });
    const owner = {
      ...{ email, name: wanted.name, locale },
      password_hash: password === null ? null : await passwords.hash(password),
      // The administrator vouches for the address; a link in a mail proves it.
      email_confirmed_at: password === null ? null : clock.now(),
    };
    const { account } = await provisioning.make(
      { name, tier, owner },
      {
        emailTaken: (cause) => new HatifError('ADMIN_ORG_OWNER_EMAIL_TAKEN', {}, { cause }),
        finish: async (tx, made) => {
          if (password === null) await this.#welcome(tx, made.owner, made.organization);
        },
      },
    );
    return account;
  }

  /** Newest first. @param before the last one of the page before */
  list(filter: OrganizationFilter, before: string | null, limit: number): Promise<OrganizationRow[]> {
    return this.options.organizations.page(filter, before, limit);
  }

  /** @throws HatifError NOT_FOUND */
  async get(id: string): Promise<OrganizationRow> {
    const row = await this.options.organizations.get(id);
    if (!row) throw unknownOrganization(id);
    return row;
  }

  /** Oldest first. */
  projectsOf(id: string): Promise<ProjectRow[]> {
    return this.options.projects.listOf(id);
  }

  /**
   * Changes an organization, in one statement. A suspended one keeps its live calls; its keys and sessions are refused
   * within seconds, until the suspension is lifted.
   * @returns the rows before and after @throws HatifError NOT_FOUND, VALIDATION_ERROR, ORGANIZATION_ENDED
   */
  async change(
    id: string,
    { name, tier, contact_email, flags, suspended }: WantedOrganization,
  ): Promise<{ readonly before: OrganizationRow; readonly after: OrganizationRow }> {
    const { organizations, clock } = this.options;
    if (contact_email != null && !isEmail(contact_email)) throw invalidField('contact_email', EMAIL_RULE);
    const change: OrganizationChange = {
      ...(name === undefined ? {} : { name }),
      ...(tier === undefined ? {} : { account_kind: tier }),
      ...(contact_email === undefined ? {} : { contact_email }),
      ...(flags === undefined ? {} : { flags }),
      ...(suspended === undefined ? {} : { suspended_at: suspended ? clock.now() : null }),
    };
    const changed = await organizations.change(id, change);
    if (changed === 'ended') throw new HatifError('ORGANIZATION_ENDED', { organization_id: id });
    if (!changed) throw unknownOrganization(id);
    this.options.onChanged();
    return changed;
  }

  async #welcome(tx: Parameters<ResetTokens['welcome']>[0], owner: UserRow, { name }: OrganizationRow): Promise<void> {
    const { resetTokens, clock } = this.options;
    const link = newMailedLink(this.options, 'reset', 'welcome');
    const now = clock.now();
    const expiresAt = new Date(now.getTime() + WELCOME_MS);
    await resetTokens.welcome(tx, owner, name, { ...link, expiresAt }, now);
  }
}
