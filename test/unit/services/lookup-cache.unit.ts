import { expect } from 'chai';
import { LookupCache } from '../../../core/services/access/lookup-cache.js';
import { VirtualClock } from '../../../engine/simulator/virtual-clock.js';

describe('A cache of look-ups', () => {
  it('looks up again when a value is too old, also one from the first moment of the clock', async () => {
    const clock = new VirtualClock(new Date(0));
    let lookups = 0;
    const cache = new LookupCache({ clock, max: 10, ttlMs: 1_000, load: () => Promise.resolve({ n: ++lookups }) });
    expect(await cache.get('a')).to.deep.equal({ n: 1 });
    await clock.advance(1_000);
    expect(await cache.get('a')).to.deep.equal({ n: 1 });
    await clock.advance(1);
    expect(await cache.get('a')).to.deep.equal({ n: 2 });
  });

  it('begins a look-up again that is interrupted by a clearing', async () => {
    const waiting: ((found: { n: number } | undefined) => void)[] = [];
    const load = () => new Promise<{ n: number } | undefined>((resolve) => waiting.push(resolve));
    const cache = new LookupCache({ clock: new VirtualClock(new Date(0)), max: 10, ttlMs: 1_000, load });
    for (const answer of [{ n: 2 }, undefined]) {
      const found = cache.get('a');
      cache.clear();
      waiting.shift()?.({ n: 1 });
      // The second look-up begins in a later turn.
      while (waiting.length === 0) await new Promise((resolve) => setImmediate(resolve));
      waiting.shift()?.(answer);
      expect(await found).to.deep.equal(answer);
      cache.clear();
    }
  });

  it('passes on why a look-up failed', async () => {
    const failing = {
      clock: new VirtualClock(new Date(0)),
      max: 1,
      ttlMs: 1,
      load: () => Promise.reject(new Error('away')),
    };
    const problem = await new LookupCache(failing).get('a').catch((error: unknown) => error);
    expect(problem).to.be.an('error').with.property('message', 'away');
  });
});
