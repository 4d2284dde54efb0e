import { parseArgs } from 'node:util';
import { fuzz } from './run.js';

const USAGE = `npm run fuzz -- [--seed N] [--requests N]

Sends random requests to every operation of the API document. The same seed sends the same requests, as far as the
answers are the same. Exit code 1 if an answer was wrong.

  --seed N      default: chosen from the time
  --requests N  default 20000
`;

const { values } = parseArgs({
  options: {
    help: { type: 'boolean', default: false },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    requests: { type: 'string', default: '20000' },
  },
});

if (values.help) {
  process.stdout.write(USAGE);
} else {
  const [seed, requests] = [Number(values.seed), Number(values.requests)];
  const report = await fuzz({ seed, requests });
  const lines = [
    ...new Set(report.faults),
    `seed ${seed}: ${report.sent} requests, ${report.reached} reached their handler`,
    ...Object.entries(report.statuses).map(([status, count]) => `  ${status}: ${count}`),
    `not reached: ${report.unreached.join(', ') || 'none'}`,
    `${report.faults.length} faults`,
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
  process.exit(report.faults.length > 0 ? 1 : 0);
}
