import { expect } from 'chai';
import { isId, newId } from '../../../core/model/ids.js';
import { isoTime, parseTime } from '../../../core/model/time.js';

describe('ids', () => {
  it('are unique and sort in order of creation', () => {
    const ids = Array.from({ length: 20_000 }, newId);
    expect(new Set(ids).size).to.equal(ids.length);
    expect([...ids].sort()).to.deep.equal(ids);
  });

  it('are distinguished from other texts', () => {
    const id = newId();
    expect(isId(id)).to.equal(true);
    expect(isId(id.toUpperCase())).to.equal(true);
    const others = ['', 'abc', id.slice(1), `${id}0`, ` ${id}`, id.replaceAll('-', ''), `{${id}}`, `${id}\n`];
    const version4 = '9b1deb4d-3b7d-4bad-9bdd-2b0d7b3dcb6d';
    for (const text of [...others, version4, '00000000-0000-0000-0000-000000000000'])
      expect(isId(text), text).to.equal(false);
  });
});

describe('times', () => {
  it('are formatted in UTC with milliseconds', () => {
    expect(isoTime(new Date(Date.UTC(2026, 0, 2, 3, 4, 5, 6)))).to.equal('2026-01-02T03:04:05.006Z');
    expect(isoTime(null)).to.equal(null);
  });

  const readable: [text: string, utc: string][] = [
    ['2026-01-02T03:04:05Z', '2026-01-02T03:04:05.000Z'],
    ['2026-01-02T03:04:05.678+03:00', '2026-01-02T00:04:05.678Z'],
    ['2026-01-02T03:04:05 03:00', '2026-01-02T00:04:05.000Z'],
    ['2026-01-01T22:04-05:00', '2026-01-02T03:04:00.000Z'],
    ['2028-02-29T00:00:00+03:00', '2028-02-28T21:00:00.000Z'],
  ];
  for (const [text, utc] of readable) {
    it(`parse ${text}`, () => expect(parseTime(text)?.toISOString()).to.equal(utc));
  }

  const unreadable = [
    '2026-01-02T03:04:05',
    '2026-01-02',
    '1767322800000',
    'yesterday',
    '2026-02-30T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-01-02T25:00:00Z',
    '2026-01-02T03:04:05+3',
    '2026-01-02 03:04:05Z',
    '',
  ];
  for (const text of unreadable) {
    it(`reject "${text}"`, () => expect(parseTime(text)).to.equal(null));
  }
});
