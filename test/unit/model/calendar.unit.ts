import { expect } from 'chai';
import {
  hijriOf,
  isOpen,
  localTime,
  nextOpening,
  openingHours,
  type OpeningHours,
} from '../../../core/model/calendar/index.js';
import { momentOf, weekdayOf } from '../../../core/model/calendar/local.js';

/**
 * First days of the months of 1446 by the Umm al-Qura calendar, as published at
 * https://www.islamiccalendar.info (7 July 2024; its Shaban is a day earlier than ICU's, and left
 * out), and later days as announced in Saudi Arabia: new year, Ramadan, the two Eids.
 */
const HIJRI: readonly (readonly [string, string])[] = [
  ['2024-07-07', '1446-01-01'],
  ['2024-08-05', '1446-02-01'],
  ['2024-09-04', '1446-03-01'],
  ['2024-10-04', '1446-04-01'],
  ['2024-11-03', '1446-05-01'],
  ['2024-12-02', '1446-06-01'],
  ['2025-01-01', '1446-07-01'],
  ['2025-03-01', '1446-09-01'],
  ['2025-03-30', '1446-10-01'],
  ['2025-04-29', '1446-11-01'],
  ['2025-05-28', '1446-12-01'],
  ['2025-06-06', '1446-12-10'],
  ['2025-06-26', '1447-01-01'],
  ['2026-02-18', '1447-09-01'],
  ['2026-03-20', '1447-10-01'],
  ['2026-05-27', '1447-12-10'],
  ['2026-06-16', '1448-01-01'],
];

const WORK = [
  { from: '09:00', to: '12:00' },
  { from: '16:00', to: '21:00' },
];
const OFFICE = {
  sunday: WORK,
  monday: WORK,
  tuesday: WORK,
  wednesday: WORK,
  thursday: [{ from: '20:00', to: '02:00' }],
};

function hours(value: unknown): OpeningHours {
  return openingHours.parse(value);
}
function date(text: string): { year: number; month: number; day: number } {
  const [year = 0, month = 0, day = 0] = text.split('-').map(Number);
  return { year, month, day };
}
/** A time in Riyadh. */
function riyadh(text: string): Date {
  return new Date(`${text}:00+03:00`);
}

describe('Calendars', () => {
  for (const [gregorian, hijri] of HIJRI) {
    it(`convert ${gregorian} to Hijri ${hijri}`, () => expect(hijriOf(date(gregorian))).to.deep.equal(date(hijri)));
  }

  it('give the weekday, and the local time of a time zone', () => {
    expect(weekdayOf(date('2026-11-22'))).to.equal(0);
    expect(localTime(new Date('2026-11-22T22:30:00Z'))).to.deep.equal({ ...date('2026-11-23'), hour: 1, minute: 30 });
    expect(localTime(new Date('2026-11-22T00:00:00Z'), 'UTC')).to.deep.include({ hour: 0, minute: 0 });
  });

  it('convert local time to a moment, also across clock changes', () => {
    const at = (day: string, minutes: number): string => momentOf(date(day), minutes, 'Europe/Berlin').toISOString();
    expect(at('2026-07-01', 540)).to.equal('2026-07-01T07:00:00.000Z');
    expect(at('2026-12-01', 540)).to.equal('2026-12-01T08:00:00.000Z');
    // 29 March 2026: 2:00 becomes 3:00, so 2:30 does not exist.
    expect(at('2026-03-29', 60)).to.equal('2026-03-29T00:00:00.000Z');
    expect(at('2026-03-29', 150)).to.equal('2026-03-29T01:30:00.000Z');
    expect(at('2026-03-29', 180)).to.equal('2026-03-29T01:00:00.000Z');
    expect(momentOf(date('2026-11-22'), 540).toISOString()).to.equal('2026-11-22T06:00:00.000Z');
  });

  describe('opening hours', () => {
    const office = hours({ week: OFFICE });
    for (const [at, open] of [
      ['2026-11-22T08:59', false],
      ['2026-11-22T09:00', true],
      ['2026-11-22T11:59', true],
      ['2026-11-22T12:00', false],
      ['2026-11-22T16:00', true],
      ['2026-11-22T21:00', false],
      // Thursday evening continues into Friday; Wednesday's does not.
      ['2026-11-26T19:59', false],
      ['2026-11-26T20:00', true],
      ['2026-11-26T23:59', true],
      ['2026-11-27T01:59', true],
      ['2026-11-27T02:00', false],
      ['2026-11-26T01:00', false],
      // Friday and Saturday are closed.
      ['2026-11-27T10:00', false],
      ['2026-11-28T10:00', false],
    ] as const) {
      it(`are ${open ? 'open' : 'closed'} at ${at}`, () => expect(isOpen(office, riyadh(at))).to.equal(open));
    }

    for (const [at, next] of [
      ['2026-11-22T10:00', '2026-11-22T10:00'],
      ['2026-11-22T03:00', '2026-11-22T09:00'],
      ['2026-11-22T12:00', '2026-11-22T16:00'],
      ['2026-11-22T21:00', '2026-11-23T09:00'],
      ['2026-11-27T02:00', '2026-11-29T09:00'],
    ] as const) {
      it(`open next after ${at} at ${next}`, () => expect(nextOpening(office, riyadh(at))).to.deep.equal(riyadh(next)));
    }

    it('may never open', () => {
      expect(nextOpening(hours({ week: {} }), riyadh('2026-11-22T10:00'))).to.equal(null);
    });

    it('may cover a whole day, and use another time zone', () => {
      const berlin = hours({ time_zone: 'Europe/Berlin', week: { sunday: [{ from: '00:00', to: '24:00' }] } });
      expect(isOpen(berlin, new Date('2026-11-21T22:59:00Z'))).to.equal(false);
      expect(isOpen(berlin, new Date('2026-11-21T23:00:00Z'))).to.equal(true);
      expect(isOpen(berlin, new Date('2026-11-22T22:59:00Z'))).to.equal(true);
      expect(isOpen(berlin, new Date('2026-11-22T23:00:00Z'))).to.equal(false);
    });

    const DAILY = [{ from: '09:00', to: '17:00' }];
    const WEEK = {
      sunday: DAILY,
      monday: DAILY,
      tuesday: DAILY,
      wednesday: DAILY,
      thursday: DAILY,
      friday: DAILY,
      saturday: DAILY,
    };

    /**
     * Days around a holiday: the last open one before, the first closed, the last closed, the first
     * open after.
     */
    for (const [what, holiday, before, first, last, after] of [
      // 29 Ramadan 1446 is the month's last day: Eid starts on 1 Shawwal.
      ['Eid al-Fitr 1446', { preset: 'eid_al_fitr' }, '2025-03-29', '2025-03-30', '2025-04-02', '2025-04-03'],
      // Ramadan 1447 has thirty days: the thirtieth is the first day off.
      ['Eid al-Fitr 1447', { preset: 'eid_al_fitr' }, '2026-03-18', '2026-03-19', '2026-03-22', '2026-03-23'],
      ['Eid al-Adha 1446', { preset: 'eid_al_adha' }, '2025-06-04', '2025-06-05', '2025-06-08', '2025-06-09'],
      ['Eid al-Adha 1447', { preset: 'eid_al_adha', days: 6 }, '2026-05-25', '2026-05-26', '2026-05-31', '2026-06-01'],
      ['the national day', { preset: 'national_day' }, '2026-09-22', '2026-09-23', '2026-09-23', '2026-09-24'],
      ['the founding day', { preset: 'founding_day' }, '2027-02-21', '2027-02-22', '2027-02-22', '2027-02-23'],
      ['a date', { date: '2026-12-31', days: 2 }, '2026-12-30', '2026-12-31', '2027-01-01', '2027-01-02'],
      ['a date of every year', { date: '12-31' }, '2027-12-30', '2027-12-31', '2027-12-31', '2028-01-01'],
      [
        'a date of every Hijri year',
        { date: '01-01', calendar: 'umm_al_qura' },
        '2026-06-15',
        '2026-06-16',
        '2026-06-16',
        '2026-06-17',
      ],
      [
        'a date of one Hijri year',
        { date: '1448-01-01', calendar: 'umm_al_qura' },
        '2026-06-15',
        '2026-06-16',
        '2026-06-16',
        '2026-06-17',
      ],
    ] as const) {
      it(`are closed on ${what}`, () => {
        const closing = hours({ week: WEEK, holidays: [holiday] });
        const noon = (day: string): boolean => isOpen(closing, riyadh(`${day}T12:00`));
        expect([before, first, last, after].map(noon)).to.deep.equal([true, false, false, true]);
        expect(nextOpening(closing, riyadh(`${first}T12:00`))).to.deep.equal(riyadh(`${after}T09:00`));
      });
    }

    it('are not closed by a date of another year', () => {
      const closing = hours({
        week: WEEK,
        holidays: [{ date: '2025-12-31' }, { date: '1447-01-01', calendar: 'umm_al_qura' }],
      });
      expect(isOpen(closing, riyadh('2026-12-31T12:00'))).to.equal(true);
      expect(isOpen(closing, riyadh('2026-06-16T12:00'))).to.equal(true);
    });

    it('may be shorter on a holiday; the first holiday that covers a day wins', () => {
      const short = hours({
        week: WEEK,
        holidays: [{ preset: 'national_day', hours: [{ from: '10:00', to: '12:00' }] }, { date: '09-23' }],
      });
      expect(isOpen(short, riyadh('2026-09-23T11:00'))).to.equal(true);
      expect(isOpen(short, riyadh('2026-09-23T13:00'))).to.equal(false);
    });

    it('that start on the previous evening continue into a holiday', () => {
      const night = hours({
        week: { tuesday: [{ from: '20:00', to: '04:00' }] },
        holidays: [{ preset: 'national_day' }],
      });
      expect(isOpen(night, riyadh('2026-09-23T03:59'))).to.equal(true);
    });

    it('differ in Ramadan', () => {
      const fasting = hours({
        week: WEEK,
        ramadan: {
          monday: [
            { from: '10:00', to: '15:00' },
            { from: '21:00', to: '01:00' },
          ],
        },
      });
      // 23 February 2026 is 6 Ramadan 1447, a Monday; 22 is a Sunday.
      expect(isOpen(fasting, riyadh('2026-02-23T09:30'))).to.equal(false);
      expect(isOpen(fasting, riyadh('2026-02-23T14:00'))).to.equal(true);
      expect(isOpen(fasting, riyadh('2026-02-24T00:30'))).to.equal(true);
      expect(isOpen(fasting, riyadh('2026-02-22T12:00'))).to.equal(false);
      expect(isOpen(fasting, riyadh('2026-02-16T09:30'))).to.equal(true);
    });

    for (const [what, value] of [
      ['no week', {}],
      ['an unknown zone', { time_zone: 'Asia/Atlantis', week: {} }],
      ['an unknown day', { week: { someday: [] } }],
      ['an empty range', { week: { sunday: [{ from: '09:00', to: '09:00' }] } }],
      ['an invalid hour', { week: { sunday: [{ from: '24:00', to: '09:00' }] } }],
      ['an invalid minute', { week: { sunday: [{ from: '09:60', to: '10:00' }] } }],
      ['an invalid month', { week: {}, holidays: [{ date: '13-01' }] }],
      ['an unknown holiday', { week: {}, holidays: [{ preset: 'tuesday' }] }],
      ['an unknown calendar', { week: {}, holidays: [{ date: '01-01', calendar: 'mayan' }] }],
    ] as const) {
      it(`reject ${what}`, () => expect(openingHours.safeParse(value).success).to.equal(false));
    }
  });
});
