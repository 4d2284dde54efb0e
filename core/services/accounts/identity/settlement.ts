import type { Database } from '../../../data/database.js';
import type { Identities } from '../../../data/repositories/accounts/identities.js';
import type { IdentityVerificationRow } from '../../../data/rows.js';
import type { Clock } from '../../../ports/clock.js';
import type { ProviderIdentity } from '../../../ports/identity-provider.js';

export interface IdentitySettlementOptions {
  readonly db: Database;
  readonly identities: Identities;
  readonly clock: Clock;
}

/** Records how verifications end: once each, whatever the number of notices and polls that report it. */
export class IdentitySettlement {
  constructor(private readonly options: IdentitySettlementOptions) {}

  /**
   * A verification that has ended does not change any more. A verified identity becomes the person's, unless a user of
   * another organization has it: then the attempt is rejected.
   * @returns null if there is no such verification
   */
  apply(id: string, found: ProviderIdentity): Promise<IdentityVerificationRow | null> {
    const { db, identities, clock } = this.options;
    return db.transaction(async (tx) => {
      const row = await identities.lock(id, tx);
      if (row?.state !== 'pending' || found.state === 'pending') return row;
      const ended_at = clock.now();
      if (found.state !== 'verified') {
        const reason = found.state === 'rejected' ? found.reason : null;
        return identities.end(id, { state: found.state, reason, registered_elsewhere: false, ended_at }, tx);
      }
      await identities.lockIdentity(row.hash, tx);
      const registered_elsewhere = await identities.isRegisteredElsewhere(row.hash, row.organization_id, tx);
      if (!registered_elsewhere) await identities.register(row, ended_at, tx);
      const state = registered_elsewhere ? 'rejected' : 'verified';
      return identities.end(id, { state, reason: null, registered_elsewhere, ended_at }, tx);
    });
  }
}
