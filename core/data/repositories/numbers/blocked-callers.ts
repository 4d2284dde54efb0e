import type { CallerBlock } from '../../../model/call/refusal.js';
import type { BlockedCallerAnswer, BlockedEntry } from '../../../model/number/blocked-caller.js';
import { newId } from '../../../model/ids.js';
import type { Database, Queryable } from '../../database.js';
import type { BlockedCallerRow } from '../../rows.js';
import { CallerList } from './caller-list.js';

/** A caller who calls a number of a project. */
export interface ListedCaller {
  readonly projectId: string;
  readonly sandbox: boolean;
  /** The extension of the agent that the call rings directly; null if it rings none. */
  readonly agent: string | null;
  /** The entries that the caller's number matches. */
  readonly entries: readonly BlockedEntry[];
}

/** Calls that an entry refused, all since the last time. */
export interface RefusedByEntry {
  readonly id: string;
  readonly calls: number;
  readonly lastAt: Date;
}

/** An entry whose refused calls are to be reported. */
export interface ReportedEntry extends Pick<BlockedCallerRow, 'id' | 'agent' | 'kind' | 'refused_calls'> {
  readonly organization_id: string;
  readonly project_id: string;
}

/** An allow list wins over every block list; that of an agent only over the agent's own. */
const BLOCK_OF = `
  WITH wanted AS (SELECT * FROM unnest($3::text[], $4::text[]) AS entry (kind, number)),
  blocks AS (
    SELECT id, CASE WHEN agent IS NULL THEN 'project' ELSE 'agent' END AS "of"
    FROM wanted JOIN blocked_callers USING (kind, number)
    WHERE project_id = $1 AND sandbox = $2 AND coalesce(agent, '') IN ('', coalesce($5::text, ''))
    UNION ALL
    SELECT id, 'installation' FROM wanted JOIN blocked_callers USING (kind, number)
    WHERE NOT $2 AND project_id IS NULL
  ),
  allowed AS (
    SELECT coalesce(bool_or(agent IS NULL), false) AS always, count(*) > 0 AS by_agent
    FROM (
      SELECT agent FROM wanted JOIN allowed_callers USING (kind, number)
      WHERE project_id = $1 AND sandbox = $2 AND coalesce(agent, '') IN ('', coalesce($5::text, ''))
      UNION ALL
      SELECT NULL FROM wanted JOIN allowed_callers USING (kind, number) WHERE NOT $2 AND project_id IS NULL
    ) AS entry
  )
  SELECT blocks.id, blocks."of" FROM blocks, allowed
  WHERE NOT allowed.always AND NOT (allowed.by_agent AND blocks."of" = 'agent')
  ORDER BY array_position(ARRAY['agent', 'project', 'installation'], blocks."of") LIMIT 1`;

/** The block lists of agents, projects and the installation, and what blocked callers get. */
export class BlockedCallers extends CallerList<BlockedCallerRow> {
  constructor(db: Database) {
    super(db, 'blocked_callers', ['refused_calls', 'last_refused_at']);
  }

  /** Whether any caller is blocked for the project: by its own list, one of its agents’ or that of the installation. */
  async hasAny(projectId: string, sandbox: boolean): Promise<boolean> {
    const [row] = await this.db.query<{ found: boolean }>(
      `SELECT EXISTS (SELECT FROM blocked_callers WHERE project_id = $1 AND sandbox = $2)
         OR NOT $2 AND EXISTS (SELECT FROM blocked_callers WHERE project_id IS NULL) AS found`,
      [projectId, sandbox],
      { prepared: true },
    );
    return row?.found === true;
  }

  /** The entry that blocks the caller, that of the agent first; null if none does, or the caller is on an allow list. */
  async blockOf({ projectId, sandbox, agent, entries }: ListedCaller): Promise<CallerBlock | null> {
    const [row] = await this.db.query<CallerBlock>(
      BLOCK_OF,
      [projectId, sandbox, entries.map(({ kind }) => kind), entries.map(({ number }) => number ?? ''), agent],
      { prepared: true },
    );
    return row ?? null;
  }

  /**
   * Adds refused calls to entries; one that is gone is left out.
   * @param reportedBefore entries that were not reported since then are to be reported now
   * @returns these entries, without those of the installation: they concern no single project
   */
  async addRefused(
    tx: Queryable,
    refused: readonly RefusedByEntry[],
    reportedBefore: Date,
    now: Date,
  ): Promise<ReportedEntry[]> {
    return tx.query<ReportedEntry>(
      `WITH added AS (
         SELECT * FROM unnest($1::uuid[], $2::bigint[], $3::timestamptz[]) AS refused (id, calls, last_at)
       ), due AS (
         SELECT id, (reported_at IS NULL OR reported_at < $4) AS is_due FROM blocked_callers
         WHERE id = ANY ($1) ORDER BY id FOR UPDATE
       ), counted AS (
         UPDATE blocked_callers AS entry
         SET refused_calls = entry.refused_calls + added.calls,
           last_refused_at = greatest(entry.last_refused_at, added.last_at),
           reported_at = CASE WHEN due.is_due THEN $5 ELSE entry.reported_at END
         FROM added JOIN due USING (id) WHERE entry.id = added.id
         RETURNING entry.id, entry.project_id, entry.agent, entry.kind, entry.refused_calls, due.is_due
       )
       SELECT counted.id, counted.project_id, counted.agent, counted.kind, counted.refused_calls, projects.organization_id
       FROM counted JOIN projects ON projects.id = counted.project_id WHERE counted.is_due`,
      [
        ...[refused.map(({ id }) => id), refused.map(({ calls }) => calls), refused.map(({ lastAt }) => lastAt)],
        ...[reportedBefore, now],
      ],
    );
  }

  /**
   * What blocked callers get that call the project.
   * @param projectId null: that of projects that say nothing else
   * @returns null if nothing is set there
   */
  async answerOf(projectId: string | null): Promise<BlockedCallerAnswer | null> {
    const [row] = await this.db.query<{ answer: BlockedCallerAnswer }>(
      `SELECT answer FROM blocked_caller_answers WHERE coalesce(project_id::text, '') = coalesce($1::text, '')`,
      [projectId],
      { prepared: true },
    );
    return row?.answer ?? null;
  }

  /** @param answer null: as projects that say nothing else */
  async setAnswer(projectId: string | null, answer: BlockedCallerAnswer | null): Promise<void> {
    if (answer === null) {
      await this.db.query(
        `DELETE FROM blocked_caller_answers WHERE coalesce(project_id::text, '') = coalesce($1::text, '')`,
        [projectId],
      );
      return;
    }
    await this.db.query(
      `INSERT INTO blocked_caller_answers (id, project_id, answer) VALUES ($1, $2, $3)
       ON CONFLICT (coalesce(project_id::text, '')) DO UPDATE SET answer = excluded.answer`,
      [newId(), projectId, answer],
    );
  }
}
