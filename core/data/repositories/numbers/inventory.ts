import { isNumberMove, type NumberState } from '../../../model/number/states.js';
import { likesOf, type NumberSearch } from '../../../model/number/search.js';
import type { Database, Queryable } from '../../database.js';
import type { InventoryRow, NumberChangeRow } from '../../rows.js';

/** What goes with a number's change of state. What is left out stays. */
type NumberChanges = Partial<
  Pick<
    InventoryRow,
    | 'organization_id'
    | 'project_id'
    | 'source'
    | 'provider'
    | 'label'
    | 'binding'
    | 'order_id'
    | 'due_at'
    | 'assigned_at'
  >
>;

export interface NumberMove {
  /** In another state nothing happens. */
  readonly from: readonly NumberState[];
  readonly to: NumberState;
  readonly changes?: NumberChanges;
  /** For the history. */
  readonly reason: string;
  readonly at: Date;
}

/** What a number is without an owner. */
export const UNOWNED = {
  organization_id: null,
  project_id: null,
  label: null,
  binding: null,
  order_id: null,
  due_at: null,
  assigned_at: null,
} as const satisfies NumberChanges;

/** @param which the part of a query after `SELECT … FROM numbers WHERE` that names at most one number; `$1` to `$4` are taken */
const moving = (which: string): string => `
  WITH before AS (
    SELECT id, state, organization_id, project_id FROM numbers WHERE state = ANY ($1::text[]) AND ${which}
  ), moved AS (
    UPDATE numbers AS kept
    SET (state, organization_id, project_id, source, provider, label, binding, order_id, due_at, assigned_at) =
      (SELECT state, organization_id, project_id, source, provider, label, binding, order_id, due_at, assigned_at
       FROM jsonb_populate_record(kept, $2))
    FROM before WHERE kept.id = before.id
    RETURNING kept.*
  ), history AS (
    INSERT INTO number_changes (id, number_id, from_state, to_state, organization_id, project_id, reason, at)
    SELECT uuid_v7(), moved.id, before.state, moved.state, coalesce(moved.organization_id, before.organization_id),
      coalesce(moved.project_id, before.project_id), $3, $4
    FROM moved JOIN before ON before.id = moved.id
  )
  SELECT * FROM moved`;

const MOVE_ONE = moving(`e164 = $5 AND ($6::uuid IS NULL OR order_id = $6) FOR UPDATE`);
const TAKE_ANY = moving(
  `e164 LIKE $5 AND e164 LIKE $6 AND ($7::text IS NULL OR kind = $7) ORDER BY e164 LIMIT 1 FOR UPDATE SKIP LOCKED`,
);

const ADD = `
  WITH added AS (
    INSERT INTO numbers SELECT * FROM jsonb_populate_recordset(NULL::numbers, $1)
    ON CONFLICT (e164) DO NOTHING
    RETURNING *
  ), history AS (
    INSERT INTO number_changes (id, number_id, from_state, to_state, organization_id, project_id, reason, at)
    SELECT uuid_v7(), id, NULL, state, organization_id, project_id, $2, created_at FROM added
  )
  SELECT * FROM added`;

/** The numbers of the installation, whoever has them, and how they come and go. Every change of state is written into their history. */
export class Inventory {
  constructor(private readonly db: Database) {}

  /** With the transaction's own hands, or in one of its own. */
  transaction<T>(work: (tx: Queryable) => Promise<T>): Promise<T> {
    return this.db.transaction(work);
  }

  async find(e164: string, on: Queryable = this.db): Promise<InventoryRow | null> {
    const [row] = await on.query<InventoryRow>(`SELECT * FROM numbers WHERE e164 = $1`, [e164]);
    return row ?? null;
  }

  /** Those of these that are here, in whatever state. */
  known(numbers: readonly string[], on: Queryable = this.db): Promise<InventoryRow[]> {
    return on.query<InventoryRow>(`SELECT * FROM numbers WHERE e164 = ANY ($1::text[]) ORDER BY e164`, [numbers]);
  }

  /** Numbers that can be had, in their order, those after `after` only. */
  available(search: NumberSearch, after: string, limit: number): Promise<InventoryRow[]> {
    return this.db.query<InventoryRow>(
      `SELECT * FROM numbers
       WHERE state = 'available' AND e164 LIKE $1 AND e164 LIKE $2 AND ($3::text IS NULL OR kind = $3) AND e164 > $4
       ORDER BY e164 LIMIT $5`,
      [...likesOf(search), search.kind, after, limit],
    );
  }

  /** Add numbers that were never here. @returns those that were not */
  add(rows: readonly InventoryRow[], reason: string, on: Queryable = this.db): Promise<InventoryRow[]> {
    return on.query<InventoryRow>(ADD, [JSON.stringify(rows), reason]);
  }

  /** @param orderId only while it is this order's. @returns null where the number is in none of the states */
  async move(
    e164: string,
    move: NumberMove,
    on: Queryable = this.db,
    orderId: string | null = null,
  ): Promise<InventoryRow | null> {
    const [row] = await on.query<InventoryRow>(MOVE_ONE, [...parameters(move), e164, orderId]);
    return row ?? null;
  }

  /** The first that fits and that nobody else is just taking. */
  async takeAny(search: NumberSearch, move: NumberMove, on: Queryable = this.db): Promise<InventoryRow | null> {
    const [row] = await on.query<InventoryRow>(TAKE_ANY, [...parameters(move), ...likesOf(search), search.kind]);
    return row ?? null;
  }

  /** One that is due and stays in its state for now: nobody else gets it before `until`. */
  async lease(state: NumberState, at: Date, until: Date): Promise<InventoryRow | null> {
    const [row] = await this.db.query<InventoryRow>(
      `UPDATE numbers SET due_at = $3 WHERE id = (
         SELECT id FROM numbers WHERE state = $1 AND due_at <= $2 ORDER BY due_at LIMIT 1 FOR UPDATE SKIP LOCKED
       ) RETURNING *`,
      [state, at, until],
    );
    return row ?? null;
  }

  /** The order of the project's that did not come to an end: its number is given once more to whoever asks, until `until`. */
  async resumeOrder(e164: string, projectId: string, at: Date, until: Date): Promise<InventoryRow | null> {
    const [row] = await this.db.query<InventoryRow>(
      `UPDATE numbers SET due_at = $4
       WHERE e164 = $1 AND project_id = $2 AND state = 'reserved' AND due_at <= $3 RETURNING *`,
      [e164, projectId, at, until],
    );
    return row ?? null;
  }

  /** The regular work may come for the order, or its owner ask again, from then on. */
  async setDue(e164: string, orderId: string, at: Date): Promise<void> {
    await this.db.query(`UPDATE numbers SET due_at = $3 WHERE e164 = $1 AND order_id = $2 AND state = 'reserved'`, [
      e164,
      orderId,
      at,
    ]);
  }

  /** Oldest first. */
  history(numberId: string): Promise<NumberChangeRow[]> {
    return this.db.query<NumberChangeRow>(`SELECT * FROM number_changes WHERE number_id = $1 ORDER BY id`, [numberId]);
  }
}

function parameters({ from, to, changes, reason, at }: NumberMove): unknown[] {
  const illegal = from.find((state) => !isNumberMove(state, to));
  if (illegal !== undefined) throw new Error(`a number does not go from ${illegal} to ${to}`);
  return [from, JSON.stringify({ ...changes, state: to }), reason, at];
}
