import { forgetSecretsOf } from '../../data/repositories/accounts/member-keys.js';
import type {
  OrganizationChanges,
  OrganizationSettings,
} from '../../data/repositories/accounts/organization-settings.js';
import type { OrganizationRow } from '../../data/rows.js';
import { internalError } from '../../model/errors/index.js';
import { assertOfAllProjects, type ActingMember } from './acting-member.js';

/** An omitted or undefined member is left unchanged. */
export type OrganizationChange = { readonly [K in keyof OrganizationChanges]: OrganizationChanges[K] | undefined };

/** A setting before and after a change. */
export interface ChangedSettings {
  readonly organization: OrganizationRow;
  readonly before: OrganizationChanges;
  readonly after: OrganizationChanges;
}

export interface OrganizationServiceOptions {
  readonly settings: OrganizationSettings;
  /** Called after a change, so that this process asks the database again for keys and sessions. */
  readonly onChanged: () => void;
}

/** The settings of an organization that its members see and change. */
export class OrganizationService {
  constructor(private readonly options: OrganizationServiceOptions) {}

  async get({ organizationId }: Pick<ActingMember, 'organizationId'>): Promise<OrganizationRow> {
    return found(await this.options.settings.get(organizationId));
  }

  /**
   * If the reveal of keys is switched off, the kept secrets are deleted.
   * @throws HatifError INSUFFICIENT_ROLE for a member of named projects
   */
  async change(actor: ActingMember, change: OrganizationChange): Promise<ChangedSettings> {
    assertOfAllProjects(actor);
    const { settings, onChanged } = this.options;
    const { organizationId } = actor;
    const given = Object.fromEntries(
      Object.entries(change).filter(([, value]) => value !== undefined),
    ) as OrganizationChanges;
    const done = await settings.exclusively(organizationId, async (tx) => {
      const old = found(await settings.get(organizationId, tx));
      const organization = { ...old, ...given };
      await settings.set(tx, organization);
      if (!organization.key_reveal) await forgetSecretsOf(tx, organizationId);
      const names = (Object.keys(given) as (keyof OrganizationChanges)[]).filter((name) => old[name] !== given[name]);
      const pick = (row: OrganizationRow) => Object.fromEntries(names.map((name) => [name, row[name]]));
      return { organization, before: pick(old), after: pick(organization) };
    });
    onChanged();
    return done;
  }
}

function found(row: OrganizationRow | null): OrganizationRow {
  if (row === null) throw internalError(new Error('the organization of a signed-in member is gone'));
  return row;
}
