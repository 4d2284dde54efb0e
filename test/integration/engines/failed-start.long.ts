import { expect } from 'chai';
import { FailingStart } from '../../support/stages/failing-start.js';

/** In none of this machine's networks (RFC 5737). */
const ELSEWHERE = '203.0.113.1';

describe('a start that fails because of its addresses', function () {
  this.timeout(300_000);
  let start: FailingStart;

  before(async () => (start = await FailingStart.prepare()));
  after(() => start.close());

  it('names the port of the metrics that another program uses, and stops what it started', async () => {
    const { code, said } = await start.failsWith({ METRICS_PORT: start.takenPort });
    expect(said).to.match(/METRICS_PORT: .* is used by another program.*METRICS_PORT=\d+ npm start/);
    expect(code).to.equal(3);
  });

  it('names an address that the machine does not have, and stops what it started', async () => {
    const api = await start.failsWith({ HOST: ELSEWHERE });
    expect(api.said).to.match(/HOST: must be an address of this machine.*but is "203\.0\.113\.1"/);
    expect(api.code).to.equal(2);
    const sip = await start.failsWith({ SIP_BIND: ELSEWHERE });
    expect(sip.said)
      .to.match(/SIP_BIND: must be an IP address of this machine.*but is "203\.0\.113\.1"/)
      .and.not.include('another program');
    expect(sip.code).to.equal(3);
  });
});
