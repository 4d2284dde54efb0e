import { expect } from 'chai';
import fc from 'fast-check';
import {
  MICROS_PER_SAR,
  formatSar,
  halalas,
  microsFromSar,
  multiplyDivide,
  roundHalfUp,
  sarNumber,
  vat,
} from '../../../core/model/money.js';

const amounts = fc.integer({ min: -(10 ** 13), max: 10 ** 13 });

describe('money', () => {
  const rounded: [micros: number, text: string][] = [
    [0, '0.00'],
    [4_999, '0.00'],
    [5_000, '0.01'],
    [-5_000, '-0.01'],
    [-4_999, '0.00'],
    [1_004_999, '1.00'],
    [1_005_000, '1.01'],
    [12_345_678, '12.35'],
    [1_234_500_000, '1234.50'],
    [-1_234_560_000, '-1234.56'],
  ];
  for (const [micros, text] of rounded) {
    it(`formats ${micros} millionths as ${text} SAR`, () => {
      expect(formatSar(micros)).to.equal(text);
      expect(sarNumber(micros)).to.equal(Number(text));
      expect(roundHalfUp(micros)).to.equal(Math.round(Number(text) * 100) * 10_000);
    });
  }

  it('is parsed without a binary fraction in between', () => {
    expect(microsFromSar('0.075')).to.equal(75_000);
    expect(microsFromSar('1')).to.equal(MICROS_PER_SAR);
    expect(microsFromSar('-12.345678')).to.equal(-12_345_678);
    expect(microsFromSar('1.1')).to.equal(1_100_000);
    expect(Object.is(microsFromSar('-0'), 0)).to.equal(true);
    for (const text of ['', '.5', '1.', '1e3', '1,5', '0.1234567', ' 1', '+1', '99999999999', 'NaN', '١'])
      expect(() => microsFromSar(text), text).to.throw(RangeError);
  });

  it('is rounded by at most half a halala, symmetrically around zero', () => {
    fc.assert(
      fc.property(amounts, (micros) => {
        expect(Math.abs(micros - roundHalfUp(micros))).to.be.at.most(5_000);
        expect(halalas(-micros) + halalas(micros)).to.equal(0);
        expect(roundHalfUp(roundHalfUp(micros))).to.equal(roundHalfUp(micros));
        expect(Number(formatSar(micros))).to.equal(sarNumber(micros));
      }),
    );
  });

  it('is multiplied exactly even when doubles would not be exact', () => {
    expect(multiplyDivide(9_007_199_254_740_991, 1_000_003, 1_000_003)).to.equal(9_007_199_254_740_991);
    expect(multiplyDivide(75_000, 61, 60)).to.equal(76_250);
    expect(multiplyDivide(1, 1, 2)).to.equal(1);
    expect(multiplyDivide(-1, 1, 2)).to.equal(-1);
    expect(multiplyDivide(1, 1, 3)).to.equal(0);
    expect(() => multiplyDivide(1, 1, 0)).to.throw(RangeError);
    expect(() => multiplyDivide(0.5, 1, 1)).to.throw(RangeError);
    expect(() => multiplyDivide(9_007_199_254_740_991, 2, 1)).to.throw(RangeError);
  });

  it('is taxed at 15 percent', () => {
    expect(vat(100 * MICROS_PER_SAR, 15)).to.equal(15 * MICROS_PER_SAR);
    expect(vat(1, 15)).to.equal(0);
    expect(vat(10, 15)).to.equal(2);
  });
});
