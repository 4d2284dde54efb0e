/**
 * `npm run bench [-- <part>…]`: measures the platform against the least that could do the same, on this machine, and prints one table.
 * Everything that it needs it starts for itself and stops again; all of it stays on the loopback.
 */
import { cpus, loadavg } from 'node:os';
import { findFreeswitch } from '../test/support/platform/freeswitch.js';
import * as admission from './admission.js';
import * as control from './control.js';
import * as flows from './flows.js';
import * as heap from './heap.js';
import * as inbound from './inbound.js';
import * as list from './list.js';
import * as outbound from './outbound.js';
import * as playing from './playing.js';
import * as queues from './queues.js';
import * as recording from './recording.js';
import * as usage from './usage.js';
import * as webhooks from './webhooks.js';
import type { BenchEngine } from './lib/engine.js';
import { openGround, type Ground } from './lib/ground.js';
import { renderTable, type Column, type Row } from './lib/table.js';

class Interrupted extends Error {}

interface Part {
  run(ground: Ground): Promise<Row[]>;
}

/** What is measured on every engine, and what is the same whatever the engine. */
const ENGINE_PARTS: Readonly<Record<string, Part>> = { inbound, admission, outbound, control, playing, recording };
const PARTS: Readonly<Record<string, Part>> = { ...ENGINE_PARTS, flows, heap, list, queues, usage, webhooks };

const wanted = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(PARTS);
const unknown = wanted.filter((name) => !(name in PARTS));
if (unknown.length > 0) {
  console.error(`There is no part ${unknown.join(', ')}; there are ${Object.keys(PARTS).join(', ')}.`);
  process.exit(1);
}

const startedMs = performance.now();
const [loadBefore = 0] = loadavg();
const interrupted = new Promise<never>((_, reject) => {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => reject(new Interrupted(signal)));
});
// It may come when nobody waits for it.
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
    console.error(error instanceof Interrupted ? `\n${error.message}: stopping …` : error);
    return error instanceof Interrupted ? 130 : 1;
  }
}

/** Those that are here; `BENCH_ONLY` names one of them. */
function engines(): BenchEngine['title'][] {
  const { BENCH_ONLY: only } = process.env;
  const freeswitch = findFreeswitch();
  if ('missing' in freeswitch) console.log(`FreeSWITCH is not measured: ${freeswitch.missing}`);
  const here: BenchEngine['title'][] = 'missing' in freeswitch ? ['Asterisk'] : ['Asterisk', 'FreeSWITCH'];
  return here.filter((title) => only === undefined || title.toLowerCase() === only.toLowerCase());
}

/** What was started is stopped, whatever happened. */
async function measureOn(
  title: BenchEngine['title'],
  parts: readonly string[],
  versions: Set<string>,
): Promise<Column> {
  const ground = await openGround(title);
  try {
    const { postgres, redis } = ground.parts;
    versions
      .add(`PostgreSQL ${postgres.version}`)
      .add(`Redis ${redis.version}`)
      .add(`${title} ${ground.engine.version}`);
    const rows: Row[] = [];
    for (const name of parts) {
      console.log(`── ${name}, ${title}`);
      rows.push(...(await Promise.race([PARTS[name]!.run(ground), interrupted])));
    }
    return { title, rows };
  } finally {
    await ground.stop();
  }
}

function machine(versions: readonly string[]): string {
  const [cpu] = cpus();
  return (
    `${cpus().length} cores (${cpu?.model.trim() ?? 'unknown'}), shared with the load generators, at a load of ${loadBefore.toFixed(1)} before; ` +
    `Node.js ${process.versions.node}, ${versions.join(', ')}; ` +
    `${new Date().toISOString().slice(0, 10)}, ${((performance.now() - startedMs) / 60_000).toFixed(1)} minutes`
  );
}
