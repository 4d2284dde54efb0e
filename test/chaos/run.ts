import { setTimeout as pause } from 'node:timers/promises';
import { newId } from '../../core/model/ids.js';
import { WebhookReceiver } from '../support/receiver.js';
import { Application } from './application.js';
import { Carrier, DESK } from './carrier.js';
import { Client } from './client.js';
import { open, perform, type Conversation, type Stage } from './conversation.js';
import { Director } from './director.js';
import type { Evidence, Kill } from './evidence.js';
import { openGround, type Ground } from './ground.js';
import { judge, type Verdict } from './judge.js';
import { DELIVERED, KillSwitch } from './kill-points.js';
import { Media } from './media.js';
import { planOf, type Plan } from './plan.js';
import { Random } from './random.js';

export interface ChaosOptions {
  readonly seed: number;
  readonly calls: number;
  /** From the start of one call to the start of the next, on average. */
  readonly everyMs: number;
  readonly longestTalkMs: number;
  readonly kills: number;
  /** Where the application's log is copied to at the end; null: nowhere. */
  readonly keepLog: string | null;
  /** The application as node runs it. */
  readonly program: readonly string[];
  /** Told what goes on, a line each. */
  readonly say: (line: string) => void;
}

export interface Outcome extends Verdict {
  readonly seed: number;
  readonly conversations: readonly Conversation[];
  readonly kills: readonly Kill[];
  readonly media: Media;
  readonly figures: Figures;
}

export interface Figures {
  readonly seconds: number;
  readonly repeats: number;
  readonly longestWaitMs: number;
}

/** One run: ground up, calls under kills, everything judged from outside, ground down. */
export async function run(options: ChaosOptions): Promise<Outcome> {
  const startedAt = Date.now();
  const random = new Random(options.seed);
  const plans = planOf(random.fork(), options.calls, options.everyMs, options.longestTalkMs);
  let application: Application | null = null;
  const killSwitch = new KillSwitch(() => application?.kill());
  const ground = await openGround(killSwitch);
  const [media, receiver] = await Promise.all([Media.start(), WebhookReceiver.start()]);
  const carrier = await Carrier.start(ground.carrierPort, [{ name: 'asterisk', ...ground.asterisk.sip }], media);
  application = new Application(ground.settings, options.program);
  try {
    await application.start();
    const client = await prepare(application, ground, receiver, killSwitch, plans);
    failAtTimes(receiver, random.fork(), killSwitch);
    const director = new Director(application, killSwitch, random.fork());
    const conversations = plans.map(open);
    const stage: Stage = { client, carrier, soundUrl: ground.soundUrl };
    const killing = director.run(options.kills);
    options.say(`${options.calls} calls, at most ${options.kills} kills`);
    const told = setInterval(() => options.say(progress(conversations, director.kills)), 10_000);
    await Promise.all(conversations.map((talk) => performAt(talk, stage)));
    clearInterval(told);
    director.stop();
    await killing;
    options.say('all calls are over; what they left is looked at');
    const { kills } = director;
    const { db, recordingDir } = ground;
    const evidence: Evidence = {
      ...{ db, recordingDir, carrier, media, receiver, conversations, kills },
      processes: [application],
      killsOf: () => kills,
      held: () => ground.asterisk.held(),
    };
    const verdict = await judge(evidence);
    return {
      seed: options.seed,
      conversations,
      kills: director.kills,
      ...verdict,
      media,
      figures: {
        seconds: (Date.now() - startedAt) / 1000,
        repeats: client.repeats,
        longestWaitMs: client.longestWaitMs,
      },
    };
  } finally {
    application.kill();
    await application.gone();
    if (options.keepLog !== null) application.copyLog(options.keepLog);
    carrier.close();
    await Promise.all([media.close(), receiver.close()]);
    await ground.close();
  }
}

/** The demo organization with a receiver, a default destination and a number for each call that comes in. */
async function prepare(
  application: Application,
  { db, carrierPort }: Ground,
  receiver: WebhookReceiver,
  killSwitch: KillSwitch,
  plans: readonly Plan[],
): Promise<Client> {
  const { base_url, live_key } = application.bootstrap();
  const client = new Client(base_url, live_key, killSwitch);
  const desk = { type: 'sip', target: `sip:${DESK}@127.0.0.1:${carrierPort}` };
  const bindings = {
    line: ({ other }: Plan) => ({ type: 'number', target: other }),
    desk: () => desk,
    echo: () => ({ type: 'echo', target: null }),
  };
  const [project] = await db.query<{ id: string; organization_id: string }>('SELECT id, organization_id FROM projects');
  if (!project) throw new Error('there is no demo project');
  await db.query('UPDATE projects SET default_destination = $1::jsonb', [JSON.stringify(desk)]);
  for (const plan of plans) {
    if (plan.kind !== 'line' && plan.kind !== 'desk' && plan.kind !== 'echo') continue;
    await db.query(
      `INSERT INTO numbers (id, organization_id, project_id, e164, state, binding, created_at)
       VALUES ($1, $2, $3, $4, 'assigned', $5::jsonb, now())`,
      [newId(), project.organization_id, project.id, plan.line, JSON.stringify(bindings[plan.kind](plan))],
    );
  }
  const json = { url: receiver.url('/events'), events: ['*'] };
  const endpoint = await client.insist('POST', '/v1/webhooks', { json });
  receiver.trust(String(endpoint.body.secret));
  return client;
}

/** One in six events is refused, cut off or left waiting at its first attempt, and taken at its second. */
function failAtTimes(receiver: WebhookReceiver, random: Random, killSwitch: KillSwitch): void {
  receiver.script = (_, attempt) => {
    setImmediate(() => killSwitch.passes('outside', 'noticed', DELIVERED));
    if (attempt > 1 || !random.chance(1 / 6)) return 204;
    return random.pick([500, 503, 'drop', 'hold'] as const);
  };
}

async function performAt(talk: Conversation, stage: Stage): Promise<void> {
  await pause(talk.plan.startMs);
  try {
    await perform(talk, stage);
  } catch (error) {
    talk.faults.push(error instanceof Error ? error.message : String(error));
  }
}

function progress(conversations: readonly Conversation[], kills: readonly Kill[]): string {
  const begun = conversations.filter(({ begunAt }) => begunAt > 0);
  const live = begun.filter(({ customer }) => customer?.isOver === false);
  return `${begun.length} calls begun, ${live.length} live, ${kills.length} kills`;
}
