import type { Database } from '../../data/database.js';
import {
  hasUnsettled,
  liveCalls,
  stopDeliveries,
  type LiveCall,
} from '../../data/repositories/privacy/organization-calls.js';
import type { OrganizationEndingRow } from '../../data/rows.js';
import { HatifError } from '../../model/errors/index.js';
import type { Clock } from '../../ports/clock.js';
import type { CommandBus } from '../../ports/command-bus.js';
import type { Logger } from '../../ports/logger.js';
import { askOwner } from '../calls/ask-owner.js';
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
    for (const call of live) await hangUp(bus, call, requestId, log);
    if (live.length > 0) throw new Later(WAIT_SECONDS, 'live_calls');
    const isLate = clock.now().getTime() - created_at.getTime() > SETTLED_WITHIN_MS;
    if (!isLate && (await hasUnsettled(db, organization))) throw new Later(WAIT_SECONDS, 'unsettled_calls');
    await work.advance(async (tx) =>
      (await stopDeliveries(tx, organization, DELIVERIES)) === DELIVERIES ? {} : { step: next },
    );
  };
}

/** A call that cannot be ended now is found again in the next round. */
async function hangUp(bus: StopOptions['bus'], call: LiveCall, requestId: string, log: Logger): Promise<void> {
  const what = { action: 'hangup' } as const;
  const command = { type: 'control', callId: call.id, leg: 'customer', what, requestId, actor: null } as const;
  try {
    await askOwner(bus, call, command);
  } catch (error) {
    if (!(error instanceof HatifError)) throw error;
    log.warn({ err: error, call_id: call.id }, 'failed to end a call of an organization that ends; will retry');
  }
}
