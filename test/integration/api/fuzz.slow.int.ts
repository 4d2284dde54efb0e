import { expect } from 'chai';
import { fuzz } from '../../fuzz/run.js';

describe('random requests to every operation', function () {
  this.timeout(120_000);

  it('get no error of the server and no broken envelope, and mostly reach their handler', async () => {
    const report = await fuzz({ seed: 7, requests: 900 });
    expect(report.faults.join('\n')).to.equal('');
    expect(report.reached / report.sent).to.be.above(0.6);
  });
});
