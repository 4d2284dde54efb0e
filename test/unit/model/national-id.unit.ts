import { expect } from 'chai';
import fc from 'fast-check';
import { isNationalId } from '../../../core/model/accounts/national-id.js';

describe('national ids', () => {
  it('have ten digits that start with 1 or 2, and a check digit', () => {
    for (const id of ['1000000008', '1012345672', '2000000006', '2123456788'])
      expect(isNationalId(id), id).to.equal(true);
    for (const id of [
      '',
      '1000000007',
      '3000000004',
      '0000000000',
      '100000000',
      '10000000080',
      ' 1000000008',
      '١٠٠٠٠٠٠٠٠٨',
    ]) {
      expect(isNationalId(id), id).to.equal(false);
    }
  });

  it('are recognised with one last digit only, and not with one digit changed', () => {
    const nine = fc.tuple(
      fc.constantFrom('1', '2'),
      fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 8, maxLength: 8 }),
    );
    fc.assert(
      fc.property(nine, fc.integer({ min: 1, max: 8 }), fc.integer({ min: 1, max: 9 }), ([first, rest], at, more) => {
        const start = first + rest.join('');
        const valid = Array.from('0123456789')
          .map((digit) => start + digit)
          .filter(isNationalId);
        expect(valid).to.have.length(1);
        const id = valid[0]!;
        const changed = id.slice(0, at) + String((Number(id[at]) + more) % 10) + id.slice(at + 1);
        expect(isNationalId(changed)).to.equal(false);
      }),
    );
  });
});
