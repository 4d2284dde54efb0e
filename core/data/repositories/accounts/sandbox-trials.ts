import type { Queryable } from '../../database.js';

/**
 * When the project's trial started: with the first request of one of its sandbox keys. Null before
 * that.
 */
export async function findTrialStart(db: Queryable, projectId: string): Promise<Date | null> {
  const [row] = await db.query<{ started_at: Date }>(
    `SELECT started_at FROM sandbox_trials WHERE project_id = $1`,
    [projectId],
    { prepared: true },
  );
  return row?.started_at ?? null;
}

/** Total talk time of the project's sandbox calls in seconds; live calls count until `now`. */
export async function sandboxSecondsUsed(db: Queryable, projectId: string, now: Date): Promise<number> {
  const [row] = await db.query<{ seconds: number }>(
    `SELECT coalesce(sum(greatest(0, extract(epoch FROM coalesce(ended_at, $2::timestamptz) - answered_at))), 0)::float8 AS seconds
     FROM calls WHERE project_id = $1 AND sandbox AND answered_at IS NOT NULL`,
    [projectId, now],
    { prepared: true },
  );
  return row?.seconds ?? 0;
}
