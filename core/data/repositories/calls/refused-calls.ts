import type { RefusalReason } from '../../../model/call/refusal.js';
import { lowestIdAt, newId } from '../../../model/ids.js';
import type { Database } from '../../database.js';
import type { PurgedBatch } from '../maintenance/retention.js';

/** Refused calls of one hour that have everything up to `dialled` in common. */
export interface RefusedCallsRow {
  readonly engine_id: string;
  readonly hour: Date;
  readonly reason: RefusalReason;
  readonly source: 'trunk' | 'softphone' | 'inside';
  /** The id of the trunk or the AOR of the softphone; empty if there is none, or for many. */
  readonly source_id: string;
  /** Empty for numbers that are only counted. */
  readonly dialled: string;
  /** Of the last call; null if withheld or unknown. */
  readonly caller_masked: string | null;
  /** Of the last call. */
  readonly q850: number;
  readonly calls: number;
  readonly first_at: Date;
  readonly last_at: Date;
}

/** Refused calls of a period, summed up over hours and engines. */
export interface RefusedCallsSum extends Pick<
  RefusedCallsRow,
  'reason' | 'source' | 'caller_masked' | 'q850' | 'calls' | 'first_at' | 'last_at'
> {
  /** Null if more numbers were refused than are listed. */
  readonly dialled: string | null;
  /** The name of the trunk, or the agent's extension; null if it is gone, or there is none. */
  readonly source_name: string | null;
}

/** The incoming calls that engines' owners refused. */
export class RefusedCalls {
  constructor(private readonly db: Database) {}

  /** Adds to the rows of the same hour. */
  async add(rows: readonly RefusedCallsRow[]): Promise<void> {
    if (rows.length === 0) return;
    const column = <Name extends keyof RefusedCallsRow>(name: Name): RefusedCallsRow[Name][] =>
      rows.map((row) => row[name]);
    await this.db.query(
      `INSERT INTO refused_calls
         (id, engine_id, hour, reason, source, source_id, dialled, caller_masked, q850, calls, first_at, last_at)
       SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::timestamptz[], $4::text[], $5::text[], $6::text[], $7::text[],
         $8::text[], $9::integer[], $10::integer[], $11::timestamptz[], $12::timestamptz[])
       ON CONFLICT (engine_id, hour, reason, source, source_id, dialled) DO UPDATE
       SET calls = refused_calls.calls + excluded.calls, last_at = greatest(refused_calls.last_at, excluded.last_at),
         caller_masked = excluded.caller_masked, q850 = excluded.q850`,
      [
        ...[rows.map(() => newId()), column('engine_id'), column('hour'), column('reason'), column('source')],
        ...[column('source_id'), column('dialled'), column('caller_masked'), column('q850'), column('calls')],
        ...[column('first_at'), column('last_at')],
      ],
    );
  }

  /** The last ones first. */
  list(since: Date, limit: number): Promise<RefusedCallsSum[]> {
    return this.db.query<RefusedCallsSum>(
      `SELECT refused.reason, refused.source, nullif(refused.dialled, '') AS dialled,
         coalesce(trunk.name, agent.agent) AS source_name,
         (array_agg(refused.caller_masked ORDER BY refused.last_at DESC))[1] AS caller_masked,
         (array_agg(refused.q850 ORDER BY refused.last_at DESC))[1] AS q850,
         sum(refused.calls)::integer AS calls, min(refused.first_at) AS first_at, max(refused.last_at) AS last_at
       FROM refused_calls AS refused
       LEFT JOIN trunks AS trunk ON refused.source = 'trunk' AND trunk.id::text = refused.source_id
       LEFT JOIN agents AS agent ON refused.source = 'softphone' AND agent.aor = refused.source_id
       WHERE refused.last_at >= $1
       GROUP BY refused.reason, refused.source, refused.source_id, refused.dialled, trunk.name, agent.agent
       ORDER BY last_at DESC LIMIT $2`,
      [since, limit],
    );
  }
}

/** Deletes at most `limit` rows of hours before `before`, starting after `afterId`. */
export async function purgeRefusedCalls(
  db: Database,
  before: Date,
  afterId: string,
  limit: number,
): Promise<PurgedBatch> {
  const ids = await db.query<{ id: string }>(
    `SELECT id FROM refused_calls WHERE id > $1 AND id < $2 ORDER BY id LIMIT $3`,
    [afterId, lowestIdAt(before), limit],
  );
  const rows = await db.query(`DELETE FROM refused_calls WHERE id = ANY ($1::uuid[]) AND last_at < $2 RETURNING 1`, [
    ids.map(({ id }) => id),
    before,
  ]);
  return { lastId: ids.length < limit ? null : (ids.at(-1)?.id ?? null), deleted: { refused_calls: rows.length } };
}
