import { parseArgs } from 'node:util';
import { table } from './report.js';
import { run } from './run.js';

/** `npm run chaos -- --seed N --calls N`: one run, its table, the story of each loss. Exit code 1 when something was lost. */
const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    calls: { type: 'string', default: '200' },
    every: { type: 'string', default: '1200' },
    talk: { type: 'string', default: '25000' },
    kills: { type: 'string', default: '1000' },
    'keep-log': { type: 'string' },
    program: { type: 'string', default: 'dist/main.js' },
  },
});

const outcome = await run({
  seed: Number(values.seed),
  calls: Number(values.calls),
  everyMs: Number(values.every),
  longestTalkMs: Number(values.talk),
  kills: Number(values.kills),
  keepLog: values['keep-log'] ?? null,
  program: values.program.endsWith('.ts') ? ['--import', 'tsx', values.program] : [values.program],
  say: (line) => process.stdout.write(`${line}\n`),
});
for (const { kind, index, text } of outcome.losses) {
  process.stdout.write(`LOSS ${kind}${index === null ? '' : ` (call ${index})`}: ${text}\n`);
}
for (const story of outcome.stories) process.stdout.write(`\n${story}\n`);
process.stdout.write(`\n${table(outcome)}\n`);
process.exit(outcome.losses.length === 0 ? 0 : 1);
