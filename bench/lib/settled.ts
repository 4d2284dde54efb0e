import type { Application } from './application.js';

const WITHIN_MS = 2_000;
const POLL_MS = 50;
/** Events of an answered call: initiated, ringing, answered, ended. */
const EVENTS_PER_CALL = 4;

/**
 * Checks the application's database: soon after a call has ended for its parties, it must have ended there too, with
 * its events and its charge.
 * @param calls the number of calls that started after `since`
 * @returns a description of the missing rows; an empty string if nothing is missing
 */
export async function missingOf(application: Application, calls: number, since: Date): Promise<string> {
  const missing = Object.entries(await settled(application, calls, since))
    .map(([what, count]) => [what, calls - count] as const)
    .filter(([, count]) => count > 0);
  return missing.length === 0 ? '' : `not recorded: ${missing.map((entry) => entry.join(' ')).join(', ')}`;
}

/** Waits up to {@link WITHIN_MS} for `calls` calls. @returns how many calls after `since` are completely recorded */
export async function recordedOf(application: Application, calls: number, since: Date): Promise<number> {
  return Math.min(...Object.values(await settled(application, calls, since)));
}

/** Counts ended calls, calls with all events, and charges. Returns when each count is reached, or after a timeout. */
async function settled(
  { db, projectId }: Application,
  calls: number,
  since: Date,
): Promise<Record<'ended' | 'events' | 'charges', number>> {
  const deadline = performance.now() + WITHIN_MS;
  for (;;) {
    // Reads short index ranges, so that polling does not distort the measurement.
    const { rows } = await db.query<Record<'ended' | 'events' | 'charges', string>>(
      `SELECT (SELECT count(*) FROM calls WHERE project_id = $1 AND created_at >= $2 AND status = 'ended') AS ended,
              (SELECT count(*) FROM events WHERE project_id = $1 AND created_at >= $2) AS events,
              (SELECT count(*) FROM charges WHERE project_id = $1 AND started_at >= $2) AS charges`,
      [projectId, since],
    );
    const [row] = rows;
    const found = {
      ended: Number(row?.ended ?? 0),
      events: Number(row?.events ?? 0) / EVENTS_PER_CALL,
      charges: Number(row?.charges ?? 0),
    };
    if (Object.values(found).every((count) => count >= calls) || performance.now() > deadline) return found;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}
