import type { Application } from './application.js';

const WITHIN_MS = 2_000;
const LOOK_EVERY_MS = 50;
/** Of a call that is answered: initiated, ringing, answered, ended. */
const EVENTS_A_CALL = 4;

/**
 * Looks into the application's database: each call that is over for its parties must soon be over there too, with its events and its charge.
 * @returns what is missing of so many calls that began since then; an empty text when nothing is.
 */
export async function missingOf(application: Application, calls: number, since: Date): Promise<string> {
  const lacking = Object.entries(await settled(application, calls, since))
    .map(([what, count]) => [what, calls - count] as const)
    .filter(([, lack]) => lack > 0);
  return lacking.length === 0 ? '' : `not recorded: ${lacking.map((lack) => lack.join(' ')).join(', ')}`;
}

/** @returns how many calls that began since then are recorded wholly; waits a moment for so many. */
export async function recordedOf(application: Application, calls: number, since: Date): Promise<number> {
  return Math.min(...Object.values(await settled(application, calls, since)));
}

/** How many calls have ended, have all their events, have their charge: as soon as it is enough of each, or when the time is over. */
async function settled(
  { db, projectId }: Application,
  calls: number,
  since: Date,
): Promise<Record<'ended' | 'events' | 'charges', number>> {
  const deadline = performance.now() + WITHIN_MS;
  for (;;) {
    // Short ranges of indexes: the looking must not cost what is being measured.
    const { rows } = await db.query<Record<'ended' | 'events' | 'charges', string>>(
      `SELECT (SELECT count(*) FROM calls WHERE project_id = $1 AND created_at >= $2 AND status = 'ended') AS ended,
              (SELECT count(*) FROM events WHERE project_id = $1 AND created_at >= $2) AS events,
              (SELECT count(*) FROM charges WHERE project_id = $1 AND started_at >= $2) AS charges`,
      [projectId, since],
    );
    const [row] = rows;
    const found = {
      ended: Number(row?.ended ?? 0),
      events: Number(row?.events ?? 0) / EVENTS_A_CALL,
      charges: Number(row?.charges ?? 0),
    };
    if (Object.values(found).every((count) => count >= calls) || performance.now() > deadline) return found;
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}
