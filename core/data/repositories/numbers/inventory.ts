import { isNumberMove, type NumberSource, type NumberState } from '../../../model/number/states.js';
import { likePatterns, type NumberSearch } from '../../../model/number/search.js';
import type { Database, Queryable } from '../../database.js';
import type { InventoryRow, NumberChangeRow, NumberRow } from '../../rows.js';

/** Columns that change together with a number's state; absent members stay unchanged. */
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
  /** The move happens only in one of these states. */
  readonly from: readonly NumberState[];
  readonly to: NumberState;
  readonly changes?: NumberChanges;
  /** Recorded in the history. */
  readonly reason: string;
  readonly at: Date;
}

/** The columns of a number without an owner. */
export const UNASSIGNED = {
  organization_id: null,
  project_id: null,
  label: null,
  binding: null,
  order_id: null,
  due_at: null,
  assigned_at: null,
} as const satisfies NumberChanges;

/**
 * @param which the condition after `SELECT … FROM numbers WHERE` that selects the numbers; `$1` to `$4` are taken
 */
const moveStatement = (which: string): string => `
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

const MOVE_ONE = moveStatement(`e164 = $5 AND NOT sandbox AND ($6::uuid IS NULL OR order_id = $6) FOR UPDATE`);
const MOVE_IN_SANDBOX = moveStatement(`e164 = $5 AND project_id = $6 AND sandbox FOR UPDATE`);
const TAKE_ANY = moveStatement(
  `NOT sandbox AND e164 LIKE $5 AND e164 LIKE $6 AND ($7::text IS NULL OR kind = $7) ORDER BY e164 LIMIT 1 FOR UPDATE SKIP LOCKED`,
);
const MOVE_SOURCE = moveStatement(`source = $5 FOR UPDATE`);

const ADD = `
  WITH added AS (
    INSERT INTO numbers SELECT * FROM jsonb_populate_recordset(NULL::numbers, $1)
    ON CONFLICT DO NOTHING
    RETURNING *
  ), history AS (
    INSERT INTO number_changes (id, number_id, from_state, to_state, organization_id, project_id, reason, at)
    SELECT uuid_v7(), id, NULL, state, organization_id, project_id, $2, created_at FROM added
  )
  SELECT * FROM added`;

/**
 * All numbers of the installation and their life cycle, and the numbers of sandboxes. Every change of
 * state is recorded in the history.
 */
export class Inventory {
  constructor(private readonly db: Database) {}

  /** Runs `work` in a transaction. */
  transaction<T>(work: (tx: Queryable) => Promise<T>): Promise<T> {
    return this.db.transaction(work);
  }

  /** The live number. */
  async find(e164: string, on: Queryable = this.db): Promise<InventoryRow | null> {
    const [row] = await on.query<InventoryRow>(`SELECT * FROM numbers WHERE e164 = $1 AND NOT sandbox`, [e164]);
    return row ?? null;
  }

  /** Those of these live numbers that are in the inventory, in any state. */
  findMany(numbers: readonly string[], on: Queryable = this.db): Promise<InventoryRow[]> {
    return on.query<InventoryRow>(`SELECT * FROM numbers WHERE e164 = ANY ($1::text[]) AND NOT sandbox ORDER BY e164`, [
      numbers,
    ]);
  }

  /** Available numbers in numeric order, only those after `after`. */
  available(search: NumberSearch, after: string, limit: number): Promise<InventoryRow[]> {
    return this.db.query<InventoryRow>(
      `SELECT * FROM numbers
       WHERE state = 'available' AND NOT sandbox AND e164 LIKE $1 AND e164 LIKE $2 AND ($3::text IS NULL OR kind = $3) AND e164 > $4
       ORDER BY e164 LIMIT $5`,
      [...likePatterns(search), search.kind, after, limit],
    );
  }

  /** Adds numbers, skipping existing ones. @returns the added rows */
  add(rows: readonly InventoryRow[], reason: string, on: Queryable = this.db): Promise<InventoryRow[]> {
    return on.query<InventoryRow>(ADD, [JSON.stringify(rows), reason]);
  }

  /**
   * @param orderId moves the number only if it belongs to this order. @returns null if the number
   * is in none of the states
   */
  async move(
    e164: string,
    move: NumberMove,
    on: Queryable = this.db,
    orderId: string | null = null,
  ): Promise<InventoryRow | null> {
    const [row] = await on.query<InventoryRow>(MOVE_ONE, [...parameters(move), e164, orderId]);
    return row ?? null;
  }

  /** Moves a number of the project's sandbox. @returns null if the number is in none of the states */
  async moveInSandbox(projectId: string, e164: string, move: NumberMove, on: Queryable): Promise<InventoryRow | null> {
    const [row] = await on.query<InventoryRow>(MOVE_IN_SANDBOX, [...parameters(move), e164, projectId]);
    return row ?? null;
  }

  /** Takes the first matching number that no other transaction has locked. */
  async takeAny(search: NumberSearch, move: NumberMove, on: Queryable = this.db): Promise<InventoryRow | null> {
    const [row] = await on.query<InventoryRow>(TAKE_ANY, [...parameters(move), ...likePatterns(search), search.kind]);
    return row ?? null;
  }

  /** Moves all numbers of a source that are in one of the states. */
  moveSource(source: NumberSource, move: NumberMove, on: Queryable = this.db): Promise<InventoryRow[]> {
    return on.query<InventoryRow>(MOVE_SOURCE, [...parameters(move), source]);
  }

  /** Leases a due number without changing its state: no other process gets it before `until`. */
  async lease(state: NumberState, at: Date, until: Date): Promise<InventoryRow | null> {
    const [row] = await this.db.query<InventoryRow>(
      `UPDATE numbers SET due_at = $3 WHERE id = (
         SELECT id FROM numbers WHERE state = $1 AND due_at <= $2 ORDER BY due_at LIMIT 1 FOR UPDATE SKIP LOCKED
       ) RETURNING *`,
      [state, at, until],
    );
    return row ?? null;
  }

  /** Resumes an unfinished order of the project: leases its number until `until`. */
  async resumeOrder(e164: string, projectId: string, at: Date, until: Date): Promise<InventoryRow | null> {
    const [row] = await this.db.query<InventoryRow>(
      `UPDATE numbers SET due_at = $4
       WHERE e164 = $1 AND project_id = $2 AND NOT sandbox AND state = 'reserved' AND due_at <= $3 RETURNING *`,
      [e164, projectId, at, until],
    );
    return row ?? null;
  }

  /** Sets when periodic work, or a repeated request, may resume the order. */
  async setDue(e164: string, orderId: string, at: Date): Promise<void> {
    await this.db.query(
      `UPDATE numbers SET due_at = $3 WHERE e164 = $1 AND NOT sandbox AND order_id = $2 AND state = 'reserved'`,
      [e164, orderId, at],
    );
  }

  /** Live numbers of an organization, oldest first. */
  assignedTo(organizationId: string, limit: number): Promise<NumberRow[]> {
    return this.db.query<NumberRow>(
      `SELECT * FROM numbers WHERE organization_id = $1 AND state = 'assigned' AND NOT sandbox ORDER BY id LIMIT $2`,
      [organizationId, limit],
    );
  }

  /** Oldest first. */
  history(numberId: string): Promise<NumberChangeRow[]> {
    return this.db.query<NumberChangeRow>(`SELECT * FROM number_changes WHERE number_id = $1 ORDER BY id`, [numberId]);
  }
}

function parameters({ from, to, changes, reason, at }: NumberMove): unknown[] {
  const illegal = from.find((state) => !isNumberMove(state, to));
  if (illegal !== undefined) throw new Error(`a number cannot move from ${illegal} to ${to}`);
  return [from, JSON.stringify({ ...changes, state: to }), reason, at];
}
