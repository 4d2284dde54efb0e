import { setTimeout as pause } from 'node:timers/promises';
import { WebhookReceiver } from '../support/peers/receiver.js';
import { Carrier } from './phones/carrier.js';
import { Client } from './phones/client.js';
import { newConversation, performAt, type Stage } from './phones/conversation.js';
import { disturbancesOf, ownersOf, type Disturbance } from './disturbances.js';
import { engineOf, type Evidence, type Outage } from './judges/evidence.js';
import { judge, settle, type Verdict } from './judges/judge.js';
import { lossOf, type Loss } from './judges/loss.js';
import { KillSwitch } from './kill-points.js';
import { startMatrixEnvironment, type MatrixEnvironment } from './matrix-environment.js';
import { judgePlacement, judgeUnavailableAnswer } from './judges/judge-placement.js';
import { Media } from './phones/media.js';
import { makePlans, type Plan } from './plan.js';
import { failSomeWebhooks, prepare } from './prepare.js';
import { Random } from './random.js';
import type { Phase } from './phase.js';
import { MetricsMonitor } from './metrics-monitor.js';

export interface MatrixOptions {
  readonly seed: number;
  /** The second engine is a FreeSWITCH if one is installed, otherwise another Asterisk. */
  readonly mixed: boolean;
  /** The number of calls in each disturbance. */
  readonly calls: number;
  readonly intervalMs: number;
  readonly maxTalkMs: number;
  /** The time from the first call to the disturbance. */
  readonly disturbAfterMs: number;
  /** Selects disturbances. */
  readonly only: (disturbance: Pick<Disturbance, 'what' | 'engine'>) => boolean;
  /** The arguments of node that start the application. */
  readonly program: readonly string[];
  /** The file to copy the applications' logs to at the end, with the number of the process appended; null: none. */
  readonly keepLog: string | null;
  readonly log: (line: string) => void;
}

export interface MatrixOutcome extends Verdict {
  readonly seed: number;
  readonly engines: readonly { readonly name: string; readonly kind: string }[];
  readonly phases: readonly Phase[];
  readonly media: Media;
  readonly seconds: number;
}

const RECOVERY_LIMIT_MS = 60_000;
const POLL_MS = 200;
/** Phones ring for 100 ms at least. */
const MOMENT_POLL_MS = 10;
/** A moment is awaited from here on, so that calls are live and most of them are still to come. */
const FIRST_MOMENT_MS = 2_000;

/**
 * Runs one disturbance after another on two processes and two engines with live calls, then judges the result from
 * outside.
 */
export async function runMatrix(options: MatrixOptions): Promise<MatrixOutcome> {
  const startedAt = Date.now();
  const random = new Random(options.seed);
  const environment = await startMatrixEnvironment(options.program, options.mixed);
  const [media, receiver] = await Promise.all([Media.start(), WebhookReceiver.start()]);
  const addresses = environment.engines.map(({ name, engine }) => ({ name, ...engine.sip }));
  const carrier = await Carrier.start(environment.carrierPort, addresses, media);
  try {
    options.log(`engines: ${environment.engines.map(({ name, engine }) => `${name} (${engine.kind})`).join(', ')}`);
    const disturbances = disturbancesOf(environment, carrier).filter(options.only);
    const plans = disturbances.map((_, index) =>
      makePlans(random.fork(), options.calls, options.intervalMs, options.maxTalkMs, index * options.calls),
    );
    const client = await startProcesses(environment, receiver, random, plans.flat());
    const watch = new MetricsMonitor(environment);
    const stage: Stage = { client, carrier, soundUrl: environment.soundUrl };
    const phases: Phase[] = [];
    const losses: Loss[] = [];
    for (const [index, disturbance] of disturbances.entries()) {
      options.log(`${titleOf(disturbance)}: ${options.calls} calls`);
      watch.maxJournalEntries = 0;
      phases.push(await runPhase({ environment, stage, watch, losses, options }, disturbance, plans[index] ?? []));
    }
    await watch.stop();
    losses.push(...watch.ownedTwice.map((text) => lossOf('owned twice', text)));
    const verdict = await judge(evidenceOf(environment, { carrier, media, receiver }, phases));
    losses.push(...verdict.losses, ...(await judgePlacement(environment.db, phases)));
    return {
      ...verdict,
      losses,
      seed: options.seed,
      engines: environment.engines.map(({ name, engine: { kind } }) => ({ name, kind })),
      phases,
      media,
      seconds: (Date.now() - startedAt) / 1000,
    };
  } finally {
    for (const one of environment.processes) one.kill();
    await Promise.all(environment.processes.map((one) => one.exited()));
    for (const [index, one] of environment.processes.entries()) {
      if (options.keepLog !== null) one.copyLog(`${options.keepLog}.${index + 1}`);
    }
    carrier.close();
    await Promise.all([media.close(), receiver.close()]);
    await environment.close();
  }
}

/** Starts both processes, each of which owns an engine, and prepares the calls. @returns a client of both */
async function startProcesses(
  environment: MatrixEnvironment,
  receiver: WebhookReceiver,
  random: Random,
  plans: readonly Plan[],
): Promise<Client> {
  const [first, second] = environment.processes;
  await first?.start();
  await environment.addSecondEngine();
  await second?.start();
  if (!(await becomesShared(environment))) throw new Error('the processes do not share the engines');
  const killSwitch = new KillSwitch(() => undefined);
  const client = new Client(environment.urls, first?.bootstrap().live_key ?? '', killSwitch);
  await prepare(client, environment, receiver, plans);
  failSomeWebhooks(receiver, random.fork(), killSwitch);
  return client;
}

function titleOf({ what, engine, moment }: Disturbance): string {
  return [what, 'of', engine ?? 'all', ...(moment ? [moment.name] : [])].join(' ');
}

interface PhaseContext {
  readonly environment: MatrixEnvironment;
  readonly stage: Stage;
  readonly watch: MetricsMonitor;
  readonly losses: Loss[];
  readonly options: MatrixOptions;
}

async function runPhase(
  { environment, stage, watch, losses, options }: PhaseContext,
  disturbance: Disturbance,
  plans: readonly Plan[],
): Promise<Phase> {
  const title = titleOf(disturbance);
  const ownersBefore = await ownersOf(environment);
  const conversations = plans.map(newConversation);
  const performed = Promise.all(conversations.map((conversation) => performAt(conversation, stage)));
  const { moment } = disturbance;
  await pause(moment ? FIRST_MOMENT_MS : options.disturbAfterMs);
  if (moment && !(await becomesTrue(() => Promise.resolve(moment.reached()), MOMENT_POLL_MS)))
    throw new Error(`the moment was never reached: ${title}`);
  const outage: Outage = { what: disturbance.what, point: title, at: Date.now(), readyAt: null };
  const affected = await disturbance.begin();
  await pause(disturbance.durationMs / 2);
  if (disturbance.what === 'database') losses.push(...(await judgeUnavailableAnswer(stage.client)));
  await pause(disturbance.durationMs / 2);
  const maxJournalEntries = watch.maxJournalEntries;
  const endedAt = Date.now();
  await disturbance.end();
  if (!(await becomesOwned(environment)))
    losses.push(lossOf('not adopted', `an engine has no owner a minute after: ${title}`));
  outage.readyAt = Date.now();
  if (isBackingService(disturbance)) losses.push(...ownerChanges(ownersBefore, await ownersOf(environment), title));
  await performed;
  for (const { kind, index, text } of await settle(environment))
    losses.push({ kind, index, text: `${text}, after: ${title}` });
  if (disturbance.what === 'database' && maxJournalEntries === 0)
    losses.push(lossOf('journal', 'no change was recorded meanwhile'));
  if (!(await becomesTrue(() => Promise.resolve(watch.journalEntries === 0))))
    losses.push(lossOf('journal', `${watch.journalEntries} changes are still waiting after: ${title}`));
  if (!(await becomesShared(environment)))
    losses.push(lossOf('not adopted', `the engines are not shared again after: ${title}`));
  return { disturbance, conversations, outage, affected, endedAt, maxJournalEntries };
}

function evidenceOf(
  { db, recordingDir, processes, engines }: MatrixEnvironment,
  seen: Pick<Evidence, 'carrier' | 'media' | 'receiver'>,
  phases: readonly Phase[],
): Evidence {
  return {
    ...{ ...seen, db, recordingDir, processes },
    conversations: phases.flatMap(({ conversations }) => conversations),
    outages: phases.map(({ outage }) => outage),
    outagesOf(conversation) {
      const engine = engineOf(conversation);
      return phases
        .filter(({ conversations }) => conversations.includes(conversation))
        .filter(({ affected }) => (engine === null ? affected.length > 0 : affected.includes(engine)))
        .map(({ outage }) => outage);
    },
    describeChannels: async () => (await Promise.all(engines.map(({ engine }) => engine.describeChannels()))).flat(),
  };
}

/** While a backing service is down, an engine must not change its owner. */
function isBackingService({ what }: Disturbance): boolean {
  return what === 'redis' || what === 'database';
}

function ownerChanges(before: Owners, after: Owners, title: string): Loss[] {
  return [...before]
    .filter(([engine, owner]) => after.get(engine) !== owner)
    .map(([engine]) => lossOf('owner changed', `${engine} got another owner without a reason: ${title}`));
}

type Owners = ReadonlyMap<string, number>;

/** @returns whether each engine gets an owner and responds within the limit */
function becomesOwned(environment: MatrixEnvironment): Promise<boolean> {
  return becomesTrue(async () => (await ownersOf(environment)).size === environment.engines.length);
}

/** @returns whether each process gets one of the engines within the limit */
function becomesShared(environment: MatrixEnvironment): Promise<boolean> {
  return becomesTrue(async () => new Set((await ownersOf(environment)).values()).size === environment.engines.length);
}

async function becomesTrue(holds: () => Promise<boolean>, everyMs = POLL_MS): Promise<boolean> {
  const deadline = Date.now() + RECOVERY_LIMIT_MS;
  for (;;) {
    if (await holds().catch(() => false)) return true;
    if (Date.now() > deadline) return false;
    await pause(everyMs);
  }
}
