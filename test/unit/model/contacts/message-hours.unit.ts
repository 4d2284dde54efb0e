import { expect } from 'chai';
import { DEFAULT_MESSAGE_HOURS, hoursAt, parseMessageHours } from '../../../../core/model/contacts/message-hours.js';

const RAMADAN = parseMessageHours('promotional+awareness 2027-02-08..2027-03-09 20:00-02:00 Ramadan 1448');
const ROWS = [...DEFAULT_MESSAGE_HOURS, ...RAMADAN];

/** `open`, or the moment from which it is. */
const at = (time: string, zone = 'Asia/Riyadh', rows = ROWS): string => {
  const answer = hoursAt(rows, 'promotional', new Date(time), zone);
  return answer.isOpen ? 'open' : String(answer.until?.toISOString());
};

describe('the hours of messages', () => {
  for (const [what, time, zone, expected] of [
    ['before nine in Riyadh', '2026-11-27T08:59:59+03:00', 'Asia/Riyadh', '2026-11-27T06:00:00.000Z'],
    ['at nine', '2026-11-27T09:00:00+03:00', 'Asia/Riyadh', 'open'],
    ['a minute before ten', '2026-11-27T21:59:59+03:00', 'Asia/Riyadh', 'open'],
    ['at ten', '2026-11-27T22:00:00+03:00', 'Asia/Riyadh', '2026-11-28T06:00:00.000Z'],
    ['at nine in Riyadh, for London', '2026-11-27T09:00:00+03:00', 'Europe/London', '2026-11-27T09:00:00.000Z'],
    ['at night before a clock change', '2026-03-28T23:00:00Z', 'Europe/London', '2026-03-29T08:00:00.000Z'],
    ['on the last evening before Ramadan', '2027-02-07T22:30:00+03:00', 'Asia/Riyadh', '2027-02-08T17:00:00.000Z'],
    ['on a morning of Ramadan', '2027-02-09T10:00:00+03:00', 'Asia/Riyadh', '2027-02-09T17:00:00.000Z'],
    ['on an evening of Ramadan', '2027-02-09T21:00:00+03:00', 'Asia/Riyadh', 'open'],
    ['in the night after it', '2027-02-10T01:59:00+03:00', 'Asia/Riyadh', 'open'],
    ['later in that night', '2027-02-10T02:00:00+03:00', 'Asia/Riyadh', '2027-02-10T17:00:00.000Z'],
    ['in the night after Ramadan', '2027-03-10T01:00:00+03:00', 'Asia/Riyadh', 'open'],
    ['on the morning after Ramadan', '2027-03-10T10:00:00+03:00', 'Asia/Riyadh', 'open'],
  ] as const) {
    it(`are ${expected} ${what}`, () => {
      expect(at(time, zone)).to.equal(expected);
    });
  }

  it('say whose they are', () => {
    const night = new Date('2027-02-09T10:00:00+03:00');
    expect(hoursAt(ROWS, 'awareness', night, 'Asia/Riyadh')).to.include({ isOpen: false, source: 'Ramadan 1448' });
    const [usual] = DEFAULT_MESSAGE_HOURS;
    const before = hoursAt(ROWS, 'awareness', new Date('2026-11-27T03:00:00Z'), 'Asia/Riyadh');
    expect(before).to.include({ source: usual?.source });
  });

  it('bind no class without a row', () => {
    for (const free of ['service', 'personal'] as const)
      expect(hoursAt(ROWS, free, new Date('2026-11-27T00:00:00Z'), 'Asia/Riyadh')).to.deep.equal({ isOpen: true });
  });

  it('may be always, and all day', () => {
    const [row] = parseMessageHours(' personal always 00:00-24:00 Ours ; ');
    expect(row).to.deep.equal({ classes: ['personal'], from: null, to: null, opens: 0, closes: 1440, source: 'Ours' });
    expect(parseMessageHours('')).to.deep.equal([]);
  });

  for (const wrong of [
    'promotional 09:00-22:00 x',
    'service always 09:00-22:00 x',
    'promotional always 09:00-22:00',
    'promotional always 9:00-22:00 x',
    'promotional always 24:00-22:00 x',
    'promotional always 09:60-22:00 x',
    'promotional 2027-02-30..2027-03-09 09:00-22:00 x',
    'promotional 2027-03-09..2027-02-08 09:00-22:00 x',
  ]) {
    it(`cannot be “${wrong}”`, () => {
      expect(() => parseMessageHours(wrong)).to.throw(RangeError);
    });
  }
});
