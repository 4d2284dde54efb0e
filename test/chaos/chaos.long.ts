import { expect } from 'chai';
import { PLATFORM } from '../support/platform/programs.js';
import { runTable } from './report.js';
import { run } from './run.js';

/** A short run of `npm run chaos`. The fixed seed makes a failure reproducible. */
const SEED = 20;
const CALLS = 20;
const LIMIT_MS = 180_000;

describe('calls under kill -9', () => {
  it('lose nothing', async function () {
    this.timeout(LIMIT_MS);
    this.slow(LIMIT_MS);
    const outcome = await run({
      seed: SEED,
      calls: CALLS,
      intervalMs: 450,
      maxTalkMs: 5_000,
      kills: 3,
      keepLog: null,
      program: [PLATFORM],
      log: () => undefined,
    });
    const losses = outcome.losses.map(({ kind, index, text }) => `${kind} (call ${String(index)}): ${text}`);
    expect(losses, [runTable(outcome), ...outcome.histories].join('\n\n')).to.deep.equal([]);
    expect(outcome.kills).to.have.length.above(0);
    // The number of answered calls depends on the machine; with too few of them the run would prove nothing.
    const answered = outcome.conversations.filter(({ customer }) => customer?.facts.confirmedAt != null);
    expect(answered).to.have.length.above(CALLS / 4);
  });
});
