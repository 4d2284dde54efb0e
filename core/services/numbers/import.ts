import type { Queryable } from '../../data/database.js';
import { UNASSIGNED, type Inventory } from '../../data/repositories/numbers/inventory.js';
import type { ImportedNumber } from '../../model/number/import.js';
import type { Clock } from '../../ports/clock.js';
import type { DemoNumbers } from './demo-numbers.js';
import { newNumberRow } from './number-assigner.js';

export interface ImportNumbersOptions {
  readonly inventory: Inventory;
  readonly demo: Pick<DemoNumbers, 'withdraw'>;
  readonly clock: Clock;
}

export interface ImportOutcome {
  /** Numbers that can be ordered from now on. */
  readonly added: number;
  /** Numbers that were in the inventory before, in any state, and were not changed. */
  readonly known: number;
}

const BATCH_SIZE = 1000;
const REASON = 'imported';

/**
 * Imports the operator's numbers into the inventory, from which customers can order them. They replace the numbers that
 * the demo offered.
 */
export class ImportNumbers {
  constructor(private readonly options: ImportNumbersOptions) {}

  /**
   * Imports all of the numbers or none.
   * @param dryRun only returns what would happen
   * @param onProgress receives the number of numbers processed so far
   */
  run(numbers: readonly ImportedNumber[], dryRun: boolean, onProgress: (done: number) => void): Promise<ImportOutcome> {
    return this.options.inventory.transaction(async (tx) => {
      if (!dryRun && numbers.length > 0) await this.options.demo.withdraw(tx);
      let added = 0;
      for (let from = 0; from < numbers.length; from += BATCH_SIZE) {
        const batch = numbers.slice(from, from + BATCH_SIZE);
        added += await this.#add(tx, batch, dryRun);
        onProgress(from + batch.length);
      }
      return { added, known: numbers.length - added };
    });
  }

  async #add(tx: Queryable, batch: readonly ImportedNumber[], dryRun: boolean): Promise<number> {
    const { inventory, clock } = this.options;
    const at = clock.now();
    const known = await inventory.findMany(
      batch.map(({ e164 }) => e164),
      tx,
    );
    const knownNumbers = new Set(known.map(({ e164 }) => e164));
    // A dry run still finds the demo's numbers offered.
    const released = known.filter(
      ({ state, source }) => state === 'released' || (state === 'available' && source === 'demo'),
    );
    const fresh = batch.filter(({ e164 }) => !knownNumbers.has(e164));
    if (dryRun) return fresh.length + released.length;
    const rows = fresh.map(({ e164, kind }) =>
      newNumberRow({ e164, kind, state: 'available', source: 'operator' }, at),
    );
    let added = (await inventory.add(rows, REASON, tx)).length;
    for (const { e164 } of released) {
      const changes = { ...UNASSIGNED, source: 'operator', provider: null } as const;
      const move = { from: ['released'], to: 'available', changes, reason: REASON, at } as const;
      if (await inventory.move(e164, move, tx)) added += 1;
    }
    return added;
  }
}
