import { parseArgs } from 'node:util';
import { findFreeswitch } from '../support/platform/find-freeswitch.js';
import type { Loss } from './judges/loss.js';
import { matrixTable } from './matrix-report.js';
import { runMatrix } from './matrix.js';
import { runTable } from './report.js';
import { run } from './run.js';

const USAGE = `npm run chaos -- [options]

One process is killed with SIGKILL repeatedly during calls. With --matrix, two processes share two engines, and one part after
another fails. The exit code is 1 if something was lost.

  --matrix          two processes, two engines, every disturbance
  --seed N          repeats the calls and the order of the failures (default: taken from the clock)
  --calls N         number of calls (default 200)
  --talk MS         longest talk time in ms (default 25000)
  --every MS        average interval between the starts of calls, in ms (default 1200)
  --kills N         maximum number of kills (default 1000); not with --matrix
  --asterisk        the second engine is an Asterisk even if FreeSWITCH is available (PATH, HATIF_TEST_FREESWITCH)
  --only WORDS      only these disturbances, for example process,engine:second; only with --matrix
  --keep-log FILE   copies the application's log to this file at the end
  --program FILE    the program that node runs as the application (default dist/programs/main.js)
  --help            this text
`;

const write = (text: string): void => void process.stdout.write(`${text}\n`);

function read(): ReturnType<typeof parse> | null {
  try {
    const values = parse();
    const freeswitch = findFreeswitch();
    const isUsed = values.matrix && !values.asterisk && !values.help;
    if (isUsed && 'missing' in freeswitch && freeswitch.isMisnamed) throw new Error(freeswitch.missing);
    return values;
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`);
    return null;
  }
}

function parse() {
  const { values } = parseArgs({
    options: {
      help: { type: 'boolean', default: false },
      matrix: { type: 'boolean', default: false },
      seed: { type: 'string', default: String(Date.now() % 1_000_000) },
      calls: { type: 'string', default: '200' },
      every: { type: 'string', default: '1200' },
      talk: { type: 'string', default: '25000' },
      kills: { type: 'string', default: '1000' },
      asterisk: { type: 'boolean', default: false },
      only: { type: 'string', default: '' },
      'keep-log': { type: 'string' },
      program: { type: 'string', default: 'dist/programs/main.js' },
    },
  });
  for (const name of ['seed', 'calls', 'every', 'talk', 'kills'] as const) {
    if (!/^\d+$/.test(values[name])) throw new Error(`--${name} takes a whole number`);
  }
  return values;
}

type Values = ReturnType<typeof parse>;

function settings(values: Values) {
  return {
    seed: Number(values.seed),
    intervalMs: Number(values.every),
    maxTalkMs: Number(values.talk),
    keepLog: values['keep-log'] ?? null,
    program: values.program.endsWith('.ts') ? ['--import', 'tsx', values.program] : [values.program],
    log: write,
  };
}

function writeLosses(losses: readonly Loss[], histories: readonly string[]): void {
  for (const { kind, index, text } of losses) {
    write(`LOSS ${kind}${index === null ? '' : ` (call ${index})`}: ${text}`);
  }
  for (const history of histories) write(`\n${history}`);
}

/** The number of disturbances, among which the calls are divided. */
const DISTURBANCE_COUNT = 12;
/** When about half of a disturbance's calls have started. */
const DISTURB_AFTER_MS = 10_000;

async function chaos(values: Values): Promise<number> {
  if (values.matrix) {
    const words = values.only.split(',').filter((word) => word !== '');
    const outcome = await runMatrix({
      ...settings(values),
      calls: Math.max(1, Math.round(Number(values.calls) / DISTURBANCE_COUNT)),
      mixed: !values.asterisk,
      disturbAfterMs: DISTURB_AFTER_MS,
      only: ({ what, engine }) =>
        words.length === 0 || words.includes(what) || words.includes(`${what}:${engine ?? ''}`),
    });
    writeLosses(outcome.losses, outcome.histories);
    write(`\n${matrixTable(outcome)}`);
    return outcome.losses.length;
  }
  const outcome = await run({ ...settings(values), calls: Number(values.calls), kills: Number(values.kills) });
  writeLosses(outcome.losses, outcome.histories);
  write(`\n${runTable(outcome)}`);
  return outcome.losses.length;
}

const values = read();
if (values === null) process.exit(2);
if (values.help) write(USAGE);
else process.exit((await chaos(values)) === 0 ? 0 : 1);
