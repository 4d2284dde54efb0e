import { Members } from '../../../core/data/repositories/accounts/members.js';
import { Endings } from '../../../core/data/repositories/privacy/endings.js';
import { PrivacyJobs } from '../../../core/data/repositories/privacy/jobs.js';
import type { Cipher } from '../../../core/model/access/cipher.js';
import type { Clock } from '../../../core/ports/clock.js';
import type { ObjectStores } from '../../../core/ports/object-store.js';
import { EndOrganizations } from '../../../core/services/organization-end/end.js';
import { PrivacyRequests } from '../../../core/services/privacy/requests.js';
import type { Stores } from '../stores.js';

export interface PrivacyRequestsParts {
  readonly stores: Pick<Stores, 'db'>;
  readonly storages: ObjectStores;
  readonly cipher: Cipher;
  readonly clock: Clock;
}

/** Requests about personal data. */
export function openPrivacyRequests({ stores, storages, cipher, clock }: PrivacyRequestsParts): PrivacyRequests {
  const { db } = stores;
  return new PrivacyRequests({
    jobs: new PrivacyJobs(db),
    members: new Members(db),
    stores: storages,
    ...{ cipher, clock },
  });
}

/** How the operator ends organizations. */
export function openEndOrganizations(
  { stores, storages, clock }: Omit<PrivacyRequestsParts, 'cipher'>,
  announce: () => Promise<void>,
): EndOrganizations {
  return new EndOrganizations({ endings: new Endings(stores.db), stores: storages, announce, clock });
}
