import type { Database } from '../../../core/data/database.js';
import type { Client } from '../phones/client.js';
import { lossOf, type Loss } from './loss.js';
import type { Phase } from '../phase.js';

/** The time within which Hatif must detect that an engine died or does not respond. */
const DETECTION_MS = 5_000;
const UNUSABLE = new Set<string>(['engine', 'control', 'sip']);

/** New calls must not be placed on an unavailable engine. */
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

/** While the database is down, the API must answer 503 with a message in both languages. */
export async function judgeUnavailableAnswer(client: Client): Promise<Loss[]> {
  const { status, body } = await client.requestOnce('POST', '/v1/calls', { json: { to: '+966500000000' } });
  const hasBothLanguages = typeof body.message === 'string' && typeof body.message_ar === 'string';
  if (status === 503 && hasBothLanguages) return [];
  return [lossOf('wrong answer', `without a database the API answers ${status} ${JSON.stringify(body)}`)];
}
