import type { Organizations } from '../../data/repositories/accounts/organizations.js';
import { featuresOf, type Feature } from '../../model/flags.js';
import { unknownOrganization } from '../../model/errors/index.js';

export interface FeaturesOptions {
  readonly organizations: Pick<Organizations, 'get' | 'setFlag'>;
  /** The flags of this environment. */
  readonly flags: Readonly<Record<string, boolean>>;
}

/** The features of organizations, for the operator. */
export class Features {
  constructor(private readonly options: FeaturesOptions) {}

  /** Every feature, in the order of the environment. @throws HatifError NOT_FOUND */
  async list(organizationId: string): Promise<Feature[]> {
    const { organizations, flags } = this.options;
    const found = await organizations.get(organizationId);
    if (!found) throw unknownOrganization(organizationId);
    return featuresOf(flags, found.flags);
  }

  /**
   * @param flag one of the environment
   * @param on null: as in the environment
   * @throws HatifError NOT_FOUND
   */
  async set(organizationId: string, flag: string, on: boolean | null): Promise<Feature[]> {
    const { organizations, flags } = this.options;
    const changed = await organizations.setFlag(organizationId, flag, on);
    if (!changed) throw unknownOrganization(organizationId);
    return featuresOf(flags, changed.flags);
  }
}
