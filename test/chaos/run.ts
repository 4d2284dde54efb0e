import { WebhookReceiver } from '../support/peers/receiver.js';
import { Application } from './application.js';
import { Carrier } from './phones/carrier.js';
import { Client } from './phones/client.js';
import { open, performAt, type Conversation, type Stage } from './phones/conversation.js';
import { Director } from './director.js';
import type { Evidence, Kill } from './judges/evidence.js';
import { openGround } from './ground.js';
import { judge, type Verdict } from './judges/judge.js';
import { KillSwitch } from './kill-points.js';
import { Media } from './phones/media.js';
import { planOf } from './plan.js';
import { failAtTimes, prepare } from './prepare.js';
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
    const { base_url, live_key } = application.bootstrap();
    const client = new Client([base_url], live_key, killSwitch);
    await prepare(client, ground, receiver, plans);
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

function progress(conversations: readonly Conversation[], kills: readonly Kill[]): string {
  const begun = conversations.filter(({ begunAt }) => begunAt > 0);
  const live = begun.filter(({ customer }) => customer?.isOver === false);
  return `${begun.length} calls begun, ${live.length} live, ${kills.length} kills`;
}
