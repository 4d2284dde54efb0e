import type { Organizations } from '../../data/repositories/accounts/organizations.js';
import type { OrganizationRow } from '../../data/rows.js';
import { EMAIL_RULE, isEmail } from '../../model/accounts/email.js';
import { invalidField, unknownOrganization } from '../../model/errors/index.js';

export interface OwnerContactsOptions {
  readonly organizations: Organizations;
}

/** The addresses at which the platform writes to the owners of organizations. */
export class OwnerContacts {
  constructor(private readonly options: OwnerContactsOptions) {}

  list(): Promise<OrganizationRow[]> {
    return this.options.organizations.list();
  }

  /** @param email null: write nowhere. @throws HatifError VALIDATION_ERROR, NOT_FOUND */
  async set(organizationId: string, email: string | null): Promise<void> {
    if (email !== null && !isEmail(email)) throw invalidField('contact_email', EMAIL_RULE);
    if (await this.options.organizations.setContact(organizationId, email)) return;
    throw unknownOrganization(organizationId);
  }
}
