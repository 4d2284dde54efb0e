import { expect } from 'chai';
import { PLATFORM } from '../support/platform/programs.js';
import { matrixTable } from './matrix-report.js';
import { runMatrix } from './matrix.js';

/** A short run of `npm run chaos -- --matrix` on two Asterisks. */
const SEED = 3;
const CALLS = 8;
const LIMIT_MS = 300_000;
const ONLY = new Set(['process of asterisk', 'engine of second']);

describe('two processes and two engines under disturbances', () => {
  it('lose nothing', async function () {
    this.timeout(LIMIT_MS);
    this.slow(LIMIT_MS);
    const outcome = await runMatrix({
      seed: SEED,
      mixed: false,
      calls: CALLS,
      intervalMs: 800,
      maxTalkMs: 6_000,
      disturbAfterMs: 4_500,
      only: ({ what, engine }) => ONLY.has(`${what} of ${engine ?? 'all'}`),
      program: [PLATFORM],
      keepLog: null,
      log: () => undefined,
    });
    const losses = outcome.losses.map(({ kind, index, text }) => `${kind} (call ${String(index)}): ${text}`);
    expect(losses, [matrixTable(outcome), ...outcome.histories].join('\n\n')).to.deep.equal([]);
    expect(outcome.phases).to.have.length(ONLY.size);
    for (const { conversations } of outcome.phases) {
      const live = conversations.filter(({ customer }) => customer?.facts.confirmedAt != null);
      expect(live).to.have.length.above(CALLS / 3);
    }
  });
});
