import { UNASSIGNED, type Inventory, type NumberMove } from '../../data/repositories/numbers/inventory.js';
import type { InventoryRow } from '../../data/rows.js';
import type { NumberState } from '../../model/number/states.js';
import type { Clock } from '../../ports/clock.js';
import type { Logger } from '../../ports/logger.js';
import { NumberProviderError, type NumberProvider } from '../../ports/number-provider.js';
import type { IsStopping, PeriodicTask } from '../runtime/periodic-task.js';
import { ORDER_LEASE_MS } from './order.js';

export interface NumberSweepOptions {
  readonly inventory: Inventory;
  readonly providers: readonly NumberProvider[];
  readonly clock: Clock;
  readonly log: Logger;
}

const INTERVAL_MS = 60_000;

/**
 * Ends the quarantine of numbers, returns numbers to providers, and undoes orders that were not completed, which their
 * customers saw fail. A provider that does not answer is retried in the next run.
 */
export class NumberSweep implements PeriodicTask {
  readonly name = 'number sweep';
  readonly everyMs = INTERVAL_MS;

  constructor(private readonly options: NumberSweepOptions) {}

  /** Runs until nothing is due. @throws DatabaseUnavailable */
  async run(isStopping: IsStopping = () => false): Promise<void> {
    await this.#freeAll('quarantined', 'quarantine ended', isStopping);
    await this.#freeAll('reserved', 'order not completed', isStopping);
  }

  async #freeAll(state: NumberState, reason: string, isStopping: IsStopping): Promise<void> {
    const { inventory, clock } = this.options;
    while (!isStopping()) {
      const at = clock.now();
      const row = await inventory.lease(state, at, new Date(at.getTime() + ORDER_LEASE_MS));
      if (!row) return;
      await this.#free(row, reason);
    }
  }

  async #free(row: InventoryRow, reason: string): Promise<void> {
    const { inventory, clock } = this.options;
    if (row.source === 'provider' && !(await this.#returnToProvider(row))) return;
    const move: NumberMove = {
      from: [row.state],
      to: row.source === 'operator' ? 'available' : 'released',
      changes: UNASSIGNED,
      reason,
      at: clock.now(),
    };
    await inventory.move(row.e164, move, undefined, row.order_id);
  }

  /** @returns whether the provider has confirmed the release. */
  async #returnToProvider({ e164, order_id: id, provider: name }: InventoryRow): Promise<boolean> {
    const { providers, log } = this.options;
    const provider = providers.find((one) => one.name === name);
    if (!provider || id === null) {
      log.error({ provider: name }, 'cannot release a number: its provider is no longer configured');
      return false;
    }
    try {
      await provider.release({ id, e164 });
      return true;
    } catch (error) {
      if (!(error instanceof NumberProviderError)) throw error;
      log.warn({ err: error, provider: name }, 'failed to return a number to its provider; will retry');
      return false;
    }
  }
}
