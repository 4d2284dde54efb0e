import type { Queryable } from '../../data/database.js';
import { projectEvent, recordEvent } from '../../data/outbox.js';
import { UNASSIGNED, type Inventory, type NumberMove } from '../../data/repositories/numbers/inventory.js';
import type { Numbers } from '../../data/repositories/numbers/numbers.js';
import type { Destination, InventoryRow, NumberRow } from '../../data/rows.js';
import { newId } from '../../model/ids.js';
import type { NumberState } from '../../model/number/states.js';
import type { Clock } from '../../ports/clock.js';
import { presentNumber } from './present.js';

export interface NumberAssignerOptions {
  readonly inventory: Inventory;
  readonly numbers: Numbers;
  readonly clock: Clock;
  /** For how long a number that was given up is kept from others. */
  readonly quarantineDays: number;
  /** Has these lanes of webhooks delivered. */
  readonly notifyLanes: (lanes: readonly string[]) => void;
  /** Others look numbers up anew. */
  readonly announce: () => Promise<void>;
}

export interface NumberOwner {
  readonly projectId: string;
  readonly organizationId: string;
}

/** How a number becomes a project's. */
export interface Assignment {
  /** In the history. */
  readonly reason: string;
  readonly binding: Destination | null;
  /** Whether the project's calls may show it where it has no main number yet. */
  readonly mayBeMain: boolean;
}

const DAY_MS = 86_400_000;

/** Gives numbers to projects and takes them back: state, history, event and what hangs on the number go together. */
export class NumberAssigner {
  constructor(private readonly options: NumberAssignerOptions) {}

  /**
   * Do something with numbers, or nothing of it. Afterwards webhooks and engines are told.
   * @param work is given the transaction, and where to put the lanes of the events that it writes
   */
  async change<T>(work: (tx: Queryable, lanes: string[]) => Promise<T>): Promise<T> {
    const lanes: string[] = [];
    const done = await this.options.inventory.transaction((tx) => work(tx, lanes));
    await this.told(lanes);
    return done;
  }

  /** Something was committed: webhooks and engines are told. @param lanes those of its events */
  async told(lanes: readonly string[]): Promise<void> {
    this.options.notifyLanes(lanes);
    await this.options.announce();
  }

  /** @param orderId only while the number is reserved by this order. @returns null where it is in none of these states */
  async assign(
    tx: Queryable,
    lanes: string[],
    e164: string,
    from: readonly NumberState[],
    { projectId, organizationId }: NumberOwner,
    { reason, binding, mayBeMain }: Assignment,
    changes: NumberMove['changes'] = {},
    orderId: string | null = null,
  ): Promise<NumberRow | null> {
    const { inventory, clock } = this.options;
    const at = clock.now();
    const owner = { organization_id: organizationId, project_id: projectId };
    const row = await inventory.move(
      e164,
      {
        from,
        to: 'assigned',
        changes: { ...owner, binding, due_at: null, assigned_at: at, ...changes },
        reason,
        at,
      },
      tx,
      orderId,
    );
    return row && this.#assigned(tx, lanes, row as NumberRow, mayBeMain);
  }

  /** A number that was never here becomes a project's. @returns null where it is here */
  async add(
    tx: Queryable,
    lanes: string[],
    row: NumberRow,
    { reason, mayBeMain }: Assignment,
  ): Promise<NumberRow | null> {
    const [added] = await this.options.inventory.add([row], reason, tx);
    return added ? this.#assigned(tx, lanes, added as NumberRow, mayBeMain) : null;
  }

  /** The project gives the number up. The operator's, and a provider's, are kept from others for a while. */
  async release(tx: Queryable, lanes: string[], row: NumberRow, reason: string): Promise<InventoryRow | null> {
    const { inventory, numbers, clock, quarantineDays } = this.options;
    const at = clock.now();
    const due_at = new Date(at.getTime() + quarantineDays * DAY_MS);
    const move: NumberMove =
      row.source === 'own'
        ? { from: ['assigned'], to: 'released', changes: UNASSIGNED, reason, at }
        : {
            from: ['assigned'],
            to: 'quarantined',
            // A provider knows its number by the order.
            changes: { ...UNASSIGNED, due_at, order_id: row.order_id },
            reason,
            at,
          };
    const released = await inventory.move(row.e164, move, tx);
    if (released === null) return null;
    await numbers.removeAsCallerId(row, tx);
    await this.#tell(tx, lanes, 'number.released', { ...row, state: released.state, binding: null });
    return released;
  }

  async #assigned(tx: Queryable, lanes: string[], row: NumberRow, mayBeMain: boolean): Promise<NumberRow> {
    if (mayBeMain) await this.options.numbers.setAsMainNumber(row, tx);
    await this.#tell(tx, lanes, 'number.assigned', row);
    return row;
  }

  async #tell(
    tx: Queryable,
    lanes: string[],
    type: 'number.assigned' | 'number.released',
    row: NumberRow,
  ): Promise<void> {
    const { organization_id, project_id } = row;
    const event = projectEvent({
      organization_id,
      project_id,
      type,
      data: presentNumber(row),
      created_at: this.options.clock.now(),
    });
    lanes.push(...(await recordEvent(tx, event)));
  }
}

/** The row of a number that nobody here knew. */
export function newNumberRow(
  number: Pick<InventoryRow, 'e164' | 'kind' | 'state' | 'source'> & Partial<InventoryRow>,
  at: Date,
): InventoryRow {
  return { ...UNASSIGNED, provider: null, id: newId(), created_at: at, ...number };
}
