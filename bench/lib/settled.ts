import type { Application } from './application.js';

const WITHIN_MS = 2_000;
const LOOK_EVERY_MS = 50;
/** Of a call that is answered: initiated, ringing, answered, ended. */
const EVENTS_A_CALL = 4;

/**
 * Looks into the application's database: each call that is over for its parties must soon be over there too, with its events and its charge.
 * @returns what is missing of so many calls that began since then; an empty text when nothing is.
 */
export async function missingOf({ db, projectId }: Application, calls: number, since: Date): Promise<string> {
  const deadline = performance.now() + WITHIN_MS;
  for (;;) {
    // Short ranges of indexes: the looking must not cost what is being measured.
    const { rows } = await db.query<Record<'ended' | 'events' | 'charges', string>>(
      `SELECT (SELECT count(*) FROM calls WHERE project_id = $1 AND created_at >= $2 AND status = 'ended') AS ended,
              (SELECT count(*) FROM events WHERE project_id = $1 AND created_at >= $2) AS events,
              (SELECT count(*) FROM charges WHERE project_id = $1 AND started_at >= $2) AS charges`,
      [projectId, since],
    );
    const lacking = Object.entries(rows[0] ?? {})
      .map(([what, count]) => [what, calls * (what === 'events' ? EVENTS_A_CALL : 1) - Number(count)] as const)
      .filter(([, lack]) => lack > 0);
    if (rows.length > 0 && lacking.length === 0) return '';
    if (performance.now() > deadline) return `not recorded: ${lacking.map((lack) => lack.join(' ')).join(', ')}`;
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}
