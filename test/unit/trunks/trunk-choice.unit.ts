import { expect } from 'chai';
import { fittingRoutes, orderedTrunks, prefixesOf, type OfferedRoute } from '../../../core/model/trunks/choice.js';
import { isWithin, type TrunkHours } from '../../../core/model/trunks/hours.js';
import { WEEKDAYS } from '../../../core/model/calendar/opening-hours.js';

const AT = new Date('2026-11-26T09:00:00Z');
const CALL = { organizationId: 'acme', number: '+966501234517', at: AT };

function route(trunk_id: string, changes: Partial<OfferedRoute> = {}): OfferedRoute {
  const usual = { organization_id: null, prefix: '', hours: null, priority: 100, weight: 1, cost: null };
  return { ...usual, trunk_id, ...changes };
}
const NO_RATES: ReadonlyMap<string, number> = new Map();
const half = (): number => 0.5;
const trunksOf = (routes: readonly OfferedRoute[]): string[] => routes.map(({ trunk_id }) => trunk_id);

describe('the choice of a trunk', () => {
  it('takes the routes of every organization and of that of the call, by prefix', () => {
    const routes = [
      route('all'),
      route('own', { organization_id: 'acme' }),
      route('others', { organization_id: 'other' }),
      route('mobile', { prefix: '9665' }),
      route('landline', { prefix: '96611' }),
      route('longer than the number', { prefix: '966501234517000' }),
    ];
    expect(trunksOf(fittingRoutes(routes, CALL))).to.deep.equal(['all', 'own', 'mobile']);
  });

  it('takes routes in their hours only', () => {
    // Thursday, 12:00 in Riyadh.
    const hours = { time_zone: 'Asia/Riyadh', weekdays: ['thursday'], from: '12:00', to: '13:00' } as const;
    const routes = [route('now', { hours }), route('later', { hours: { ...hours, from: '12:01' } })];
    expect(trunksOf(fittingRoutes(routes, CALL))).to.deep.equal(['now']);
  });

  it('prefers its own organization, then the longest prefix, the priority, the cost, and the weight', () => {
    const routes = [
      route('light', { prefix: '9665', cost: 5 }),
      route('heavy', { prefix: '9665', cost: 5, weight: 100 }),
      route('dear', { prefix: '9665', cost: 6 }),
      route('unknown cost', { prefix: '9665' }),
      route('by rates', { prefix: '9665' }),
      route('first', { prefix: '9665', cost: 900, priority: 1 }),
      route('longer', { prefix: '96650', cost: 900, priority: 900 }),
      route('shorter', { prefix: '966', cost: 1, priority: 0 }),
      route('own', { organization_id: 'acme', priority: 900 }),
    ];
    const rates = new Map([['by rates', 4]]);
    expect(orderedTrunks(routes, rates, half)).to.deep.equal([
      ...['own', 'longer', 'first', 'by rates', 'heavy', 'light', 'dear', 'unknown cost', 'shorter'],
    ]);
  });

  it('names a trunk once, where it comes first', () => {
    const routes = [route('a', { prefix: '966' }), route('b', { prefix: '9665' }), route('b'), route('a')];
    expect(orderedTrunks(routes, NO_RATES, half)).to.deep.equal(['b', 'a']);
  });

  it('distributes calls by weight', () => {
    const routes = [route('one', { weight: 1 }), route('three', { weight: 3 })];
    let draws = 0;
    // A sequence that covers the interval evenly (van der Corput), in two dimensions.
    const corput = (index: number, base: number): number => {
      let [value, part] = [0, 1 / base];
      for (let left = index; left > 0; left = Math.floor(left / base), part /= base) value += (left % base) * part;
      return value;
    };
    const even = (): number => {
      draws += 1;
      return corput(Math.ceil(draws / 2), draws % 2 === 0 ? 2 : 3);
    };
    const firsts = Array.from({ length: 4_000 }, () => orderedTrunks(routes, NO_RATES, even)[0]);
    expect(firsts.filter((trunk) => trunk === 'three').length / firsts.length).to.be.closeTo(0.75, 0.02);
  });

  it('knows the starts of a number', () => {
    expect(prefixesOf('+9665')).to.deep.equal(['9665', '966', '96', '9', '']);
  });
});

describe('the hours of a route', () => {
  const HOURS: TrunkHours = { time_zone: 'Asia/Riyadh', weekdays: ['thursday'], from: '22:00', to: '06:00' };
  const isAt = (hours: TrunkHours, time: string): boolean => isWithin(hours, new Date(`${time}+03:00`));

  it('past midnight belong to the day on which they begin', () => {
    expect(isAt(HOURS, '2026-11-26T21:59:59')).to.equal(false);
    expect(isAt(HOURS, '2026-11-26T22:00:00')).to.equal(true);
    expect(isAt(HOURS, '2026-11-27T05:59:59')).to.equal(true);
    expect(isAt(HOURS, '2026-11-27T06:00:00')).to.equal(false);
    expect(isAt(HOURS, '2026-11-26T05:00:00'), 'Wednesday night').to.equal(false);
    expect(isAt(HOURS, '2026-11-27T22:00:00'), 'Friday').to.equal(false);
  });

  it('that begin and end at the same time last a day', () => {
    const all = { ...HOURS, from: '08:00', to: '08:00' };
    expect(isAt(all, '2026-11-27T07:59:00')).to.equal(true);
    expect(isAt(all, '2026-11-27T08:00:00')).to.equal(false);
    expect(isAt({ ...all, weekdays: WEEKDAYS, from: '00:00', to: '24:00' }, '2026-11-29T23:59:00')).to.equal(true);
  });

  it('are those of their time zone', () => {
    const utc = { ...HOURS, time_zone: 'UTC', from: '09:00', to: '10:00' };
    expect(isAt(utc, '2026-11-26T12:30:00')).to.equal(true);
    expect(isAt(utc, '2026-11-26T09:30:00')).to.equal(false);
  });
});
