import type { BlockedEntry } from '../../../model/number/blocked-caller.js';
import type { Database, Queryable } from '../../database.js';
import type { CallerEntryRow } from '../../rows.js';

/** Whose list an entry is on: that of a project, live or sandbox, of one of its agents, or of the installation. */
export interface CallerListOwner {
  /** Null: of the installation, live. */
  readonly projectId: string | null;
  readonly sandbox: boolean;
  /** The extension; absent or null: not of an agent. */
  readonly agent?: string | null;
}

/** The list of the owner, whose members are the first three values. `IS NOT DISTINCT FROM` would use no index. */
const ofOwner = ({ projectId }: CallerListOwner): string =>
  `${projectId === null ? 'project_id IS NULL AND $1::uuid IS NULL' : 'project_id = $1'} AND sandbox = $2
   AND coalesce(agent, '') = coalesce($3::text, '')`;
const valuesOf = ({ projectId, sandbox, agent = null }: CallerListOwner): readonly unknown[] => [
  projectId,
  sandbox,
  agent,
];

/** The lists of one kind: of agents, projects and the installation. */
export class CallerList<Row extends CallerEntryRow> {
  /**
   * @param table its name
   * @param counts names of the columns that only this table has
   */
  constructor(
    protected readonly db: Database,
    private readonly table: 'blocked_callers' | 'allowed_callers',
    private readonly counts: readonly (keyof Row & string)[] = [],
  ) {}

  get #columns(): string {
    const own = this.counts.map((name) => `, ${name}`).join('');
    return `id, project_id, agent, sandbox, kind, nullif(number, '') AS number, note, created_at${own}`;
  }

  /**
   * Adds the entry unless its list has it already, or has `max` entries. Safe against concurrent additions.
   * @returns the entry that is on the list now; why there is none: the list is full, or the agent does not exist
   */
  add(row: CallerEntryRow, max: number): Promise<Row | 'full' | 'no_agent'> {
    const owner = { projectId: row.project_id, sandbox: row.sandbox, agent: row.agent };
    return this.db.transaction(async (tx) => {
      const list = [this.table, row.project_id ?? '', String(row.sandbox), row.agent ?? ''].join(' ');
      await tx.query(`SELECT pg_advisory_xact_lock(hashtextextended($1, 0))`, [list]);
      if (row.agent !== null && !(await this.#hasAgent(tx, row.project_id, row.agent))) return 'no_agent';
      const known = await this.find(owner, row, tx);
      if (known) return known;
      const [counted] = await tx.query<{ entries: number }>(
        `SELECT count(*)::integer AS entries FROM ${this.table} WHERE ${ofOwner(owner)}`,
        valuesOf(owner),
      );
      if ((counted?.entries ?? 0) >= max) return 'full';
      const { id, kind, number, note, created_at } = row;
      const [added] = await tx.query<Row>(
        `INSERT INTO ${this.table} (id, project_id, sandbox, agent, kind, number, note, created_at)
         VALUES ($4, $1, $2, $3, $5, $6, $7, $8) RETURNING ${this.#columns}`,
        [...valuesOf(owner), id, kind, number ?? '', note, created_at],
      );
      return added ?? 'full';
    });
  }

  /** The lock keeps the agent until the entry is written, so that no entry outlives its agent. */
  async #hasAgent(tx: Queryable, projectId: string | null, agent: string): Promise<boolean> {
    const rows = await tx.query(`SELECT 1 FROM agents WHERE project_id = $1 AND agent = $2 FOR KEY SHARE`, [
      projectId,
      agent,
    ]);
    return rows.length > 0;
  }

  async find(owner: CallerListOwner, { kind, number }: BlockedEntry, on: Queryable = this.db): Promise<Row | null> {
    const [row] = await on.query<Row>(
      `SELECT ${this.#columns} FROM ${this.table} WHERE ${ofOwner(owner)} AND kind = $4 AND number = $5`,
      [...valuesOf(owner), kind, number ?? ''],
    );
    return row ?? null;
  }

  /** Newest first, only those before `beforeId`. */
  page(owner: CallerListOwner, beforeId: string | null, limit: number): Promise<Row[]> {
    return this.db.query<Row>(
      `SELECT ${this.#columns} FROM ${this.table} WHERE ${ofOwner(owner)} AND ($4::uuid IS NULL OR id < $4::uuid)
       ORDER BY id DESC LIMIT $5`,
      [...valuesOf(owner), beforeId, limit],
    );
  }

  /** @returns false if the list has no such entry */
  async remove(owner: CallerListOwner, id: string): Promise<boolean> {
    const rows = await this.db.query(`DELETE FROM ${this.table} WHERE ${ofOwner(owner)} AND id = $4 RETURNING id`, [
      ...valuesOf(owner),
      id,
    ]);
    return rows.length > 0;
  }

  /** @returns false if the list has no such entry */
  async removeEntry(owner: CallerListOwner, { kind, number }: BlockedEntry): Promise<boolean> {
    const rows = await this.db.query(
      `DELETE FROM ${this.table} WHERE ${ofOwner(owner)} AND kind = $4 AND number = $5 RETURNING id`,
      [...valuesOf(owner), kind, number ?? ''],
    );
    return rows.length > 0;
  }
}
