import type { Identities } from '../../../data/repositories/accounts/identities.js';
import type { IdentityVerificationRow } from '../../../data/rows.js';
import type { Clock } from '../../../ports/clock.js';
import {
  IdentityProviderError,
  type IdentityProvider,
  type ProviderIdentity,
} from '../../../ports/identity-provider.js';
import type { Logger } from '../../../ports/logger.js';
import type { IsStopping, PeriodicTask } from '../../runtime/periodic-task.js';
import type { IdentitySettlement } from './settlement.js';

export interface PollContext {
  readonly settlement: IdentitySettlement;
  /** Null if none is configured (any more). */
  readonly provider: IdentityProvider | null;
  readonly clock: Clock;
  readonly log: Logger;
}

export interface IdentityPollerOptions extends PollContext {
  readonly identities: Identities;
}

const INTERVAL_MS = 5_000;
/** Verifications polled concurrently. */
const BATCH_SIZE = 10;
/** How long after the expiry a provider that does not answer is still asked: the person may have been in time. */
const GIVE_UP_MS = 10 * 60_000;

/** Polls the provider for verifications that have sent no notice, at growing intervals, and expires the others. */
export class IdentityPoller implements PeriodicTask {
  readonly name = 'national identity polling';
  readonly everyMs = INTERVAL_MS;

  constructor(private readonly options: IdentityPollerOptions) {}

  /** Runs until nothing is due. @throws DatabaseUnavailable */
  async run(isStopping: IsStopping = () => false): Promise<void> {
    const { identities, clock } = this.options;
    while (!isStopping()) {
      const rows = await identities.take(clock.now(), BATCH_SIZE);
      if (rows.length === 0) return;
      await Promise.all(rows.map((row) => pollIdentity(row, this.options)));
    }
  }
}

/** Asks the provider about a pending verification. @returns the row afterwards; null if the provider did not answer */
export async function pollIdentity(
  row: IdentityVerificationRow,
  { settlement, provider, clock, log }: PollContext,
): Promise<IdentityVerificationRow | null> {
  const afterMs = clock.now().getTime() - row.expires_at.getTime();
  const found = await stateAt(provider, row.id, log);
  const isOver = found ? found.state === 'pending' && afterMs >= 0 : afterMs >= (provider ? GIVE_UP_MS : 0);
  if (isOver) return settlement.apply(row.id, { state: 'expired' });
  return found && settlement.apply(row.id, found);
}

async function stateAt(provider: IdentityProvider | null, id: string, log: Logger): Promise<ProviderIdentity | null> {
  try {
    return provider && (await provider.getState(id));
  } catch (error) {
    if (!(error instanceof IdentityProviderError)) throw error;
    log.warn({ err: error, verification: id }, 'failed to poll the national identity service; will retry');
    return null;
  }
}
