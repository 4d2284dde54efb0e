import { expect } from 'chai';
import { forwardCases } from '../../../../core/model/call/forwarding.js';

describe('the case of an unreached phone', () => {
  for (const [q850, hasRung, cases] of [
    [17, true, ['busy']],
    [17, false, ['busy']],
    [21, true, ['busy']],
    [19, true, ['no_answer']],
    [18, true, ['no_answer']],
    [19, false, ['unregistered', 'no_answer']],
    [20, false, ['unregistered']],
    [27, false, ['unregistered']],
    [102, false, ['unregistered']],
    [1, false, []],
    [41, false, []],
    [38, false, []],
  ] as const) {
    it(`is ${cases.join(', then ') || 'none'} for cause ${q850} ${hasRung ? 'after' : 'before'} ringing`, () =>
      expect(forwardCases({ q850, hasRung })).to.deep.equal(cases));
  }
});
