import { newId } from '../../model/ids.js';
import type { Database } from '../database.js';
import type { EngineKind, EngineRow } from '../rows.js';

/** How an engine is, as its owner sees it. */
export interface EngineCondition {
  readonly status: EngineRow['status'];
  readonly bootId: string | null;
  readonly version: string | null;
}

/** An engine and whether a process holds its lease now, by the database's clock. */
export interface EngineWithLease extends EngineRow {
  readonly leased: boolean;
}

const LEASED = 'owner IS NOT NULL AND lease_expires_at > clock_timestamp()';
/** A process that waits says so every second; after this time it is taken for gone. */
const CANDIDATE_FRESH = `seen_at > clock_timestamp() - interval '5 seconds'`;
/** For how long a lease that is given back is kept for the process that waits for it. */
const RESERVED = `interval '5 seconds'`;
const LEASE_UNTIL = (ttlMs: string) => `clock_timestamp() + ${ttlMs} * interval '1 millisecond'`;

/** The engines and the leases on them. All times are the database's: processes' clocks may differ. */
export class Engines {
  constructor(private readonly db: Database) {}

  /** Make the engine known under its name, or find it again. */
  async upsert(name: string, kind: EngineKind): Promise<EngineRow> {
    const [row] = await this.db.query<EngineRow>(
      `INSERT INTO engines (id, name, kind) VALUES ($1, $2, $3)
       ON CONFLICT (name) DO UPDATE SET kind = excluded.kind
       RETURNING *`,
      [newId(), name, kind],
    );
    if (!row) throw new Error('an upsert returns its row');
    return row;
  }

  /**
   * Become the engine's owner if nobody holds its lease, or it is one's own. Each success is a new epoch: from then on nothing that
   * an owner before still writes is taken.
   * @param takeover.evenFrom an owner that is known to be dead; its running lease counts for nothing.
   * @returns the epoch, or null when another owner's lease runs.
   */
  async acquire(
    id: string,
    owner: string,
    ttlMs: number,
    takeover: { readonly evenFrom?: string } = {},
  ): Promise<number | null> {
    const [row] = await this.db.query<{ epoch: number }>(
      `UPDATE engines SET owner = $2, epoch = epoch + 1, lease_expires_at = ${LEASE_UNTIL('$3')}
       WHERE id = $1 AND (NOT (${LEASED}) OR owner IN ($2, $4))
       RETURNING epoch`,
      [id, owner, ttlMs, takeover.evenFrom ?? null],
    );
    return row?.epoch ?? null;
  }

  /**
   * Hold the lease on, and tell how the engine is. Also after it ran out, as long as nobody took the engine.
   * @returns false when the engine has another owner or epoch.
   */
  async renew(id: string, owner: string, epoch: number, ttlMs: number, condition: EngineCondition): Promise<boolean> {
    const rows = await this.db.query(
      `UPDATE engines SET lease_expires_at = ${LEASE_UNTIL('$4')}, status = $5, boot_id = $6, version = $7,
         seen_at = CASE WHEN $5 = 'up' THEN clock_timestamp() ELSE seen_at END
       WHERE id = $1 AND owner = $2 AND epoch = $3
       RETURNING id`,
      [id, owner, epoch, ttlMs, condition.status, condition.bootId, condition.version],
      { prepared: true },
    );
    return rows.length === 1;
  }

  /**
   * Give the lease back, so that a successor need not wait; to the process that waits for it, where one does, so that the engine is never
   * without an owner in the eyes of those who place calls. Nothing happens when it is another's by now.
   */
  async release(id: string, owner: string, epoch: number): Promise<void> {
    await this.db.query(
      `UPDATE engines AS engine SET owner = next.process, lease_expires_at = clock_timestamp() + next.reserved
       FROM (SELECT 1) AS one LEFT JOIN (
         SELECT process, ${RESERVED} AS reserved FROM engine_candidates
         WHERE engine_id = $1 AND process <> $2 AND ${CANDIDATE_FRESH}
       ) AS next ON true
       WHERE engine.id = $1 AND engine.owner = $2 AND engine.epoch = $3`,
      [id, owner, epoch],
    );
  }

  /** Say that this process waits for the engine; to be repeated every second. */
  async apply(id: string, process: string): Promise<void> {
    await this.db.query(
      `INSERT INTO engine_candidates (engine_id, process, seen_at) VALUES ($1, $2, clock_timestamp())
       ON CONFLICT (engine_id) DO UPDATE SET process = excluded.process, seen_at = excluded.seen_at`,
      [id, process],
      { prepared: true },
    );
  }

  /** Wait for the engine no longer. */
  async withdraw(id: string, process: string): Promise<void> {
    await this.db.query('DELETE FROM engine_candidates WHERE engine_id = $1 AND process = $2', [id, process]);
  }

  /** Whether another process owns the engine, or waits for it. */
  async isSharedWith(id: string, process: string): Promise<boolean> {
    const rows = await this.db.query(
      `SELECT 1 FROM engines WHERE id = $1 AND owner <> $2 AND ${LEASED}
       UNION ALL SELECT 1 FROM engine_candidates WHERE engine_id = $1 AND process <> $2 AND ${CANDIDATE_FRESH}`,
      [id, process],
    );
    return rows.length > 0;
  }

  async get(id: string): Promise<EngineRow | null> {
    const [row] = await this.db.query<EngineRow>(`SELECT * FROM engines WHERE id = $1`, [id]);
    return row ?? null;
  }

  /** All, by name. */
  list(): Promise<EngineWithLease[]> {
    return this.db.query<EngineWithLease>(`SELECT *, coalesce(${LEASED}, false) AS leased FROM engines ORDER BY name`);
  }

  /** The engine of these kinds that is up, has an owner and carries the fewest calls; null when there is none. */
  async pick(kinds: readonly EngineKind[]): Promise<EngineRow | null> {
    const ready = await this.db.query<EngineRow>(
      `SELECT * FROM engines WHERE kind = ANY ($1) AND status = 'up' AND ${LEASED}`,
      [kinds],
      { prepared: true },
    );
    // Counting live calls is dear, and nearly always there is nothing to choose.
    if (ready.length < 2) return ready[0] ?? null;
    const [row] = await this.db.query<EngineRow>(
      `SELECT engine.* FROM engines AS engine
       CROSS JOIN LATERAL (
         SELECT count(*) AS calls FROM calls
         WHERE calls.engine_id = engine.id AND calls.status IN ('initiated', 'ringing', 'answered')
       ) AS load
       WHERE engine.id = ANY ($1::uuid[])
       ORDER BY load.calls, engine.name LIMIT 1`,
      [ready.map((engine) => engine.id)],
      { prepared: true },
    );
    return row ?? null;
  }
}
