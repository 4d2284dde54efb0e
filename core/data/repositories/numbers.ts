import type { Database, Queryable } from '../database.js';
import { numbersOf } from '../models/tables.js';
import type { Destination, NumberRow } from '../rows.js';

export class Numbers {
  readonly #table;

  constructor(private readonly db: Database) {
    this.#table = numbersOf(db);
  }

  /** @throws a unique violation of `numbers_e164` when anybody has the number. */
  create(row: NumberRow, on?: Queryable): Promise<void> {
    return this.#table.insert(row, on);
  }

  /** The number whoever it belongs to. */
  async findByE164(e164: string): Promise<NumberRow | null> {
    const [row] = await this.db.query<NumberRow>(`SELECT * FROM numbers WHERE e164 = $1`, [e164], { prepared: true });
    return row ?? null;
  }

  /** The first number of the project that rings this agent. */
  async findByAgent(projectId: string, agent: string): Promise<NumberRow | null> {
    const [row] = await this.db.query<NumberRow>(
      `SELECT * FROM numbers
       WHERE project_id = $1 AND state = 'assigned' AND binding->>'type' = 'agent' AND binding->>'target' = $2
       ORDER BY id LIMIT 1`,
      [projectId, agent],
      { prepared: true },
    );
    return row ?? null;
  }

  /** Oldest first. */
  listByProject(projectId: string): Promise<NumberRow[]> {
    return this.#table.find({ project_id: projectId }, ['id']);
  }

  /** What an incoming call reaches; null nothing. */
  async setBinding(id: string, binding: Destination | null): Promise<void> {
    await this.#table.update({ id }, { binding });
  }
}
