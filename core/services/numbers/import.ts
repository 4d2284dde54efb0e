import type { Queryable } from '../../data/database.js';
import { UNASSIGNED, type Inventory } from '../../data/repositories/numbers/inventory.js';
import type { ImportedNumber } from '../../model/number/import.js';
import type { Clock } from '../../ports/clock.js';
import { newNumberRow } from './number-assigner.js';

export interface ImportNumbersOptions {
  readonly inventory: Inventory;
  readonly clock: Clock;
}

export interface ImportOutcome {
  /** Can be had from now on. */
  readonly added: number;
  /** Were here before, in whatever state, and were left alone. */
  readonly known: number;
}

const BATCH = 1000;
const REASON = 'imported';

/** Puts the operator's numbers into the inventory, where customers can have them. */
export class ImportNumbers {
  constructor(private readonly options: ImportNumbersOptions) {}

  /**
   * All of them or none.
   * @param dryRun only says what would happen
   * @param onProgress how many have been looked at
   */
  run(numbers: readonly ImportedNumber[], dryRun: boolean, onProgress: (done: number) => void): Promise<ImportOutcome> {
    return this.options.inventory.transaction(async (tx) => {
      let added = 0;
      for (let from = 0; from < numbers.length; from += BATCH) {
        const batch = numbers.slice(from, from + BATCH);
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
    const here = new Set(known.map(({ e164 }) => e164));
    const released = known.filter(({ state }) => state === 'released');
    const fresh = batch.filter(({ e164 }) => !here.has(e164));
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
