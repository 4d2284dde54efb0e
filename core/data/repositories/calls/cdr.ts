import type { MicroSar } from '../../../model/money.js';
import type { CallDetail } from '../../../model/cdr/record.js';
import { CALL_STATUSES, FINAL_CALL_STATUSES, isFinal } from '../../../model/call/call.js';
import type { Database } from '../../database.js';
import type { CdrFileRow } from '../../rows.js';

/** Position in a project's calls; the next page starts after it. */
export interface CdrPosition {
  readonly created_at: Date;
  readonly id: string;
}

/** Usage of an organization's live-key calls on a Riyadh day. */
export interface CdrDay {
  readonly organization_id: string;
  /** `YYYY-MM-DD`. */
  readonly day: string;
  readonly calls: number;
  readonly seconds: number;
  readonly cost: MicroSar;
}

/** A day whose newest file differs from its usage, or that has no file. */
export interface CdrDayDue extends CdrDay {
  /** Whether some of its calls are live or unrated. */
  readonly open: boolean;
  /** Revision of the newest file; 0 if there is none. */
  readonly revision: number;
}

const listed = (statuses: readonly string[]): string => statuses.map((status) => `'${status}'`).join(', ');
const OVER = listed(FINAL_CALL_STATUSES);
const LIVE = listed(CALL_STATUSES.filter((status) => !isFinal(status)));

/** Selects the page first, so that legs and ratings are looked up only for its calls. */
const PAGE = `
  WITH page AS MATERIALIZED (
    SELECT * FROM calls
    WHERE project_id = $1 AND NOT sandbox AND status IN (${OVER}) AND created_at >= $2 AND created_at < $3 AND (created_at, id) > ($4, $5::uuid)
    ORDER BY created_at, id LIMIT $6
  )
  SELECT call.id, call.system, call.project_id, call.direction, call.kind, call.status, call.disposition, call.customer_number, call.line_number,
    call.queue_id, call.agent, call.hangup_q850, call.hangup_sip_code, call.hangup_text, call.created_at, call.ringing_at, call.answered_at,
    call.ended_at, usage_seconds(call.status, call.answered_at, call.ended_at) AS seconds,
    (SELECT min((leg.quality ->> 'mos')::float8) FROM legs AS leg WHERE leg.call_id = call.id) AS mos,
    rating.amount, rating.rated_at, lines.charges, lines.billed_seconds, lines.plans, lines.prefixes
  FROM page AS call
  LEFT JOIN rated_calls AS rating ON rating.call_id = call.id
  LEFT JOIN LATERAL (
    SELECT count(*) FILTER (WHERE (line ->> 'amount')::bigint > 0) AS charges,
      sum((line ->> 'billed_seconds')::bigint) FILTER (WHERE (line ->> 'amount')::bigint > 0)::bigint AS billed_seconds,
      string_agg(DISTINCT plan.name || ':' || version.version, ' ') AS plans, string_agg(DISTINCT line ->> 'prefix', ' ') AS prefixes
    FROM jsonb_array_elements(rating.lines) AS line
    LEFT JOIN rate_plan_versions AS version ON version.id = (line ->> 'version_id')::uuid
    LEFT JOIN rate_plans AS plan ON plan.id = version.plan_id
  ) AS lines ON rating.call_id IS NOT NULL
  ORDER BY call.created_at, call.id`;

const DAY_OF = (time: string): string => `(${time} AT TIME ZONE 'Asia/Riyadh')::date`;

/** Days with usage whose newest file was written for other usage figures, or that have no file. */
const DUE = `
  WITH days AS (
    SELECT project.organization_id, ${DAY_OF('used.at')} AS day, sum(used.calls)::bigint AS calls, sum(used.seconds)::bigint AS seconds,
      sum(used.cost)::bigint AS cost
    FROM projects AS project
    JOIN organizations AS organization ON organization.id = project.organization_id AND organization.ended_at IS NULL
    CROSS JOIN LATERAL (
      SELECT starts_at AS at, calls, seconds, cost FROM usage_rollups
      WHERE project_id = project.id AND grain = 'day' AND queue_id IS NULL AND NOT sandbox AND starts_at >= $1 AND starts_at < $2
      UNION ALL
      SELECT hour, calls, seconds, 0 FROM usage_deltas WHERE project_id = project.id AND NOT sandbox AND hour >= $1 AND hour < $2
      UNION ALL
      SELECT hour, 0, 0, cost FROM usage_costs WHERE project_id = project.id AND NOT sandbox AND hour >= $1 AND hour < $2
    ) AS used
    GROUP BY 1, 2
    HAVING sum(used.calls) > 0
  ), open AS (
    SELECT organization_id, ${DAY_OF('created_at')} AS day FROM calls
    WHERE status IN (${LIVE}) AND NOT sandbox AND created_at >= $1 AND created_at < $2
    UNION
    SELECT call.organization_id, ${DAY_OF('call.created_at')} FROM unrated_calls AS unrated JOIN calls AS call ON call.id = unrated.call_id
    WHERE call.created_at >= $1 AND call.created_at < $2
  )
  SELECT days.organization_id, days.day::text AS day, days.calls, days.seconds, days.cost, coalesce(file.revision, 0) AS revision,
    EXISTS (SELECT FROM open WHERE open.organization_id = days.organization_id AND open.day = days.day) AS open
  FROM days
  LEFT JOIN LATERAL (
    SELECT * FROM cdr_files WHERE organization_id = days.organization_id AND day = days.day ORDER BY revision DESC LIMIT 1
  ) AS file ON true
  WHERE (file.usage_calls, file.usage_seconds, file.usage_cost) IS DISTINCT FROM (days.calls, days.seconds, days.cost)
  ORDER BY days.day, days.organization_id`;

const FILE = `organization_id, day::text AS day, revision, usage_calls, usage_seconds, usage_cost, calls, amount, bytes, sha256, storage, storage_key,
  created_at, removed_at`;

/** Call detail records, and the files that they are written to. */
export class Cdr {
  constructor(private readonly db: Database) {}

  /** Finished calls of a project's live keys, oldest first, created in the half-open period. */
  page(
    projectId: string,
    period: { readonly from: Date; readonly before: Date },
    after: CdrPosition | null,
    limit: number,
  ): Promise<CallDetail[]> {
    const { created_at, id } = after ?? { created_at: '-infinity', id: '00000000-0000-0000-0000-000000000000' };
    return this.db.query<CallDetail>(PAGE, [projectId, period.from, period.before, created_at, id, limit], {
      prepared: true,
    });
  }

  /** Whole Riyadh days between two midnights, oldest first. */
  due(from: Date, before: Date): Promise<CdrDayDue[]> {
    return this.db.query<CdrDayDue>(DUE, [from, before]);
  }

  async add(row: CdrFileRow): Promise<void> {
    await this.db.query(`INSERT INTO cdr_files SELECT * FROM jsonb_populate_record(NULL::cdr_files, $1)`, [
      JSON.stringify(row),
    ]);
  }

  /** All revisions of a day, oldest first. */
  ofDay(organizationId: string, day: string): Promise<CdrFileRow[]> {
    return this.db.query<CdrFileRow>(
      `SELECT ${FILE} FROM cdr_files WHERE organization_id = $1 AND day = $2::date ORDER BY revision`,
      [organizationId, day],
    );
  }

  /** Files of days before that day that are still stored. */
  storedBefore(day: string, limit: number): Promise<CdrFileRow[]> {
    return this.db.query<CdrFileRow>(
      `SELECT ${FILE} FROM cdr_files WHERE removed_at IS NULL AND day < $1::date ORDER BY day, organization_id, revision LIMIT $2`,
      [day, limit],
    );
  }

  async markRemoved({ organization_id, day, revision }: CdrFileRow, at: Date): Promise<void> {
    await this.db.query(
      `UPDATE cdr_files SET removed_at = $4 WHERE organization_id = $1 AND day = $2::date AND revision = $3`,
      [organization_id, day, revision, at],
    );
  }
}
