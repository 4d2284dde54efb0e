import type { Database } from '../../../core/data/database.js';
import type { Client } from '../phones/client.js';
import { lossOf, type Loss } from './loss.js';
import type { Phase } from '../phase.js';

/** An engine that died or stalls gets no new call after this time. */
const DETECTION_MS = 5_000;
const UNUSABLE = new Set<string>(['engine', 'control', 'sip']);

/** New calls pass by an engine that cannot take them, and go to the other one. */
export async function judgePlacement(db: Database, phases: readonly Phase[]): Promise<Loss[]> {
  const placed = await db.query<{ chaos: string; name: string; created_at: Date }>(
    `SELECT calls.metadata->>'chaos' AS chaos, engines.name, calls.created_at
     FROM calls JOIN engines ON engines.id = engine_id WHERE calls.metadata ? 'chaos'`,
  );
  return phases
    .filter(({ disturbance }) => UNUSABLE.has(disturbance.what))
    .flatMap(({ conversations, disturbance, outage, endedAt }) => {
      const indexes = new Set(conversations.map(({ plan }) => String(plan.index)));
      return placed
        .filter(({ chaos, name }) => indexes.has(chaos) && name === disturbance.engine)
        .filter(({ created_at: at }) => at.getTime() > outage.at + DETECTION_MS && at.getTime() < endedAt)
        .map(({ chaos, name, created_at }): Loss => {
          const late = ((created_at.getTime() - outage.at) / 1000).toFixed(1);
          return {
            kind: 'wrong engine',
            index: Number(chaos),
            text: `placed on ${name} ${late} s after: ${outage.point}`,
          };
        });
    });
}

/** What the API answers while the database is away: a refusal that says so to everybody, and to come again. */
export async function judgeUnavailableAnswer(client: Client): Promise<Loss[]> {
  const { status, body } = await client.requestOnce('POST', '/v1/calls', { json: { to: '+966500000000' } });
  const hasBothLanguages = typeof body.message === 'string' && typeof body.message_ar === 'string';
  if (status === 503 && hasBothLanguages) return [];
  return [lossOf('wrong answer', `without a database the API answers ${status} ${JSON.stringify(body)}`)];
}
