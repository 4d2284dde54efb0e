import { WebhookReceiver } from '../support/peers/receiver.js';
import { Application } from './application.js';
import { Carrier } from './phones/carrier.js';
import { Client } from './phones/client.js';
import { newConversation, performAt, type Conversation, type Stage } from './phones/conversation.js';
import { KillScheduler } from './kill-scheduler.js';
import type { Evidence, Outage } from './judges/evidence.js';
import { startEnvironment } from './environment.js';
import { judge, type Verdict } from './judges/judge.js';
import { KillSwitch } from './kill-points.js';
import { Media } from './phones/media.js';
import { makePlans } from './plan.js';
import { failSomeWebhooks, prepare } from './prepare.js';
import { Random } from './random.js';

export interface ChaosOptions {
  readonly seed: number;
  readonly calls: number;
  /** The average interval between the starts of calls. */
  readonly intervalMs: number;
  readonly maxTalkMs: number;
  readonly kills: number;
  /** The file to copy the application's log to at the end; null: none. */
  readonly keepLog: string | null;
  /** The arguments of node that start the application. */
  readonly program: readonly string[];
  /** Receives a line for each step. */
  readonly log: (line: string) => void;
}

export interface Outcome extends Verdict {
  readonly seed: number;
  readonly conversations: readonly Conversation[];
  readonly kills: readonly Outage[];
  readonly media: Media;
  readonly figures: Figures;
}

export interface Figures {
  readonly seconds: number;
  readonly repeats: number;
  readonly longestWaitMs: number;
}

/**
 * Performs one run: starts the services, makes calls while the application is killed repeatedly, and judges the result
 * from outside.
 */
export async function run(options: ChaosOptions): Promise<Outcome> {
  const startedAt = Date.now();
  const random = new Random(options.seed);
  const plans = makePlans(random.fork(), options.calls, options.intervalMs, options.maxTalkMs);
  let application: Application | null = null;
  const killSwitch = new KillSwitch(() => application?.kill());
  const environment = await startEnvironment(killSwitch);
  const [media, receiver] = await Promise.all([Media.start(), WebhookReceiver.start()]);
  const carrier = await Carrier.start(
    environment.carrierPort,
    [{ name: 'asterisk', ...environment.asterisk.sip }],
    media,
  );
  application = new Application(environment.settings, options.program);
  try {
    await application.start();
    const { base_url, live_key } = application.bootstrap();
    const client = new Client([base_url], live_key, killSwitch);
    await prepare(client, environment, receiver, plans);
    failSomeWebhooks(receiver, random.fork(), killSwitch);
    const scheduler = new KillScheduler(application, killSwitch, random.fork());
    const conversations = plans.map(newConversation);
    const stage: Stage = { client, carrier, soundUrl: environment.soundUrl };
    const killed = scheduler.run(options.kills);
    options.log(`${options.calls} calls, at most ${options.kills} kills`);
    const progressTimer = setInterval(() => options.log(progress(conversations, scheduler.kills)), 10_000);
    await Promise.all(conversations.map((conversation) => performAt(conversation, stage)));
    clearInterval(progressTimer);
    scheduler.stop();
    await killed;
    options.log('all calls have ended; judging the result');
    const { kills: outages } = scheduler;
    const { db, recordingDir } = environment;
    const evidence: Evidence = {
      ...{ db, recordingDir, carrier, media, receiver, conversations, outages },
      processes: [application],
      outagesOf: () => outages,
      describeChannels: () => environment.asterisk.describeChannels(),
    };
    const verdict = await judge(evidence);
    return {
      seed: options.seed,
      conversations,
      kills: scheduler.kills,
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
    await application.exited();
    if (options.keepLog !== null) application.copyLog(options.keepLog);
    carrier.close();
    await Promise.all([media.close(), receiver.close()]);
    await environment.close();
  }
}

function progress(conversations: readonly Conversation[], kills: readonly Outage[]): string {
  const started = conversations.filter(({ startedAt }) => startedAt > 0);
  const live = started.filter(({ customer }) => customer?.isOver === false);
  return `${started.length} calls started, ${live.length} live, ${kills.length} kills`;
}
