import { expect } from 'chai';
import fc from 'fast-check';
import { costOf, RateTable, affordableSeconds, type Rate } from '../../../core/model/rating/rate.js';

const RATE: Rate = {
  direction: 'outbound',
  kind: null,
  prefix: '',
  perMinute: 120_000,
  incrementSeconds: 60,
  minimumSeconds: 0,
};

describe('the rate of a leg', () => {
  const rates: readonly Rate[] = [
    RATE,
    { ...RATE, kind: 'callback', perMinute: 1 },
    { ...RATE, prefix: '966', perMinute: 2 },
    { ...RATE, prefix: '9665', perMinute: 3 },
    { ...RATE, prefix: '9665', kind: 'callback', perMinute: 4 },
    { ...RATE, direction: 'inbound', perMinute: 5 },
  ];

  for (const [what, direction, kind, number, perMinute] of [
    ['for all other destinations', 'outbound', 'outbound', '+14155550100', 120_000],
    ['of its kind if no longer prefix matches', 'outbound', 'callback', '+14155550100', 1],
    ['with the longer prefix', 'outbound', 'outbound', '+966501234567', 3],
    ['with the longer prefix, before the one of its kind', 'outbound', 'callback', '+966112345678', 2],
    ['of its kind if the prefixes are equal', 'outbound', 'callback', '+966501234567', 4],
    ['of its direction', 'inbound', 'inbound', '+966501234567', 5],
    ['without a prefix if the number is unknown', 'outbound', 'outbound', null, 120_000],
  ] as const) {
    it(`is the one ${what}`, () => {
      expect(new RateTable(rates).find({ direction, kind, number })?.perMinute).to.equal(perMinute);
    });
  }

  it('is null if the plan has no rate for the direction', () => {
    expect(new RateTable([RATE]).find({ direction: 'inbound', kind: 'inbound', number: null })).to.equal(null);
  });
});

describe('the cost of a leg', () => {
  for (const [increment, minimum, seconds, billedSeconds, amount] of [
    [60, 0, 0, 0, 0],
    [60, 0, 1, 60, 120_000],
    [60, 0, 60, 60, 120_000],
    [60, 0, 61, 120, 240_000],
    [1, 0, 61, 61, 122_000],
    [6, 30, 1, 30, 60_000],
    [6, 30, 31, 36, 72_000],
    [60, 30, 0, 60, 120_000],
    // Rounding each second would add up to an error of millionths.
    [1, 0, 7, 7, 14_000],
  ] as const) {
    it(`of ${seconds} s in increments of ${increment} s, at least ${minimum} s, is billed as ${billedSeconds} s`, () => {
      const rate = { ...RATE, incrementSeconds: increment, minimumSeconds: minimum };
      expect(costOf(rate, seconds)).to.deep.equal({ billedSeconds, amount });
    });
  }

  it('never falls with the duration, and an amount affords exactly the computed seconds', () => {
    const rate = fc.record({
      perMinute: fc.integer({ min: 1, max: 5_000_000 }),
      incrementSeconds: fc.integer({ min: 1, max: 90 }),
      minimumSeconds: fc.integer({ min: 0, max: 90 }),
    });
    fc.assert(
      fc.property(rate, fc.integer({ min: 0, max: 50_000_000 }), fc.nat(4000), (drawn, money, seconds) => {
        const known = { ...RATE, ...drawn };
        expect(costOf(known, seconds + 1).amount).to.be.at.least(costOf(known, seconds).amount);
        const lasts = affordableSeconds(known, money);
        if (lasts > 0) expect(costOf(known, lasts).amount).to.be.at.most(money);
        const more = Math.max(lasts + known.incrementSeconds, known.minimumSeconds);
        // Rounding to a millionth may differ by one.
        expect(costOf(known, more).amount).to.be.at.least(money);
      }),
    );
  });

  it('of a free rate is affordable for any duration', () => {
    expect(affordableSeconds({ ...RATE, perMinute: 0 }, 0)).to.equal(Infinity);
  });
});
