import {
  NO_FRAUD_LIMITS,
  type FraudCheck,
  type FraudLimits,
  type ProjectFraudLimits,
} from '../../../model/fraud/limits.js';
import type { Rate } from '../../../model/rating/rate.js';
import type { Database, Queryable } from '../../database.js';
import type { AuditRow, FraudBlockRow } from '../../rows.js';
import { insertAuditRows } from '../accounts/audit.js';

/** A leg to the outside that is checked, and counts if it has an id. */
export interface OutsideLeg {
  /** Null: only whether it may be dialled. */
  readonly legId: string | null;
  readonly projectId: string;
  readonly agent: string | null;
  /** A digest of what is called. */
  readonly number: string;
  /** Null if no limit of spending applies, and for a free leg. */
  readonly rate: Rate | null;
}

/** Why a leg may not be dialled. `block_id` is null if the limit has not blocked yet. */
export type FraudVerdict = Pick<FraudCheck, 'scope' | 'rule' | 'at_most'> & { readonly block_id: string | null };

/** A live call, as far as ending it needs it. */
export interface BlockedLiveCall {
  readonly id: string;
  readonly engine_id: string;
}

const LOCK = `SELECT pg_advisory_xact_lock(hashtextextended('outside legs ' || $1::uuid, 0))`;
const EMPTY = JSON.stringify(NO_FRAUD_LIMITS);
const ENDING = `SELECT project_id, agent FROM fraud_blocks
  WHERE ends_calls AND calls_ended_at IS NULL AND released_at IS NULL`;
const IN_FORCE = `SELECT FROM fraud_blocks WHERE project_id = $1 AND released_at IS NULL`;

/** The limits of outside calls, the legs that count towards them, and the blocks. */
export class FraudGuardTable {
  constructor(private readonly db: Database) {}

  /** Counts the leg if it may be dialled. @returns null, or why it may not be dialled */
  async check(leg: OutsideLeg, checks: readonly FraudCheck[], now: Date): Promise<FraudVerdict | null> {
    const { legId, projectId, agent, number, rate } = leg;
    const [verdict] = await this.db.query<FraudVerdict>(
      `SELECT * FROM guard_outside_leg($1, $2, $3, $4, $5, $6::jsonb, $7, $8, $9)`,
      [
        ...[projectId, agent, legId, number, now, JSON.stringify(checks)],
        ...[rate?.perMinute ?? null, rate?.incrementSeconds ?? null, rate?.minimumSeconds ?? null],
      ],
      { prepared: true },
    );
    return verdict ?? null;
  }

  /** The leg is not dialled after all. */
  async forget(legId: string): Promise<void> {
    await this.db.query(`DELETE FROM outside_legs WHERE leg_id = $1`, [legId], { prepared: true });
  }

  /** @returns false if the agent, or the project, is blocked already */
  async block(tx: Queryable, row: FraudBlockRow): Promise<boolean> {
    // No leg of the project that is checked after this one misses the block.
    await tx.query(LOCK, [row.project_id]);
    // The limit may be a default: the block outlives it.
    await tx.query(`UPDATE projects SET fraud_limits = $2 WHERE id = $1 AND fraud_limits IS NULL`, [
      row.project_id,
      EMPTY,
    ]);
    const rows = await tx.query(
      `INSERT INTO fraud_blocks SELECT * FROM jsonb_populate_record(NULL::fraud_blocks, $1)
       ON CONFLICT (project_id, coalesce(agent, '')) WHERE released_at IS NULL DO NOTHING RETURNING id`,
      [JSON.stringify(row)],
    );
    return rows.length > 0;
  }

  async find(projectId: string, id: string, on: Queryable = this.db): Promise<FraudBlockRow | null> {
    const [row] = await on.query<FraudBlockRow>(`SELECT * FROM fraud_blocks WHERE project_id = $1 AND id = $2`, [
      projectId,
      id,
    ]);
    return row ?? null;
  }

  /** Live calls that blocks end. */
  callsToEnd(limit: number): Promise<BlockedLiveCall[]> {
    return this.db.query<BlockedLiveCall>(
      `SELECT DISTINCT call.id, call.engine_id
       FROM (${ENDING}) AS block
       JOIN outside_legs AS dialled ON dialled.project_id = block.project_id AND dialled.ended_at = 'infinity'
         AND (block.agent IS NULL OR dialled.agent = block.agent)
       JOIN legs AS leg ON leg.id = dialled.leg_id AND leg.status <> 'ended'
       JOIN calls AS call ON call.id = leg.call_id
       LIMIT $1`,
      [limit],
    );
  }

  /**
   * Notes that the calls of blocks are over. Legs that were admitted before a block are stored shortly after it: only
   * blocks before `before` are settled, and those that were released.
   */
  async callsEnded(before: Date, at: Date): Promise<void> {
    await this.db.query(
      `UPDATE fraud_blocks AS block SET calls_ended_at = $2
       WHERE ends_calls AND calls_ended_at IS NULL AND (released_at IS NOT NULL OR blocked_at < $1 AND NOT EXISTS (
         SELECT FROM outside_legs AS dialled
         JOIN legs AS leg ON leg.id = dialled.leg_id AND leg.status <> 'ended'
         WHERE dialled.project_id = block.project_id AND dialled.ended_at = 'infinity'
           AND (block.agent IS NULL OR dialled.agent = block.agent)
       ))`,
      [before, at],
    );
  }

  /** Newest first, only those before `beforeId`. @param inForce leaves out those that were released */
  page(projectId: string, inForce: boolean, beforeId: string | null, limit: number): Promise<FraudBlockRow[]> {
    return this.db.query<FraudBlockRow>(
      `SELECT * FROM fraud_blocks
       WHERE project_id = $1 AND (NOT $2 OR released_at IS NULL) AND ($3::uuid IS NULL OR id < $3::uuid)
       ORDER BY id DESC LIMIT $4`,
      [projectId, inForce, beforeId, limit],
    );
  }

  /** @returns null if the project has no such block in force */
  async release(
    tx: Queryable,
    projectId: string,
    id: string,
    by: { readonly keyId: string | null; readonly at: Date },
  ): Promise<FraudBlockRow | null> {
    await tx.query(LOCK, [projectId]);
    const [row] = await tx.query<FraudBlockRow>(
      `UPDATE fraud_blocks SET released_at = $3, released_by_key = $4
       WHERE project_id = $1 AND id = $2 AND released_at IS NULL RETURNING *`,
      [projectId, id, by.at, by.keyId],
    );
    await this.#dropEmpty(tx, projectId);
    return row ?? null;
  }

  /**
   * Sets the limits of a project. While a block is in force, a project without limits is still checked.
   * @param audited rows of the audit log that the same transaction writes
   */
  setOfProject(projectId: string, limits: ProjectFraudLimits, audited: readonly AuditRow[] = []): Promise<void> {
    return this.db.transaction(async (tx) => {
      await tx.query(LOCK, [projectId]);
      await tx.query(`UPDATE projects SET fraud_limits = $2 WHERE id = $1`, [projectId, JSON.stringify(limits)]);
      await this.#dropEmpty(tx, projectId);
      if (audited.length > 0) await insertAuditRows(tx, audited);
    });
  }

  /** Sets the limits of an agent. @param audited as above @returns false if there is no such agent */
  setOfAgent(
    projectId: string,
    agent: string,
    limits: FraudLimits,
    audited: readonly AuditRow[] = [],
  ): Promise<boolean> {
    return this.db.transaction(async (tx) => {
      await tx.query(LOCK, [projectId]);
      const rows = await tx.query(
        `UPDATE agents SET fraud_limits = $3 WHERE project_id = $1 AND agent = $2 RETURNING id`,
        [projectId, agent, JSON.stringify(limits)],
      );
      await this.#dropEmpty(tx, projectId);
      if (rows.length > 0 && audited.length > 0) await insertAuditRows(tx, audited);
      return rows.length > 0;
    });
  }

  /** The agents with limits of their own, by extension. */
  overrides(projectId: string): Promise<{ readonly agent: string; readonly fraud_limits: FraudLimits }[]> {
    return this.db.query(
      `SELECT agent, fraud_limits FROM agents
       WHERE project_id = $1 AND fraud_limits IS NOT NULL AND fraud_limits <> '{}' ORDER BY agent`,
      [projectId],
    );
  }

  /** A project and agents that nothing limits or blocks are not checked. */
  async #dropEmpty(tx: Queryable, projectId: string): Promise<void> {
    await tx.query(
      `UPDATE projects SET fraud_limits = NULL WHERE id = $1 AND fraud_limits = $2::jsonb AND NOT EXISTS (${IN_FORCE})`,
      [projectId, EMPTY],
    );
    await tx.query(
      `UPDATE agents SET fraud_limits = NULL WHERE project_id = $1 AND fraud_limits = '{}' AND NOT EXISTS (${IN_FORCE})`,
      [projectId],
    );
  }
}

/** Deletes at most `limit` counted legs that were dialled before `before`. */
export async function purgeOutsideLegs(db: Database, before: Date, limit: number): Promise<number> {
  const rows = await db.query(
    `DELETE FROM outside_legs WHERE leg_id IN (
       SELECT leg_id FROM outside_legs WHERE dialled_at < $1 ORDER BY dialled_at LIMIT $2
     ) RETURNING 1`,
    [before, limit],
  );
  return rows.length;
}
