import type { Database } from '../../data/database.js';
import type { Organizations } from '../../data/repositories/accounts/organizations.js';
import type { Projects } from '../../data/repositories/accounts/projects.js';
import type { OrganizationRow, ProjectRow } from '../../data/rows.js';
import type { Cipher } from '../../model/access/cipher.js';
import { invalidField, unknownOrganization } from '../../model/errors/index.js';
import { arabic } from '../../model/wording/wording.js';
import type { Clock } from '../../ports/clock.js';
import { newOrganizationRow, newProjectRow } from '../accounts/new-account.js';

export interface CreateProjectsOptions {
  readonly db: Database;
  readonly organizations: Pick<Organizations, 'create' | 'get'>;
  readonly projects: Pick<Projects, 'create' | 'list'>;
  /** Features that a new organization has or lacks of its own. */
  readonly flags: OrganizationRow['flags'];
  readonly cipher: Cipher;
  readonly clock: Clock;
}

/** The organization of a new project: an existing one, or a new one with this name. */
export type OrganizationChoice = { readonly id: string } | { readonly name: string };

export interface CreatedProject {
  readonly organization: OrganizationRow;
  readonly project: ProjectRow;
}

const MAX_NAME_LENGTH = 64;
const NAME_LENGTH = { en: 'must have 1 to 64 characters', ar: 'يجب أن يتكوّن من 1 إلى 64 حرفًا' };

/** Creates projects for the operator. */
export class CreateProjects {
  constructor(private readonly options: CreateProjectsOptions) {}

  /**
   * Creates the project, and its organization if it is new, or nothing.
   * @throws HatifError NOT_FOUND, VALIDATION_ERROR, also if the organization has a project with this name
   */
  async create(name: string, of: OrganizationChoice): Promise<CreatedProject> {
    const { db, organizations, projects, cipher, clock } = this.options;
    const own = checkedName('name', name);
    const organization = await this.#organization(of);
    const others = await projects.list();
    if (others.some((other) => other.organization_id === organization.id && other.name === own)) {
      throw invalidField('name', {
        en: `the organization has a project ${own} already`,
        ar: arabic`في المؤسسة مشروع بالاسم ${own}`,
      });
    }
    const project = newProjectRow(organization.id, own, cipher, clock.now());
    await db.transaction(async (tx) => {
      if (!('id' in of)) await organizations.create(organization, tx);
      await projects.create(project, tx);
    });
    return { organization, project };
  }

  async #organization(of: OrganizationChoice): Promise<OrganizationRow> {
    const { organizations, flags, clock } = this.options;
    if (!('id' in of)) {
      return newOrganizationRow(checkedName('organization', of.name), 'production', flags, clock.now());
    }
    const known = await organizations.get(of.id);
    if (known) return known;
    throw unknownOrganization(of.id);
  }
}

function checkedName(field: string, given: string): string {
  const name = given.trim();
  if (name !== '' && name.length <= MAX_NAME_LENGTH && !/\p{Cc}/u.test(name)) return name;
  throw invalidField(field, NAME_LENGTH);
}
