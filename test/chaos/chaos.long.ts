import { expect } from 'chai';
import { runTable } from './report.js';
import { run } from './run.js';

/** A small run of what `npm run chaos` does at length; the seed is fixed, so that a failure is the same for everybody. */
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
      program: ['--import', 'tsx', 'main.ts'],
      log: () => undefined,
    });
    const losses = outcome.losses.map(({ kind, index, text }) => `${kind} (call ${String(index)}): ${text}`);
    expect(losses, [runTable(outcome), ...outcome.histories].join('\n\n')).to.deep.equal([]);
    expect(outcome.kills).to.have.length.above(0);
    // How many are answered between the kills is the machine's doing; without any this would prove nothing.
    const answered = outcome.conversations.filter(({ customer }) => customer?.facts.confirmedAt != null);
    expect(answered).to.have.length.above(CALLS / 4);
  });
});
