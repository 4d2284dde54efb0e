import { expect } from 'chai';
import { hasCode } from '../../../core/model/error-code.js';

describe('hasCode', () => {
  const missing = Object.assign(new Error('no such file'), { code: 'ENOENT' });

  it('matches any of the given codes', () => {
    expect(hasCode(missing, 'ENOENT')).to.equal(true);
    expect(hasCode(missing, 'EEXIST', 'ENOENT')).to.equal(true);
    expect(hasCode(missing, 'EEXIST')).to.equal(false);
  });

  it('matches the code of any error in an AggregateError', () => {
    const attempts = new AggregateError([new Error('refused'), missing]);
    expect(hasCode(attempts, 'ENOENT')).to.equal(true);
    expect(hasCode(attempts, 'EEXIST')).to.equal(false);
  });

  it('is false for an error without a code', () => {
    expect(hasCode(new Error('undefined'), 'undefined')).to.equal(false);
    expect(hasCode({ code: 'ENOENT' }, 'ENOENT')).to.equal(false);
    expect(hasCode(null, 'ENOENT')).to.equal(false);
  });
});
