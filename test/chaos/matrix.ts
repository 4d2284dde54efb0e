import { setTimeout as pause } from 'node:timers/promises';
import { WebhookReceiver } from '../support/peers/receiver.js';
import { Carrier } from './phones/carrier.js';
import { Client } from './phones/client.js';
import { open, performAt, type Stage } from './phones/conversation.js';
import { disturbancesOf, ownersOf, type Disturbance } from './disturbances.js';
import { engineOf, type Evidence, type Kill } from './judges/evidence.js';
import { judge, settle, type Verdict } from './judges/judge.js';
import { lossOf, type Loss } from './judges/loss.js';
import { KillSwitch } from './kill-points.js';
import { openMatrixGround, type MatrixGround } from './matrix-ground.js';
import { judgePlaces, refusesInBothLanguages } from './judges/judge-places.js';
import { Media } from './phones/media.js';
import { planOf, type Plan } from './plan.js';
import { failAtTimes, prepare } from './prepare.js';
import { Random } from './random.js';
import type { Phase } from './phase.js';
import { Watch } from './watch.js';

export interface MatrixOptions {
  readonly seed: number;
  /** The second engine is a FreeSWITCH, where one is here; otherwise another Asterisk. */
  readonly mixed: boolean;
  /** In each disturbance. */
  readonly calls: number;
  readonly everyMs: number;
  readonly longestTalkMs: number;
  /** From the first call to the disturbance. */
  readonly quietMs: number;
  /** Which disturbances. */
  readonly only: (disturbance: Pick<Disturbance, 'what' | 'engine'>) => boolean;
  /** The application as node runs it. */
  readonly program: readonly string[];
  /** Where the applications' logs are copied to at the end, with the number of the process behind it; null: nowhere. */
  readonly keepLog: string | null;
  readonly say: (line: string) => void;
}

export interface MatrixOutcome extends Verdict {
  readonly seed: number;
  readonly engines: readonly { readonly name: string; readonly kind: string }[];
  readonly phases: readonly Phase[];
  readonly media: Media;
  readonly seconds: number;
}

const WELL_WITHIN_MS = 60_000;
const LOOK_EVERY_MS = 200;

/** Two processes, two engines, live calls on both, and one disturbance after another; then everything is judged from outside. */
export async function runMatrix(options: MatrixOptions): Promise<MatrixOutcome> {
  const startedAt = Date.now();
  const random = new Random(options.seed);
  const ground = await openMatrixGround(options.program, options.mixed);
  const [media, receiver] = await Promise.all([Media.start(), WebhookReceiver.start()]);
  const addresses = ground.engines.map(({ name, engine }) => ({ name, ...engine.sip }));
  const carrier = await Carrier.start(ground.carrierPort, addresses, media);
  try {
    options.say(`engines: ${ground.engines.map(({ name, engine }) => `${name} (${engine.kind})`).join(', ')}`);
    const disturbances = disturbancesOf(ground, carrier).filter(options.only);
    const plans = disturbances.map((_, index) =>
      planOf(random.fork(), options.calls, options.everyMs, options.longestTalkMs, index * options.calls),
    );
    const client = await begin(ground, receiver, random, plans.flat());
    const watch = new Watch(ground);
    const stage: Stage = { client, carrier, soundUrl: ground.soundUrl };
    const phases: Phase[] = [];
    const losses: Loss[] = [];
    for (const [index, disturbance] of disturbances.entries()) {
      options.say(`${disturbance.what} of ${disturbance.engine ?? 'all'}: ${options.calls} calls`);
      watch.mostJournalled = 0;
      phases.push(await runPhase({ ground, stage, watch, losses, options }, disturbance, plans[index] ?? []));
    }
    await watch.stop();
    losses.push(...watch.shared.map((text) => lossOf('owned twice', text)));
    const verdict = await judge(evidenceOf(ground, { carrier, media, receiver }, phases));
    losses.push(...verdict.losses, ...(await judgePlaces(ground.db, phases)));
    return {
      ...verdict,
      losses,
      seed: options.seed,
      engines: ground.engines.map(({ name, engine: { kind } }) => ({ name, kind })),
      phases,
      media,
      seconds: (Date.now() - startedAt) / 1000,
    };
  } finally {
    for (const one of ground.processes) one.kill();
    await Promise.all(ground.processes.map((one) => one.gone()));
    for (const [index, one] of ground.processes.entries()) {
      if (options.keepLog !== null) one.copyLog(`${options.keepLog}.${index + 1}`);
    }
    carrier.close();
    await Promise.all([media.close(), receiver.close()]);
    await ground.close();
  }
}

/** Both processes run, each with an engine, and everything that the calls need is there. */
async function begin(
  ground: MatrixGround,
  receiver: WebhookReceiver,
  random: Random,
  plans: readonly Plan[],
): Promise<Client> {
  const [first, second] = ground.processes;
  await first?.start();
  await ground.addSecond();
  await second?.start();
  if (!(await isWell(ground))) throw new Error('the processes do not share the engines');
  const killSwitch = new KillSwitch(() => undefined);
  const client = new Client(ground.urls, first?.bootstrap().live_key ?? '', killSwitch);
  await prepare(client, ground, receiver, plans);
  failAtTimes(receiver, random.fork(), killSwitch);
  return client;
}

interface PhaseGround {
  readonly ground: MatrixGround;
  readonly stage: Stage;
  readonly watch: Watch;
  readonly losses: Loss[];
  readonly options: MatrixOptions;
}

async function runPhase(
  { ground, stage, watch, losses, options }: PhaseGround,
  disturbance: Disturbance,
  plans: readonly Plan[],
): Promise<Phase> {
  const title = `${disturbance.what} of ${disturbance.engine ?? 'all'}`;
  const ownedBy = await ownersOf(ground);
  const conversations = plans.map(open);
  const performed = Promise.all(conversations.map((talk) => performAt(talk, stage)));
  await pause(options.quietMs);
  const kill: Kill = { what: disturbance.what, point: title, at: Date.now(), readyAt: null };
  const affected = await disturbance.begin();
  await pause(disturbance.lastsMs / 2);
  if (disturbance.what === 'database') losses.push(...(await refusesInBothLanguages(stage.client)));
  await pause(disturbance.lastsMs / 2);
  const journalled = watch.mostJournalled;
  const undoneAt = Date.now();
  await disturbance.end();
  if (!(await isServed(ground))) losses.push(lossOf('not adopted', `an engine has no owner long after: ${title}`));
  kill.readyAt = Date.now();
  if (isPart(disturbance)) losses.push(...changes(ownedBy, await ownersOf(ground), title));
  await performed;
  for (const { kind, index, text } of await settle(ground))
    losses.push({ kind, index, text: `${text}, after: ${title}` });
  if (disturbance.what === 'database' && journalled === 0)
    losses.push(lossOf('journal', 'nothing was noted meanwhile'));
  if (!(await within(() => Promise.resolve(watch.journalled === 0))))
    losses.push(lossOf('journal', `${watch.journalled} changes still wait, after: ${title}`));
  if (!(await isWell(ground))) losses.push(lossOf('not adopted', `the engines are not shared again after: ${title}`));
  return { disturbance, conversations, kill, affected, undoneAt, journalled };
}

function evidenceOf(
  { db, recordingDir, processes, engines }: MatrixGround,
  seen: Pick<Evidence, 'carrier' | 'media' | 'receiver'>,
  phases: readonly Phase[],
): Evidence {
  return {
    ...{ ...seen, db, recordingDir, processes },
    conversations: phases.flatMap(({ conversations }) => conversations),
    kills: phases.map(({ kill }) => kill),
    killsOf(talk) {
      const engine = engineOf(talk);
      return phases
        .filter(({ conversations }) => conversations.includes(talk))
        .filter(({ affected }) => (engine === null ? affected.length > 0 : affected.includes(engine)))
        .map(({ kill }) => kill);
    },
    held: async () => (await Promise.all(engines.map(({ engine }) => engine.held()))).flat(),
  };
}

/** Nobody has a reason to take another's engine. */
function isPart({ what }: Disturbance): boolean {
  return what === 'redis' || what === 'database';
}

function changes(before: Owners, after: Owners, title: string): Loss[] {
  return [...before]
    .filter(([engine, owner]) => after.get(engine) !== owner)
    .map(([engine]) => lossOf('changed hands', `${engine} changed hands for no reason: ${title}`));
}

type Owners = ReadonlyMap<string, number>;

/** Resolves with true when each engine is owned and answers, with false when that takes too long. */
function isServed(ground: MatrixGround): Promise<boolean> {
  return within(async () => (await ownersOf(ground)).size === ground.engines.length);
}

/** The same with each process owning one. */
function isWell(ground: MatrixGround): Promise<boolean> {
  return within(async () => new Set((await ownersOf(ground)).values()).size === ground.engines.length);
}

async function within(holds: () => Promise<boolean>): Promise<boolean> {
  const deadline = Date.now() + WELL_WITHIN_MS;
  for (;;) {
    if (await holds().catch(() => false)) return true;
    if (Date.now() > deadline) return false;
    await pause(LOOK_EVERY_MS);
  }
}
