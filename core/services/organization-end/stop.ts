import type { Database } from '../../data/database.js';
import { hasUnsettled, liveCalls, stopDeliveries } from '../../data/repositories/privacy/organization-calls.js';
import type { OrganizationEndingRow } from '../../data/rows.js';
import type { Clock } from '../../ports/clock.js';
import type { CommandBus } from '../../ports/command-bus.js';
import type { Logger } from '../../ports/logger.js';
import { endCall } from '../calls/end-call.js';
import { Later, type Step } from '../resumable-work/work.js';

export interface StopOptions {
  readonly db: Database;
  readonly bus: Pick<CommandBus, 'send'>;
  readonly clock: Clock;
  readonly log: Logger;
}

const BATCH = 500;
const DELIVERIES = 1_000;
const WAIT_SECONDS = 5;
/** After this time, recordings that no engine hands over and calls that nothing rates are given up. */
const SETTLED_WITHIN_MS = 24 * 3_600_000;

/** Ends live calls and stops webhooks, until none is left. */
export function stopEverything({ db, bus, clock, log }: StopOptions, next: string): Step<OrganizationEndingRow> {
  return async (work) => {
    const { organization_id: organization, request_id: requestId, created_at } = work.row;
    const live = await liveCalls(db, organization, BATCH);
    for (const call of live) await endCall(call, { bus, log, requestId });
    if (live.length > 0) throw new Later(WAIT_SECONDS, 'live_calls');
    const isLate = clock.now().getTime() - created_at.getTime() > SETTLED_WITHIN_MS;
    if (!isLate && (await hasUnsettled(db, organization))) throw new Later(WAIT_SECONDS, 'unsettled_calls');
    await work.advance(async (tx) =>
      (await stopDeliveries(tx, organization, DELIVERIES)) === DELIVERIES ? {} : { step: next },
    );
  };
}
