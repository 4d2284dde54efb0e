import type { Inventory } from '../../data/repositories/numbers/inventory.js';
import type { OwnNumberClaims } from '../../data/repositories/numbers/own-number-claims.js';
import type { Porting } from '../../data/repositories/numbers/porting.js';
import type { VirtualNumbers } from '../../data/repositories/numbers/virtual-numbers.js';
import type { OrganizationEndingRow } from '../../data/rows.js';
import { withCounts } from '../../model/privacy/report.js';
import type { Clock } from '../../ports/clock.js';
import type { NumberAssigner } from '../numbers/number-assigner.js';
import type { PortingSteps } from '../porting/steps.js';
import type { Step } from '../resumable-work/work.js';

export interface FreeNumbersOptions {
  readonly inventory: Inventory;
  readonly virtualNumbers: VirtualNumbers;
  readonly claims: OwnNumberClaims;
  readonly porting: Porting;
  readonly portingSteps: PortingSteps;
  readonly assigner: NumberAssigner;
  readonly clock: Clock;
}

const BATCH = 100;
const REASON = 'its organization was deleted';

/** Gives the numbers back to the installation: released as their owner would, claims and portings given up. */
export function freeNumbers(options: FreeNumbersOptions, next: string): Step<OrganizationEndingRow> {
  return async (work) => {
    const released = await releaseSome(options, work.row.organization_id);
    await work.advance(() => {
      const report = withCounts(work.row.report, 'numbers', { found: released, erased: released });
      return Promise.resolve(released === BATCH ? { report } : { report, step: next });
    });
  };
}

/**
 * Each number is released in its own transaction; orders that are in progress are undone by the sweep of numbers.
 * @returns how many were released
 */
export async function releaseSome(options: FreeNumbersOptions, organizationId: string): Promise<number> {
  const { inventory, virtualNumbers, claims, porting, portingSteps, assigner, clock } = options;
  for (const request of await porting.openOf(organizationId)) {
    await portingSteps.end(request, 'cancelled', 'operator', REASON);
  }
  await claims.rejectOf(organizationId, REASON, clock.now());
  const numbers = await inventory.assignedTo(organizationId, BATCH);
  for (const number of numbers) {
    await assigner.change(async (tx, lanes) => {
      const allocated = await virtualNumbers.ofNumber(number.id, tx);
      if (allocated) await virtualNumbers.release(allocated.id, clock.now(), tx);
      await assigner.release(tx, lanes, number, REASON);
    });
  }
  return numbers.length;
}
