import { HttpIdentity } from '../../adapters/identity/http-identity.js';
import { HttpIdentityNotices } from '../../adapters/identity/identity-notices.js';
import type { Settings } from '../../config/settings.js';
import { Identities } from '../../core/data/repositories/accounts/identities.js';
import { ProductionRequests } from '../../core/data/repositories/accounts/production-requests.js';
import type { Cipher } from '../../core/model/access/cipher.js';
import type { Clock } from '../../core/ports/clock.js';
import type { Logger } from '../../core/ports/logger.js';
import type { RateLimiter } from '../../core/services/access/rate-limit.js';
import { IdentityLimits } from '../../core/services/accounts/identity/limits.js';
import { IdentityPoller } from '../../core/services/accounts/identity/poller.js';
import { IdentitySettlement } from '../../core/services/accounts/identity/settlement.js';
import { IdentityVerifications } from '../../core/services/accounts/identity/verifications.js';
import { ProductionAccess } from '../../core/services/accounts/production/requests.js';
import { ProductionReview } from '../../core/services/accounts/production/review.js';
import { ProductionSteps } from '../../core/services/accounts/production/steps.js';
import type { Documents } from '../../core/services/numbers/documents.js';
import type { Stores } from './stores.js';

/** Services for requests for production access, and for the national identities that they need. */
export interface ProductionServices {
  readonly access: ProductionAccess;
  readonly review: ProductionReview;
}

export interface IdentityServices {
  readonly poller: IdentityPoller;
  /** @param rateLimiter counts the attempts in all processes */
  verifications(rateLimiter: RateLimiter): IdentityVerifications;
  /** Closes connections to the service. */
  close(): Promise<void>;
}

interface Options {
  readonly stores: Pick<Stores, 'db'>;
  readonly settings: Settings;
  readonly clock: Clock;
}

export function openProductionAccess({
  stores: { db },
  settings,
  documents,
  clock,
}: Options & { readonly documents: Documents }): ProductionServices {
  const requests = new ProductionRequests(db);
  const identities = new Identities(db);
  const needsIdentity = settings.NATIONAL_ID === 'required';
  const steps = new ProductionSteps({ db, requests, identities, needsIdentity, clock });
  return {
    access: new ProductionAccess({ requests, documents, steps, clock }),
    review: new ProductionReview({ requests, documents, steps }),
  };
}

export function openIdentities({
  stores: { db },
  settings,
  cipher,
  clock,
  log,
}: Options & { readonly cipher: Cipher; readonly log: Logger }): IdentityServices {
  const { NATIONAL_ID_URL: url, NATIONAL_ID_SECRET: secret } = settings;
  const timeoutMs = settings.NATIONAL_ID_TIMEOUT_SECONDS * 1000;
  const provider = url !== undefined && secret !== undefined ? new HttpIdentity({ url, secret, timeoutMs }) : null;
  const notices = secret === undefined ? null : new HttpIdentityNotices(secret);
  const identities = new Identities(db);
  const settlement = new IdentitySettlement({ db, identities, clock });
  const shared = { identities, settlement, provider, clock, log };
  return {
    poller: new IdentityPoller(shared),
    verifications: (rateLimiter) =>
      new IdentityVerifications({ ...shared, notices, cipher, limits: new IdentityLimits(rateLimiter) }),
    close: async () => provider?.disconnect(),
  };
}
