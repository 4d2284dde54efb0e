import type { Queryable } from '../../data/database.js';
import { UNASSIGNED, type Inventory } from '../../data/repositories/numbers/inventory.js';
import { DEMO_STOCK } from '../../model/number/demo.js';
import type { Clock } from '../../ports/clock.js';
import { newNumberRow } from './number-assigner.js';

export interface DemoNumbersOptions {
  readonly inventory: Inventory;
  /** Whether the settings name numbers of the operator, or a provider. */
  readonly hasOthers: boolean;
  readonly clock: Clock;
}

/** The numbers with which a fresh installation can be tried. They are offered until the operator has numbers. */
export class DemoNumbers {
  constructor(private readonly options: DemoNumbersOptions) {}

  /** Offers the demo's numbers, unless the operator has numbers. */
  async offer(): Promise<void> {
    const { inventory, hasOthers, clock } = this.options;
    if (hasOthers) return;
    const rows = DEMO_STOCK.map((e164) =>
      newNumberRow({ e164, kind: 'geographic', state: 'available', source: 'demo' }, clock.now()),
    );
    await inventory.add(rows, 'offered by the demo');
  }

  /** Withdraws those that nobody has, if the operator has numbers by now. Numbers with an owner stay. */
  async withdrawIfReplaced(): Promise<void> {
    if (this.options.hasOthers) await this.withdraw();
  }

  /** Withdraws those that nobody has. */
  async withdraw(on?: Queryable): Promise<void> {
    const { inventory, clock } = this.options;
    const reason = 'the operator has numbers';
    await inventory.moveSource(
      'demo',
      { from: ['available'], to: 'released', changes: UNASSIGNED, reason, at: clock.now() },
      on,
    );
  }
}
