import { expect } from 'chai';
import { hasCode } from '../../../core/model/error-code.js';

describe('the code of an error', () => {
  const missing = Object.assign(new Error('no such file'), { code: 'ENOENT' });

  it('is one of those that are asked for', () => {
    expect(hasCode(missing, 'ENOENT')).to.equal(true);
    expect(hasCode(missing, 'EEXIST', 'ENOENT')).to.equal(true);
    expect(hasCode(missing, 'EEXIST')).to.equal(false);
  });

  it('is that of any of several attempts', () => {
    const attempts = new AggregateError([new Error('refused'), missing]);
    expect(hasCode(attempts, 'ENOENT')).to.equal(true);
    expect(hasCode(attempts, 'EEXIST')).to.equal(false);
  });

  it('is none where there is none', () => {
    expect(hasCode(new Error('undefined'), 'undefined')).to.equal(false);
    expect(hasCode({ code: 'ENOENT' }, 'ENOENT')).to.equal(false);
    expect(hasCode(null, 'ENOENT')).to.equal(false);
  });
});
