/**
 * `npm run bench [-- <part>…]`: compares the platform with minimal programs that do the same, on this machine, and
 * prints one table. It starts and stops everything that it needs; all traffic stays on the loopback interface.
 */
import { cpus, loadavg } from 'node:os';
import { findFreeswitch } from '../test/support/platform/find-freeswitch.js';
import * as admission from './admission.js';
import * as alternatives from './alternatives.js';
import * as control from './control.js';
import * as edge from './edge.js';
import * as flows from './flows.js';
import * as heap from './heap.js';
import * as inbound from './inbound.js';
import * as list from './list.js';
import * as messages from './messages.js';
import * as outbound from './outbound.js';
import * as playing from './playing.js';
import * as queues from './queues.js';
import * as recording from './recording.js';
import * as sessions from './sessions.js';
import * as soak from './soak.js';
import * as streams from './streams.js';
import * as usage from './usage.js';
import * as webCalling from './web-calling.js';
import * as webRinging from './web-ringing.js';
import * as webhooks from './webhooks.js';
import type { BenchEngine } from './lib/engine.js';
import { openTestBed, type TestBed } from './lib/test-bed.js';
import { renderTable, type Column, type Row } from './lib/table.js';

class Interrupted extends Error {}

/** The requested engine cannot be measured; shown without a stack. */
class Unmeasurable extends Error {}

interface Part {
  run(testBed: TestBed): Promise<Row[]>;
}

const ENGINES: readonly BenchEngine['title'][] = ['Asterisk', 'FreeSWITCH'];

/** Measured on every engine; the other parts do not depend on the engine and run on Asterisk only. */
const ENGINE_PARTS: Readonly<Record<string, Part>> = { inbound, admission, outbound, control, playing, recording };
const PARTS: Readonly<Record<string, Part>> = {
  ...ENGINE_PARTS,
  ...{ alternatives, edge, flows, heap, list, messages, queues, sessions, soak, streams, usage, webhooks },
  ...{ 'web-calling': webCalling, 'web-ringing': webRinging },
};
/** They take half an hour. */
const ONLY_BY_NAME = new Set(['soak']);

const wanted =
  process.argv.length > 2 ? process.argv.slice(2) : Object.keys(PARTS).filter((name) => !ONLY_BY_NAME.has(name));
const unknown = wanted.filter((name) => !(name in PARTS));
if (unknown.length > 0) {
  console.error(`Unknown parts: ${unknown.join(', ')}. The parts are ${Object.keys(PARTS).join(', ')}.`);
  process.exit(1);
}

const startedMs = performance.now();
const [loadBefore = 0] = loadavg();
const interrupted = new Promise<never>((_, reject) => {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => reject(new Interrupted(signal)));
});
// A signal may arrive while no race awaits the promise.
interrupted.catch(() => undefined);
process.exit(await measure());

/** @returns the exit code. */
async function measure(): Promise<number> {
  const columns: Column[] = [];
  const versions = new Set<string>();
  try {
    for (const title of engines()) {
      const parts = wanted.filter((name) => title === 'Asterisk' || name in ENGINE_PARTS);
      if (parts.length > 0) columns.push(await measureOn(title, parts, versions));
    }
    console.log(`\n${renderTable(columns)}\n\n${machine([...versions])}`);
    return 0;
  } catch (error) {
    const isInterrupted = error instanceof Interrupted;
    if (isInterrupted) console.error(`\n${error.message}: stopping …`);
    else console.error(error instanceof Unmeasurable ? error.message : error);
    return isInterrupted ? 130 : 1;
  }
}

/**
 * The engines that are installed, or the one of them that `BENCH_ONLY` names.
 * @throws Unmeasurable if the engine that a setting names is not installed
 */
function engines(): readonly BenchEngine['title'][] {
  const { BENCH_ONLY: only } = process.env;
  const wanted = ENGINES.filter((title) => only === undefined || title.toLowerCase() === only.toLowerCase());
  if (wanted.length === 0) throw new Unmeasurable(`BENCH_ONLY is ${only}; the engines are ${ENGINES.join(' and ')}.`);
  const freeswitch = findFreeswitch();
  if (!('missing' in freeswitch) || !wanted.includes('FreeSWITCH')) return wanted;
  const missing = `FreeSWITCH is not measured: ${freeswitch.missing}`;
  if (freeswitch.isMisnamed || wanted.length === 1) throw new Unmeasurable(missing);
  console.log(missing);
  return ['Asterisk'];
}

async function measureOn(
  title: BenchEngine['title'],
  parts: readonly string[],
  versions: Set<string>,
): Promise<Column> {
  const testBed = await openTestBed(title);
  try {
    const { postgres, redis } = testBed.parts;
    versions
      .add(`PostgreSQL ${postgres.version}`)
      .add(`Redis ${redis.version}`)
      .add(`${title} ${testBed.engine.version}`);
    const rows: Row[] = [];
    for (const name of parts) {
      console.log(`── ${name}, ${title}`);
      rows.push(...(await Promise.race([PARTS[name]!.run(testBed), interrupted])));
    }
    return { title, rows };
  } finally {
    await testBed.stop();
  }
}

function machine(versions: readonly string[]): string {
  const [cpu] = cpus();
  return (
    `${cpus().length} cores (${cpu?.model.trim() ?? 'unknown'}), shared with the load generators, ` +
    `load average before: ${loadBefore.toFixed(1)}; ` +
    `Node.js ${process.versions.node}, ${versions.join(', ')}; ` +
    `${new Date().toISOString().slice(0, 10)}, ${((performance.now() - startedMs) / 60_000).toFixed(1)} minutes`
  );
}
