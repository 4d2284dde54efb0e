import { LIVE_KINDS, type EngineKind } from '../../../model/engine-kinds.js';
import type { HostPort } from '../../../model/host-port.js';
import { newId } from '../../../model/ids.js';
import type { Database } from '../../database.js';
import type { EngineRow } from '../../rows.js';

/** The state of an engine, as reported by its owner process. */
export interface EngineCondition {
  readonly status: EngineRow['status'];
  readonly sip: EngineRow['sip_status'];
  readonly bootId: string | null;
  readonly version: string | null;
}

/** An engine, and whether its lease is held now, by the database's clock. */
export interface EngineWithLease extends EngineRow {
  readonly leased: boolean;
}

/** Adds the number of live calls. */
export interface EngineWithLoad extends EngineWithLease {
  readonly live_calls: number;
}

/** A process that waits for an engine, and its last heartbeat. */
export interface Candidate {
  readonly process: string;
  readonly seen_at: Date;
}

/** The settings of an engine that is managed by command. */
export type ManagedEngine = Pick<
  EngineRow,
  'name' | 'kind' | 'address' | 'password' | 'sip_host' | 'sip_port' | 'ws_url' | 'weight' | 'max_calls'
>;

const LEASED = 'owner IS NOT NULL AND lease_expires_at > clock_timestamp()';
/** A waiting process refreshes its row every second; after this time it counts as gone. */
const CANDIDATE_FRESH = `seen_at > clock_timestamp() - interval '5 seconds'`;
/** How long a released lease is reserved for the process that waits for it. */
const RESERVED = `interval '5 seconds'`;
/** Number of live calls of `engine`. */
const LOAD = `(
  SELECT count(*)::int FROM calls
  WHERE calls.engine_id = engine.id AND calls.status IN ('initiated', 'ringing', 'answered')
)`;
const LEASE_UNTIL = (ttlMs: string) => `clock_timestamp() + ${ttlMs} * interval '1 millisecond'`;

/**
 * The engines and their leases. All times are the database's, since the clocks of processes may
 * differ.
 */
export class Engines {
  constructor(private readonly db: Database) {}

  /** Registers an engine from the settings, or updates it. */
  async upsert(
    name: string,
    kind: EngineKind,
    sip: HostPort | null = null,
    wsUrl: string | null = null,
  ): Promise<EngineRow> {
    const [row] = await this.db.query<EngineRow>(
      `INSERT INTO engines (id, name, kind, sip_host, sip_port, ws_url) VALUES ($1, $2, $3, $4, $5, $6)
       ON CONFLICT (name) DO UPDATE
       SET kind = excluded.kind, sip_host = excluded.sip_host, sip_port = excluded.sip_port, ws_url = excluded.ws_url,
         removed_at = NULL
       RETURNING *`,
      [newId(), name, kind, sip?.host ?? null, sip?.port ?? null, wsUrl],
    );
    if (!row) throw new Error('an upsert returns its row');
    return row;
  }

  /** Adds an engine, or restores a removed one. @returns null if the name is in use. */
  async add(engine: ManagedEngine): Promise<EngineRow | null> {
    const [row] = await this.db.query<EngineRow>(
      `INSERT INTO engines (id, name, kind, managed, address, password, sip_host, sip_port, weight, max_calls, ws_url)
       VALUES ($1, $2, $3, true, $4, $5, $6, $7, $8, $9, $10)
       ON CONFLICT (name) DO UPDATE
       SET kind = excluded.kind, managed = true, address = excluded.address, password = excluded.password,
         sip_host = excluded.sip_host, sip_port = excluded.sip_port, ws_url = excluded.ws_url, weight = excluded.weight,
         max_calls = excluded.max_calls, draining = false, removed_at = NULL, status = 'unreachable', sip_status = NULL
       WHERE engines.removed_at IS NOT NULL
       RETURNING *`,
      [
        newId(),
        engine.name,
        engine.kind,
        JSON.stringify(engine.address),
        engine.password,
        engine.sip_host,
        engine.sip_port,
        engine.weight,
        engine.max_calls,
        engine.ws_url,
      ],
    );
    return row ?? null;
  }

  async setDraining(id: string, draining: boolean): Promise<void> {
    await this.db.query('UPDATE engines SET draining = $2 WHERE id = $1', [id, draining]);
  }

  /**
   * Removes an engine. Its finished calls keep their reference to it.
   * @returns false, and changes nothing, while the engine has live calls or unsaved recordings
   */
  async remove(id: string): Promise<boolean> {
    const rows = await this.db.query(
      `UPDATE engines SET removed_at = clock_timestamp(), draining = true WHERE id = $1 AND NOT EXISTS (
         SELECT 1 FROM calls WHERE engine_id = $1 AND calls.status IN ('initiated', 'ringing', 'answered')
         UNION ALL
         SELECT 1 FROM recordings WHERE engine_id = $1 AND recordings.status IN ('recording', 'paused', 'stopped')
       ) RETURNING id`,
      [id],
    );
    return rows.length === 1;
  }

  /**
   * Acquires the lease if it is free or held by the same owner. Each success starts a new epoch,
   * which fences off all writes of previous owners.
   * @param takeover.evenFrom an owner that is known to be dead; its running lease is ignored.
   * @returns the epoch, or null while another owner's lease runs.
   */
  async acquire(
    id: string,
    owner: string,
    ttlMs: number,
    takeover: { readonly evenFrom?: string } = {},
  ): Promise<number | null> {
    const [row] = await this.db.query<{ epoch: number }>(
      `UPDATE engines SET owner = $2, epoch = epoch + 1, lease_expires_at = ${LEASE_UNTIL('$3')}
       WHERE id = $1 AND removed_at IS NULL AND (NOT (${LEASED}) OR owner IN ($2, $4))
       RETURNING epoch`,
      [id, owner, ttlMs, takeover.evenFrom ?? null],
    );
    return row?.epoch ?? null;
  }

  /**
   * Renews the lease and stores the engine's state. Also succeeds after the lease expired, as long
   * as no other process took the engine.
   * @returns false if the engine has another owner or epoch.
   */
  async renew(id: string, owner: string, epoch: number, ttlMs: number, condition: EngineCondition): Promise<boolean> {
    const rows = await this.db.query(
      `UPDATE engines SET lease_expires_at = ${LEASE_UNTIL('$4')}, status = $5,
         boot_id = coalesce($6, boot_id), version = $7,
         sip_status = $8, seen_at = CASE WHEN $5 = 'up' THEN clock_timestamp() ELSE seen_at END
       WHERE id = $1 AND owner = $2 AND epoch = $3
       RETURNING id`,
      [id, owner, epoch, ttlMs, condition.status, condition.bootId, condition.version, condition.sip],
      { prepared: true },
    );
    return rows.length === 1;
  }

  /**
   * Releases the lease, so that a successor need not wait for it to expire. If a process is waiting
   * for the engine, the lease is reserved for it, so that the engine always has an owner for
   * processes that place calls. Does nothing if another process owns the engine by now.
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

  /** Registers this process as a candidate for the engine; repeat it every second. */
  async apply(id: string, process: string): Promise<void> {
    await this.db.query(
      `INSERT INTO engine_candidates (engine_id, process, seen_at) VALUES ($1, $2, clock_timestamp())
       ON CONFLICT (engine_id) DO UPDATE SET process = excluded.process, seen_at = excluded.seen_at`,
      [id, process],
      { prepared: true },
    );
  }

  /** Withdraws the candidacy. */
  async withdraw(id: string, process: string): Promise<void> {
    await this.db.query('DELETE FROM engine_candidates WHERE engine_id = $1 AND process = $2', [id, process]);
  }

  /** Whether another process owns the engine or waits for it. */
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

  /** All engines that are not removed, by name. */
  list(): Promise<EngineWithLease[]> {
    return this.db.query<EngineWithLease>(
      `SELECT *, coalesce(${LEASED}, false) AS leased FROM engines WHERE removed_at IS NULL ORDER BY name`,
    );
  }

  /**
   * All engines of these kinds, with their load. Calls are not counted if there is nothing to
   * choose, since counting is expensive.
   */
  offers(kinds: readonly EngineKind[]): Promise<EngineWithLoad[]> {
    return this.db.query<EngineWithLoad>(
      `SELECT engine.*, coalesce(${LEASED}, false) AS leased,
         CASE WHEN max_calls IS NULL AND count(*) OVER () = 1 THEN 0 ELSE ${LOAD} END AS live_calls
       FROM engines AS engine WHERE kind = ANY ($1) AND removed_at IS NULL`,
      [kinds],
      { prepared: true },
    );
  }

  /** All engines with their load, by name. */
  listWithLoad(): Promise<EngineWithLoad[]> {
    return this.db.query<EngineWithLoad>(
      `SELECT engine.*, coalesce(${LEASED}, false) AS leased, ${LOAD} AS live_calls
       FROM engines AS engine WHERE removed_at IS NULL ORDER BY name`,
    );
  }

  /**
   * Number of engines owned by the process, without simulators, which end with it. @param process
   * prefix of its owner names
   */
  async countOf(process: string): Promise<number> {
    const [row] = await this.db.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM engines
       WHERE starts_with(owner, $1) AND ${LEASED} AND kind = ANY ($2) AND removed_at IS NULL`,
      [process, LIVE_KINDS],
    );
    return row?.count ?? 0;
  }

  /** The process that waits for the engine, or null. */
  async candidate(id: string): Promise<Candidate | null> {
    const [row] = await this.db.query<Candidate>(
      `SELECT process, seen_at FROM engine_candidates WHERE engine_id = $1 AND ${CANDIDATE_FRESH}`,
      [id],
    );
    return row ?? null;
  }
}
