import { expect } from 'chai';
import { readSettings } from '../../../config/read-settings.js';
import { SettingsError } from '../../../config/settings-error.js';
import { riyadhTime } from '../../../core/model/riyadh.js';
import { minutesOf, sliceUsage, type Span } from '../../../core/model/usage.js';
import { callPrices } from '../../../main/wiring/call-prices.js';

const time = (text: string): Date => new Date(`2026-03-${text}+03:00`);
const formatted = ({ from, before }: Span): string => {
  if (from !== null && before !== null && from.getTime() === before.getTime()) return '';
  return `${from ? riyadhTime(from).slice(8, -6) : '…'} - ${before ? riyadhTime(before).slice(8, -6) : '…'}`;
};

/** The parts of a period that are not empty, in Riyadh time. A minus marks an edge to subtract. */
function slices(from: string | null, to: string | null, byDays = true): Record<string, string | string[]> {
  const cut = sliceUsage(from === null ? undefined : time(from), to === null ? undefined : time(to), byDays);
  const edges = cut.edges.map((edge) =>
    formatted(edge) === '' ? '' : `${edge.sign === 1 ? '+' : '-'} ${formatted(edge)}`,
  );
  const parts = { days: formatted(cut.days), hours: cut.hours.map(formatted), edges };
  return Object.fromEntries(
    Object.entries(parts)
      .map(([name, part]) => [name, typeof part === 'string' ? part : part.filter((text) => text !== '')] as const)
      .filter(([, part]) => part.length > 0),
  );
}

describe('a period of usage', () => {
  const HALF = '30:00.000';
  for (const [name, from, to, parts] of [
    ['of all time is all days', null, null, { days: '… - …' }],
    ['of whole days', '01T00:00:00', '03T23:59:59.999', { days: '01T00:00:00 - 04T00:00:00' }],
    [
      'that ends a second early subtracts that second',
      '01T00:00:00',
      '03T23:59:59',
      { days: '01T00:00:00 - 04T00:00:00', edges: ['- 03T23:59:59 - 04T00:00:00'] },
    ],
    [
      'that ends with the first millisecond of a day',
      '01T00:00:00',
      '03T00:00:00',
      { days: '01T00:00:00 - 03T00:00:00', edges: ['+ 03T00:00:00 - 03T00:00:00'] },
    ],
    [
      'of days with hours around',
      '01T22:00:00',
      '04T02:59:59.999',
      { days: '02T00:00:00 - 04T00:00:00', hours: ['01T22:00:00 - 02T00:00:00', '04T00:00:00 - 04T03:00:00'] },
    ],
    ['of hours of one day', '01T08:00:00', '01T16:59:59.999', { hours: ['01T08:00:00 - 01T17:00:00'] }],
    ['of a whole day less an hour', '01T01:00:00', '02T00:59:59.999', { hours: ['01T01:00:00 - 02T01:00:00'] }],
    [
      'with more than half an hour at the start, and less at the end',
      '01T08:10:00',
      '01T16:19:59.999',
      { hours: ['01T08:00:00 - 01T16:00:00'], edges: ['- 01T08:00:00 - 01T08:10:00', '+ 01T16:00:00 - 01T16:20:00'] },
    ],
    [
      'with less than half an hour at the start, and more at the end',
      '01T08:40:00',
      '01T16:49:59.999',
      { hours: ['01T09:00:00 - 01T17:00:00'], edges: ['+ 01T08:40:00 - 01T09:00:00', '- 01T16:50:00 - 01T17:00:00'] },
    ],
    [
      'in the first half of one hour',
      '01T08:10:00',
      '01T08:19:59.999',
      { edges: ['- 01T08:00:00 - 01T08:10:00', '+ 01T08:00:00 - 01T08:20:00'] },
    ],
    [
      'of most of one hour',
      '01T08:10:00',
      '01T08:49:59.999',
      { hours: ['01T08:00:00 - 01T09:00:00'], edges: ['- 01T08:00:00 - 01T08:10:00', '- 01T08:50:00 - 01T09:00:00'] },
    ],
    ['that begins at half an hour', `01T08:${HALF}`, '01T08:59:59.999', { edges: ['+ 01T08:30:00 - 01T09:00:00'] }],
    ['without an end', '02T00:00:00', null, { days: '02T00:00:00 - …' }],
    [
      'without an end, from within a day',
      '01T23:00:00',
      null,
      { days: '02T00:00:00 - …', hours: ['01T23:00:00 - 02T00:00:00'] },
    ],
    ['without a beginning', null, '02T23:59:59.999', { days: '… - 03T00:00:00' }],
    [
      'without a beginning, to within a day',
      null,
      '03T00:20:00',
      { days: '… - 03T00:00:00', edges: ['+ 03T00:00:00 - 03T00:20:00'] },
    ],
  ] as const) {
    it(name, () => {
      expect(slices(from, to)).to.deep.equal(parts);
    });
  }

  it('has no days if hours are requested', () => {
    expect(slices('01T00:00:00', '03T23:59:59.999', false)).to.deep.equal({ hours: ['01T00:00:00 - 04T00:00:00'] });
  });

  it('has the requested span as a whole, and the rolled-up span', () => {
    const cut = sliceUsage(time('01T08:10:00'), time('04T08:19:59.999'), true);
    expect(formatted(cut.whole)).to.equal('01T08:10:00 - 04T08:20:00');
    expect(formatted(cut.rolledUp)).to.equal('01T08:00:00 - 04T08:00:00');
  });
});

describe('figures of usage', () => {
  it('are minutes with two decimals', () => {
    const table: [number, number][] = [
      [0, 0],
      [1, 0.02],
      [3, 0.05],
      [60, 1],
      [89, 1.48],
      [90, 1.5],
      [3_000_000_000, 50_000_000],
    ];
    for (const [seconds, minutes] of table) expect(minutesOf(seconds), String(seconds)).to.equal(minutes);
  });

  it('carry days and hours of Riyadh', () => {
    expect(riyadhTime(new Date('2025-12-31T21:00:00.000Z'))).to.equal('2026-01-01T00:00:00+03:00');
    expect(riyadhTime(new Date('2026-06-30T12:00:00.000Z'))).to.equal('2026-06-30T15:00:00+03:00');
  });
});

describe('prices of calls', () => {
  const problems = (given: string): readonly string[] => {
    try {
      readSettings({ CALL_PRICES: given });
    } catch (error) {
      if (error instanceof SettingsError) return error.problems;
      throw error;
    }
    return [];
  };

  it('apply to a direction, or to a kind within it', () => {
    const settings = readSettings({ CALL_PRICES: 'outbound=0.12, outbound.callback=0.075,inbound.web=1' });
    expect(callPrices(settings)).to.deep.equal([
      { direction: 'outbound', kind: null, perMinute: 120_000 },
      { direction: 'outbound', kind: 'callback', perMinute: 75_000 },
      { direction: 'inbound', kind: 'web', perMinute: 1_000_000 },
    ]);
    expect(callPrices(readSettings({}))).to.deep.equal([]);
  });

  for (const wrong of [
    'outbound',
    'outbound=',
    'sideways=1',
    'outbound.fax=1',
    'outbound=-1',
    'outbound=0.1234567',
    'outbound=1,outbound=2',
  ]) {
    it(`are refused: ${wrong}`, () => {
      expect(problems(wrong)).to.have.length(1);
      expect(problems(wrong)[0]).to.match(/^CALL_PRICES: /);
    });
  }
});
