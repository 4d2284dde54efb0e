/**
 * `npm run bench [-- <part>…]`: measures the platform against the least that could do the same, on this machine, and prints one table.
 * Everything that it needs it starts for itself and stops again; all of it stays on the loopback.
 */
import { cpus, loadavg } from 'node:os';
import * as admission from './admission.js';
import * as control from './control.js';
import * as heap from './heap.js';
import * as inbound from './inbound.js';
import * as list from './list.js';
import * as outbound from './outbound.js';
import * as playing from './playing.js';
import * as recording from './recording.js';
import * as webhooks from './webhooks.js';
import { openGround, type Ground } from './lib/ground.js';
import { renderTable, type Row } from './lib/table.js';

class Interrupted extends Error {}

const PARTS: Readonly<Record<string, { run(ground: Ground): Promise<Row[]> }>> = {
  inbound,
  admission,
  outbound,
  control,
  heap,
  playing,
  recording,
  list,
  webhooks,
};

const wanted = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(PARTS);
const unknown = wanted.filter((name) => !(name in PARTS));
if (unknown.length > 0) {
  console.error(`There is no part ${unknown.join(', ')}; there are ${Object.keys(PARTS).join(', ')}.`);
  process.exit(1);
}

const startedMs = performance.now();
const [loadBefore = 0] = loadavg();
process.exit(await measure());

/** @returns the exit code. What was started is stopped, whatever happened. */
async function measure(): Promise<number> {
  const interrupted = new Promise<never>((_, reject) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => reject(new Interrupted(signal)));
  });
  // It may come when nobody waits for it.
  interrupted.catch(() => undefined);
  let ground: Ground | null = null;
  try {
    ground = await openGround();
    const rows: Row[] = [];
    for (const name of wanted) {
      console.log(`── ${name}`);
      rows.push(...(await Promise.race([PARTS[name]!.run(ground), interrupted])));
    }
    console.log(`\n${renderTable(rows)}\n\n${machine(ground)}`);
    return 0;
  } catch (error) {
    console.error(error instanceof Interrupted ? `\n${error.message}: stopping …` : error);
    return error instanceof Interrupted ? 130 : 1;
  } finally {
    await ground?.stop();
  }
}

function machine({ parts }: Ground): string {
  const [cpu] = cpus();
  return (
    `${cpus().length} cores (${cpu?.model.trim() ?? 'unknown'}), shared with the load generators, at a load of ${loadBefore.toFixed(1)} before; Node.js ${process.versions.node}, ` +
    `PostgreSQL ${parts.postgres.version}, Redis ${parts.redis.version}, Asterisk ${parts.asterisk.version}; ` +
    `${new Date().toISOString().slice(0, 10)}, ${((performance.now() - startedMs) / 60_000).toFixed(1)} minutes`
  );
}
