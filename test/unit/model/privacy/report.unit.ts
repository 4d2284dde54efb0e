import { expect } from 'chai';
import { withAllCounts, withCounts, withoutKept, type Report } from '../../../../core/model/privacy/report.js';

const EMPTY: Report = [];

describe('a report about personal data', () => {
  it('adds what was counted of a category', () => {
    const first = withCounts(EMPTY, 'calls', { found: 2, anonymised: 1 });
    const [calls, ...others] = withCounts(first, 'calls', { found: 3, erased: 1 });
    expect(others).to.be.empty;
    expect(calls).to.deep.equal({ category: 'calls', found: 5, exported: 0, erased: 1, anonymised: 1, kept: [] });
  });

  it('has no entry for a category of which nothing was found', () => {
    expect(withCounts(EMPTY, 'calls', { found: 0 })).to.equal(EMPTY);
    const kept = [{ reason: 'cdr', count: 0, until: null } as const];
    expect(withCounts(EMPTY, 'calls', { found: 1, kept })[0]?.kept).to.be.empty;
  });

  it('takes several categories at once', () => {
    const report = withAllCounts(EMPTY, { calls: { found: 1 }, legs: { found: 2, exported: 2 } });
    expect(report.map(({ category, found }) => [category, found])).to.deep.equal([
      ['calls', 1],
      ['legs', 2],
    ]);
  });

  it('keeps one entry for each reason, with the latest time', () => {
    const of = (count: number, until: string | null) => ({ kept: [{ reason: 'cdr', count, until } as const] });
    const times = ['2027-01-01T00:00:00.000Z', '2029-01-01T00:00:00.000Z', null];
    const report = times.reduce((all, until) => withCounts(all, 'calls', of(1, until)), EMPTY);
    expect(report[0]?.kept).to.deep.equal([{ reason: 'cdr', count: 3, until: times[1] }]);
  });

  it('forgets what was kept for some reasons, and nothing else', () => {
    const kept = (['cdr', 'legal_hold'] as const).map((reason) => ({ reason, count: 1, until: null }));
    const [entry] = withoutKept(withCounts(EMPTY, 'calls', { found: 2, kept }), ['cdr']);
    expect(entry?.found).to.equal(2);
    expect(entry?.kept.map(({ reason }) => reason)).to.deep.equal(['legal_hold']);
  });
});
