import { expect } from 'chai';
import { readSettings } from '../../../config/read-settings.js';
import { SettingsError } from '../../../config/settings-error.js';
import { feeOf, monthStart } from '../../../core/model/rating/number-fee.js';
import { numberPrices } from '../../../main/wiring/call-prices.js';

describe('the monthly fee of a number', () => {
  it('starts its months on the same day, or on the last day of a shorter month', () => {
    const starts = Array.from({ length: 14 }, (_, month) => monthStart('2027-01-31', month));
    expect(starts.slice(0, 5)).to.deep.equal(['2027-01-31', '2027-02-28', '2027-03-31', '2027-04-30', '2027-05-31']);
    expect(starts[13]).to.equal('2028-02-29');
    expect(monthStart('2026-11-05', 2)).to.equal('2027-01-05');
  });

  it('is that of the longest prefix, then of the kind', () => {
    const fees = [
      { kind: null, prefix: '', monthly: 1 },
      { kind: 'mobile', prefix: '', monthly: 2 },
      { kind: null, prefix: '9665', monthly: 3 },
    ] as const;
    expect(feeOf(fees, { e164: '+966501234567', kind: 'mobile' })?.monthly).to.equal(3);
    expect(feeOf(fees, { e164: '+14155550100', kind: 'mobile' })?.monthly).to.equal(2);
    expect(feeOf(fees, { e164: '+966112345678', kind: 'geographic' })?.monthly).to.equal(1);
    expect(feeOf(fees.slice(2), { e164: '+966112345678', kind: 'geographic' })).to.equal(null);
  });

  it('comes from NUMBER_PRICES for organizations without another plan', () => {
    const settings = readSettings({ NUMBER_PRICES: 'geographic=15,mobile=20.5' });
    expect(numberPrices(settings)).to.deep.equal([
      { kind: 'geographic', monthly: 15_000_000 },
      { kind: 'mobile', monthly: 20_500_000 },
    ]);
    for (const wrong of ['mobile', 'fax=3', 'mobile=-1', 'mobile=1,mobile=2'])
      expect(() => readSettings({ NUMBER_PRICES: wrong }), wrong).to.throw(SettingsError);
  });
});
