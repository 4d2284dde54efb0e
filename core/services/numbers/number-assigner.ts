import type { Queryable } from '../../data/database.js';
import { projectEvent, recordEvent } from '../../data/outbox.js';
import { UNASSIGNED, type Inventory, type NumberMove } from '../../data/repositories/numbers/inventory.js';
import type { ProjectKind } from '../../data/repositories/project-kind.js';
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
  /** Days for which a released number is not assigned to anyone else. */
  readonly quarantineDays: number;
  /** Called after events for these webhook delivery lanes were recorded. */
  readonly wake: (lanes: readonly string[]) => void;
  /** Makes this and all other processes look numbers up again. */
  readonly announce: () => Promise<void>;
}

/** Who gets a number, and whether in the sandbox. */
export interface NumberOwner extends ProjectKind {
  readonly organizationId: string;
}

/** How a number is assigned to a project. */
export interface Assignment {
  /** Recorded in the number's history. */
  readonly reason: string;
  readonly binding: Destination | null;
  /** Whether the number may become the project's main number if it has none. */
  readonly mayBeMain: boolean;
}

const DAY_MS = 86_400_000;

/**
 * Assigns numbers to projects and releases them. State, history, event and everything that depends on the number change
 * in one transaction.
 */
export class NumberAssigner {
  constructor(private readonly options: NumberAssignerOptions) {}

  /**
   * Runs `work` in a transaction, and then notifies webhook delivery and engines.
   * @param work receives the transaction, and an array for the delivery lanes of the events that it records
   */
  async change<T>(work: (tx: Queryable, lanes: string[]) => Promise<T>): Promise<T> {
    const lanes: string[] = [];
    const result = await this.options.inventory.transaction((tx) => work(tx, lanes));
    await this.publish(lanes);
    return result;
  }

  /** Notifies webhook delivery and engines after a commit. @param lanes delivery lanes of the recorded events */
  async publish(lanes: readonly string[]): Promise<void> {
    this.options.wake(lanes);
    await this.options.announce();
  }

  /**
   * Assigns a number from the inventory. @param orderId if given, only while this order reserves the number. @returns
   * null if the number is in none of the `from` states
   */
  async assign(
    tx: Queryable,
    lanes: string[],
    e164: string,
    from: readonly NumberState[],
    { projectId, organizationId, sandbox }: NumberOwner,
    { reason, binding, mayBeMain }: Assignment,
    changes: NumberMove['changes'] = {},
    orderId: string | null = null,
  ): Promise<NumberRow | null> {
    const { inventory, clock } = this.options;
    const at = clock.now();
    const owner = { organization_id: organizationId, project_id: projectId };
    const changed = { ...owner, binding, due_at: null, assigned_at: at, ...changes };
    const move: NumberMove = { from, to: 'assigned', changes: changed, reason, at };
    const row = sandbox
      ? await inventory.moveInSandbox(projectId, e164, move, tx)
      : await inventory.move(e164, move, tx, orderId);
    return row && this.#assigned(tx, lanes, row as NumberRow, mayBeMain);
  }

  /** Adds a new number to the inventory and assigns it. @returns null if the inventory already has it */
  async add(
    tx: Queryable,
    lanes: string[],
    row: NumberRow,
    { reason, mayBeMain }: Assignment,
  ): Promise<NumberRow | null> {
    const [added] = await this.options.inventory.add([row], reason, tx);
    return added ? this.#assigned(tx, lanes, added as NumberRow, mayBeMain) : null;
  }

  /**
   * Releases a project's number. Numbers of the operator and of providers enter quarantine; a customer's own number, and
   * any number of a sandbox, is released at once.
   */
  async release(tx: Queryable, lanes: string[], row: NumberRow, reason: string): Promise<InventoryRow | null> {
    const { inventory, numbers, clock, quarantineDays } = this.options;
    const at = clock.now();
    const due_at = new Date(at.getTime() + quarantineDays * DAY_MS);
    const move: NumberMove =
      row.source === 'own' || row.sandbox
        ? { from: ['assigned'], to: 'released', changes: UNASSIGNED, reason, at }
        : {
            from: ['assigned'],
            to: 'quarantined',
            // The provider identifies its number by the order.
            changes: { ...UNASSIGNED, due_at, order_id: row.order_id },
            reason,
            at,
          };
    const released = row.sandbox
      ? await inventory.moveInSandbox(row.project_id, row.e164, move, tx)
      : await inventory.move(row.e164, move, tx);
    if (released === null) return null;
    if (!row.sandbox) await numbers.removeAsCallerId(row, tx);
    await this.#recordEvent(tx, lanes, 'number.released', { ...row, state: released.state, binding: null });
    return released;
  }

  async #assigned(tx: Queryable, lanes: string[], row: NumberRow, mayBeMain: boolean): Promise<NumberRow> {
    if (mayBeMain && !row.sandbox) await this.options.numbers.setAsMainNumber(row, tx);
    await this.#recordEvent(tx, lanes, 'number.assigned', row);
    return row;
  }

  async #recordEvent(
    tx: Queryable,
    lanes: string[],
    type: 'number.assigned' | 'number.released',
    row: NumberRow,
  ): Promise<void> {
    const { organization_id, project_id, sandbox } = row;
    const event = projectEvent({
      organization_id,
      project_id,
      sandbox,
      type,
      data: presentNumber(row),
      created_at: this.options.clock.now(),
    });
    lanes.push(...(await recordEvent(tx, event)));
  }
}

/** The inventory row of a new number, live unless `number` says otherwise. */
export function newNumberRow(
  number: Pick<InventoryRow, 'e164' | 'kind' | 'state' | 'source'> & Partial<InventoryRow>,
  at: Date,
): InventoryRow {
  return { ...UNASSIGNED, sandbox: false, provider: null, id: newId(), created_at: at, ...number };
}
