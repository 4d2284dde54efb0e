import { expect } from 'chai';
import {
  checksOf,
  fraudDefaultsOf,
  isNight,
  isUnlimited,
  limitsOfAgent,
  limitsOfProject,
  NO_FRAUD_DEFAULTS,
  refusingNight,
  type FraudLimits,
  type NightLimits,
} from '../../../core/model/fraud/limits.js';
import type { DestinationClass } from '../../../core/model/number/destination-class.js';

const NIGHT: NightLimits = {
  from: '22:00',
  to: '06:00',
  time_zone: 'Asia/Riyadh',
  destination_classes: ['national'],
  calls_per_hour: null,
};
/** In Riyadh: 15:30. */
const DAY = new Date('2026-01-31T12:30:00Z');
/** In Riyadh: 23:30. */
const LATE = new Date('2026-01-31T20:30:00Z');

describe('limits against toll fraud', () => {
  describe('night', () => {
    const cases: readonly [from: string, to: string, zone: string, at: string, expected: boolean][] = [
      ['22:00', '06:00', 'Asia/Riyadh', '2026-01-31T18:59:59Z', false],
      ['22:00', '06:00', 'Asia/Riyadh', '2026-01-31T19:00:00Z', true],
      ['22:00', '06:00', 'Asia/Riyadh', '2026-01-31T21:00:00Z', true],
      ['22:00', '06:00', 'Asia/Riyadh', '2026-02-01T02:59:59Z', true],
      ['22:00', '06:00', 'Asia/Riyadh', '2026-02-01T03:00:00Z', false],
      ['01:30', '05:15', 'Europe/London', '2026-07-01T00:29:00Z', false],
      ['01:30', '05:15', 'Europe/London', '2026-07-01T00:30:00Z', true],
      ['01:30', '05:15', 'Europe/London', '2026-01-01T00:30:00Z', false],
      ['01:30', '05:15', 'Europe/London', '2026-01-01T05:15:00Z', false],
    ];
    for (const [from, to, time_zone, at, expected] of cases) {
      it(`from ${from} to ${to} in ${time_zone} ${expected ? 'includes' : 'does not include'} ${at}`, () => {
        expect(isNight({ from, to, time_zone }, new Date(at))).to.equal(expected);
      });
    }

    const refusals: readonly [title: string, night: NightLimits, DestinationClass | null, Date, boolean][] = [
      ['lets what it allows pass', NIGHT, 'national', LATE, false],
      ['refuses other classes', NIGHT, 'foreign', LATE, true],
      ['refuses nothing by day', NIGHT, 'foreign', DAY, false],
      ['lets a SIP address pass if anything may be called', NIGHT, null, LATE, false],
      ['refuses a SIP address if nothing may be called', { ...NIGHT, destination_classes: [] }, null, LATE, true],
    ];
    for (const [title, night, called, at, isRefused] of refusals) {
      it(title, () => {
        expect(refusingNight([{}, { night: null }, { night }], called, at)).to.equal(isRefused ? night : null);
      });
    }
  });

  it('gives an agent its own limits, and those of the project’s agents for the rest', () => {
    const project = { project: { calls_per_hour: 500 }, agents: { calls_per_hour: 60, minutes_per_day: 90 } };
    expect(limitsOfAgent(project, null)).to.deep.equal(project.agents);
    expect(limitsOfAgent(project, {})).to.deep.equal(project.agents);
    expect(limitsOfAgent(project, { calls_per_hour: null })).to.deep.equal({
      calls_per_hour: null,
      minutes_per_day: 90,
    });
    expect(limitsOfAgent(null, { calls_per_hour: 5 })).to.deep.equal({ calls_per_hour: 5 });
    expect(limitsOfAgent(null, null)).to.deep.equal({});
  });

  it('gives a project its own limits, those of the organization, and those of the installation for the rest', () => {
    const installation = {
      limits: { project: { calls_per_hour: 900 }, agents: { calls_per_hour: 90 } },
      ends_calls: true,
    };
    const organization = {
      limits: { project: { spend_per_hour: 5 }, agents: { calls_per_hour: null, minutes_per_day: 60 } },
      ends_calls: null,
    };
    const defaults = fraudDefaultsOf(organization, installation);
    expect(defaults).to.deep.equal({
      limits: {
        project: { calls_per_hour: 900, spend_per_hour: 5 },
        agents: { calls_per_hour: null, minutes_per_day: 60 },
      },
      ends_calls: true,
    });
    expect(fraudDefaultsOf({ ...organization, ends_calls: false }, installation).ends_calls).to.equal(false);
    expect(fraudDefaultsOf(NO_FRAUD_DEFAULTS, NO_FRAUD_DEFAULTS)).to.deep.equal(NO_FRAUD_DEFAULTS);
    const own = { project: { calls_per_hour: null }, agents: { minutes_per_day: 30 } };
    expect(limitsOfProject(own, defaults.limits)).to.deep.equal({
      project: { calls_per_hour: null, spend_per_hour: 5 },
      agents: { calls_per_hour: null, minutes_per_day: 30 },
    });
    expect(limitsOfProject(null, defaults.limits)).to.deep.equal(defaults.limits);
    expect([NO_FRAUD_DEFAULTS.limits, defaults.limits].map(isUnlimited)).to.deep.equal([true, false]);
  });

  describe('what is counted', () => {
    const hourBefore = (at: Date): Date => new Date(at.getTime() - 3_600_000);
    const nightly = { ...NIGHT, calls_per_hour: 3 };
    const cases: readonly [title: string, FraudLimits, Date, readonly unknown[]][] = [
      ['nothing without a limit', { calls_per_hour: null, night: NIGHT }, LATE, []],
      [
        'every limit, with its window',
        { spend_per_hour: 5_000_000, minutes_per_day: 10, new_number_calls_per_hour: 4, calls_per_hour: 60 },
        DAY,
        [
          { rule: 'calls_per_hour', at_most: 60, since: hourBefore(DAY) },
          { rule: 'new_number_calls_per_hour', at_most: 4, since: hourBefore(DAY) },
          { rule: 'minutes_per_day', at_most: 600, since: new Date('2026-01-30T21:00:00Z') },
          { rule: 'spend_per_hour', at_most: 5_000_000, since: hourBefore(DAY) },
        ],
      ],
      [
        'at night the limit of the night instead of that of the day',
        { calls_per_hour: 60, night: nightly },
        LATE,
        [{ rule: 'night_calls_per_hour', at_most: 3, since: hourBefore(LATE) }],
      ],
      [
        'by day the limit of the day',
        { calls_per_hour: 60, night: nightly },
        DAY,
        [{ rule: 'calls_per_hour', at_most: 60, since: hourBefore(DAY) }],
      ],
      [
        'at night the limit of the day if the night has none',
        { calls_per_hour: 60, night: NIGHT },
        LATE,
        [{ rule: 'calls_per_hour', at_most: 60, since: hourBefore(LATE) }],
      ],
    ];
    for (const [title, limits, at, expected] of cases) {
      it(title, () => {
        const checks = expected.map((check) => ({ scope: 'agent', ...(check as object) }));
        expect(checksOf('agent', limits, at)).to.deep.equal(checks);
      });
    }
  });
});
