import type { ActivityBatch } from '../../../model/queue/activity.js';
import type { Decision, QueueSnapshot, StampedEvent } from '../../../model/queue/types.js';
import type { Database, Queryable } from '../../database.js';
import { deliveriesOf } from '../../outbox.js';
import { writeActivities } from './agent-activities.js';
import type { DispatcherRow, EventRow, QueueLogRow } from '../../rows.js';

/** A batch of events with their decisions, to be appended to the log. */
export interface LogEntries {
  readonly projectId: string;
  readonly entries: readonly { readonly event: StampedEvent; readonly decisions: readonly Decision[] }[];
  /** Sequence of the last entry. */
  readonly sequence: number;
  readonly dueAt: Date | null;
  /** What agents began and ended. */
  readonly activities: ActivityBatch;
  /** Events for webhooks. */
  readonly events: readonly EventRow[];
}

/** The position of a project's log. */
export type LogHead = Pick<DispatcherRow, 'project_id' | 'sequence' | 'due_at'>;

/** How long entries are kept after a snapshot includes them. */
const KEPT = `interval '7 days'`;
/** Only a stuck writer holds the lock longer. */
const LOCK_TIMEOUT = '5s';

const APPEND = `
  WITH entry AS (
    SELECT ($3::bigint - jsonb_array_length($2::jsonb) + number)::bigint AS sequence, item->'event' AS event, item->'decisions' AS decisions
    FROM jsonb_array_elements($2::jsonb) WITH ORDINALITY AS element(item, number)
  ), head AS (
    UPDATE queue_dispatchers SET sequence = $3, due_at = $4 WHERE project_id = $1
  ), logged AS (
    INSERT INTO queue_log (project_id, sequence, event, decisions) SELECT $1, sequence, event, decisions FROM entry
  ), fact AS (
    SELECT decision, sequence, to_timestamp((event->>'at')::bigint / 1000.0) AS at
    FROM entry CROSS JOIN jsonb_array_elements(decisions) AS decision
  ), entered AS (
    INSERT INTO queue_visits (project_id, visit, queue_id, call_id, entered_at, left_at, outcome, wait_ms, agent)
    SELECT $1, (came.decision->>'visit')::bigint, (came.decision->>'queueId')::uuid, (came.decision->>'callId')::uuid, came.at,
      CASE WHEN departed.decision IS NULL THEN NULL ELSE departed.at END, departed.decision->>'outcome',
      (departed.decision->>'waitedMs')::bigint, departed.decision->>'agent'
    FROM fact AS came
    JOIN queues ON queues.id = (came.decision->>'queueId')::uuid
    LEFT JOIN fact AS departed ON departed.decision->>'type' = 'ended_wait'
      AND departed.decision->>'visit' = came.decision->>'visit'
    WHERE came.decision->>'type' = 'entered'
    RETURNING visit
  ), gone AS (
    UPDATE queue_visits AS visit SET left_at = fact.at, outcome = decision->>'outcome', wait_ms = (decision->>'waitedMs')::bigint,
      agent = decision->>'agent'
    FROM fact WHERE decision->>'type' = 'ended_wait' AND visit.project_id = $1 AND visit.visit = (decision->>'visit')::bigint
  ), written_events AS (
    INSERT INTO events SELECT * FROM jsonb_populate_recordset(NULL::events, $5::jsonb) ON CONFLICT (id) DO NOTHING
    RETURNING id, project_id, call_id, sequence, type, sandbox
  ), deliveries AS (${deliveriesOf('calls')})
  SELECT coalesce(array_agg(DISTINCT lane), '{}') AS lanes FROM deliveries`;

/** A separate statement, because one statement cannot update a row twice. */
const TALKS = `
  UPDATE queue_visits AS visit SET talk_ms = coalesce(added.talk_ms, visit.talk_ms), refusals = visit.refusals + added.refusals
  FROM (
    SELECT (fact->>'visit')::bigint AS visit, max((fact->>'talkMs')::bigint) AS talk_ms,
      count(*) FILTER (WHERE fact->>'type' = 'refused') AS refusals
    FROM jsonb_array_elements($2::jsonb) AS fact GROUP BY 1
  ) AS added
  WHERE visit.project_id = $1 AND visit.visit = added.visit`;

/**
 * The event logs and snapshots of the queue dispatchers: the source of truth that every process
 * copies.
 */
export class QueueLog {
  constructor(private readonly db: Database) {}

  /** The log positions of all projects that have queues. */
  heads(): Promise<LogHead[]> {
    return this.db.query<LogHead>(`SELECT project_id, sequence, due_at FROM queue_dispatchers`, [], { prepared: true });
  }

  /** Null if the project never had a queue. */
  async state(projectId: string, on: Queryable = this.db): Promise<DispatcherRow | null> {
    const [row] = await on.query<DispatcherRow>(`SELECT * FROM queue_dispatchers WHERE project_id = $1`, [projectId]);
    return row ?? null;
  }

  /** Log entries after this sequence, oldest first. */
  after(projectId: string, sequence: number, on: Queryable = this.db): Promise<QueueLogRow[]> {
    return on.query<QueueLogRow>(
      `SELECT sequence, event, decisions FROM queue_log WHERE project_id = $1 AND sequence > $2 ORDER BY sequence`,
      [projectId, sequence],
      { prepared: true },
    );
  }

  /**
   * Locks the project's log, runs `work` and appends its result.
   * @param work receives the current sequence of the log
   * @returns the lanes that now have deliveries
   * @throws DatabaseUnavailable, or a lock timeout: see `isLockTimeout`
   */
  write(
    projectId: string,
    work: (sequence: number, tx: Queryable) => Promise<LogEntries | null>,
    empty: QueueSnapshot,
  ): Promise<readonly string[]> {
    return this.db.transaction(async (tx) => {
      const sequence = (await this.#lock(tx, projectId)) ?? (await this.#begin(tx, projectId, empty));
      const written = await work(sequence, tx);
      return written ? this.#append(tx, written) : [];
    });
  }

  /** Stores the state after this entry, unless a later one is stored; readers start there. Deletes old entries before it. */
  async store(projectId: string, sequence: number, state: string): Promise<void> {
    await this.db.query(
      `UPDATE queue_dispatchers SET state = $3, state_sequence = $2 WHERE project_id = $1 AND state_sequence < $2`,
      [projectId, sequence, state],
    );
    const oldest = `to_timestamp((event->>'at')::bigint / 1000.0) < now() - ${KEPT}`;
    await this.db.query(
      `DELETE FROM queue_log WHERE project_id = $1 AND ${oldest}
         AND sequence <= (SELECT state_sequence FROM queue_dispatchers WHERE project_id = $1)`,
      [projectId],
    );
  }

  async #lock(tx: Queryable, projectId: string): Promise<number | null> {
    await tx.query(`SET LOCAL lock_timeout = '${LOCK_TIMEOUT}'`);
    const [row] = await tx.query<{ sequence: number }>(
      `SELECT sequence FROM queue_dispatchers WHERE project_id = $1 FOR UPDATE`,
      [projectId],
      { prepared: true },
    );
    return row?.sequence ?? null;
  }

  async #begin(tx: Queryable, projectId: string, empty: QueueSnapshot): Promise<number> {
    await tx.query(
      `INSERT INTO queue_dispatchers (project_id, sequence, state_sequence, state) VALUES ($1, 0, 0, $2) ON CONFLICT DO NOTHING`,
      [projectId, JSON.stringify(empty)],
    );
    return (await this.#lock(tx, projectId)) ?? 0;
  }

  async #append(tx: Queryable, written: LogEntries): Promise<readonly string[]> {
    const { projectId, entries, sequence, dueAt, activities, events } = written;
    const [result] = await tx.query<{ lanes: string[] }>(
      APPEND,
      [projectId, JSON.stringify(entries), sequence, dueAt, JSON.stringify(events)],
      { prepared: true },
    );
    const later = entries.flatMap(({ decisions }) => decisions.filter(isLater));
    if (later.length > 0) await tx.query(TALKS, [projectId, JSON.stringify(later)], { prepared: true });
    if (!activities.isEmpty) await writeActivities(tx, projectId, activities);
    return result?.lanes ?? [];
  }
}

function isLater({ type }: Decision): boolean {
  return type === 'finished' || type === 'refused';
}

/** Whether the lock could not be acquired in time; nothing was written. */
export function isLockTimeout(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '55P03';
}
