import { expect } from 'chai';
import fc from 'fast-check';
import pg from 'pg';
import { parseTimestamp } from '../../core/data/timestamp.js';

describe('a timestamp of the database', () => {
  const asPg = pg.types.getTypeParser(pg.types.builtins.TIMESTAMPTZ, 'text') as (text: string) => unknown;
  const same = (text: string): void => {
    expect(parseTimestamp(text), text).to.deep.equal(asPg(text));
  };

  it('is read as pg reads it, with and without a fraction', () => {
    const years = fc.date({
      min: new Date('0100-01-01T00:00:00Z'),
      max: new Date('9999-12-31T23:59:59Z'),
      noInvalidDate: true,
    });
    fc.assert(
      fc.property(years, fc.constantFrom('', '.1', '.07', '.25', '.999', '.120', '.123456'), (date, fraction) =>
        same(`${date.toISOString().slice(0, 19).replace('T', ' ')}${fraction}+00`),
      ),
    );
  });

  for (const text of [
    '2026-01-31 10:00:00+03',
    '2026-01-31 10:00:00.5-05:30',
    '2026-01-31 10:00:00.123456+00',
    '0044-03-15 12:00:00+00 BC',
    '0001-01-01 00:00:00+00',
    '12026-01-31 10:00:00+00',
    'infinity',
    '-infinity',
  ]) {
    it(`is left to pg when it is ${text}`, () => same(text));
  }
});
