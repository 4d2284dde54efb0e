import { expect } from 'chai';
import fc from 'fast-check';
import { MemoryRateLimiter } from '../../../core/services/access/rate-limit.js';

describe('the rate limit of one process', () => {
  const limiterAt = () => {
    const time = { ms: 5_000_000 };
    return { time, limiter: new MemoryRateLimiter({ monotonicMs: () => time.ms }) };
  };

  it('counts down, refuses at the limit, and reports when it will allow the next request', () => {
    const { time, limiter } = limiterAt();
    const take = () => limiter.takeNow('a', 2, 60);
    expect(take()).to.include({ allowed: true, limit: 2, remaining: 1, windowSeconds: 60 });
    time.ms += 10_500;
    expect(take()).to.include({ allowed: true, remaining: 0 });
    const refused = take();
    expect(refused).to.include({ allowed: false, remaining: 0 });
    time.ms += refused.resetSeconds * 1000 - 1001;
    expect(take().allowed).to.equal(false);
    time.ms += 1001;
    expect(take().allowed).to.equal(true);
    expect(take().allowed).to.equal(false);
  });

  it('counts each subject separately', () => {
    const { limiter } = limiterAt();
    expect(limiter.takeNow('a', 1, 60).allowed).to.equal(true);
    expect(limiter.takeNow('b', 1, 60).allowed).to.equal(true);
    expect(limiter.takeNow('a', 1, 60).allowed).to.equal(false);
  });

  it('allows at most the limit in any window, and allows a client that waits for the reported time', () => {
    const steps = fc.array(fc.integer({ min: 0, max: 4_000 }), { minLength: 1, maxLength: 200 });
    fc.assert(
      fc.property(steps, fc.integer({ min: 1, max: 5 }), (waits, limit) => {
        const { time, limiter } = limiterAt();
        const allowed: number[] = [];
        for (const wait of waits) {
          time.ms += wait;
          const result = limiter.takeNow('a', limit, 10);
          if (result.allowed) allowed.push(time.ms);
          expect(result.remaining).to.be.within(0, limit);
          expect(result.resetSeconds).to.be.within(1, 11);
        }
        for (const start of allowed) {
          expect(allowed.filter((at) => at >= start && at < start + 10_000).length).to.be.at.most(limit);
        }
        time.ms += limiter.takeNow('a', limit, 10).resetSeconds * 1000;
        expect(limiter.takeNow('a', limit, 10).allowed).to.equal(true);
      }),
    );
  });
});
