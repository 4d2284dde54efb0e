import type { Database } from '../../core/data/database.js';
import { newId } from '../../core/model/ids.js';
import type { WebhookReceiver } from '../support/peers/receiver.js';
import { DESK_PHONE_USER } from './phones/carrier.js';
import type { Client } from './phones/client.js';
import { DELIVERED, type KillSwitch } from './kill-points.js';
import type { Plan } from './plan.js';
import type { Random } from './random.js';

/** Creates a webhook receiver, a default destination and a number for each incoming call in the demo organization. */
export async function prepare(
  client: Client,
  { db, carrierPort }: { readonly db: Database; readonly carrierPort: number },
  receiver: WebhookReceiver,
  plans: readonly Plan[],
): Promise<void> {
  const deskPhone = { type: 'sip', target: `sip:${DESK_PHONE_USER}@127.0.0.1:${carrierPort}` };
  const bindings = {
    line: ({ other }: Plan) => ({ type: 'number', target: other }),
    sip: () => deskPhone,
    echo: () => ({ type: 'echo', target: null }),
  };
  const [project] = await db.query<{ id: string; organization_id: string }>('SELECT id, organization_id FROM projects');
  if (!project) throw new Error('there is no demo project');
  await db.query('UPDATE projects SET default_destination = $1::jsonb', [JSON.stringify(deskPhone)]);
  for (const plan of plans) {
    if (plan.kind !== 'line' && plan.kind !== 'sip' && plan.kind !== 'echo') continue;
    await db.query(
      `INSERT INTO numbers (id, organization_id, project_id, e164, kind, state, binding, created_at)
       VALUES ($1, $2, $3, $4, 'geographic', 'assigned', $5::jsonb, now())`,
      [newId(), project.organization_id, project.id, plan.line, JSON.stringify(bindings[plan.kind](plan))],
    );
  }
  const json = { url: receiver.url('/events'), events: ['*'] };
  const endpoint = await client.requestUntilFinal('POST', '/v1/webhooks', { json });
  receiver.trust(String(endpoint.body.secret));
}

/** The first attempt of one event in six gets an error, a cut connection or no response; the second succeeds. */
export function failSomeWebhooks(receiver: WebhookReceiver, random: Random, killSwitch: KillSwitch): void {
  receiver.script = (_, attempt) => {
    setImmediate(() => killSwitch.observe('outside', 'noticed', DELIVERED));
    if (attempt > 1 || !random.chance(1 / 6)) return 204;
    return random.pick([500, 503, 'drop', 'hold'] as const);
  };
}
