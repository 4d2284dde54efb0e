import { expect } from 'chai';
import { FailingStart } from '../../support/stages/failing-start.js';

describe('a start that fails', function () {
  this.timeout(300_000);
  let start: FailingStart;

  before(async () => (start = await FailingStart.prepare()));
  after(() => start.close());

  it('names every wrong setting before it starts anything', async () => {
    const { code, said } = await start.failsWith({ SIP_BIND: 'foo', PORT: 'abc', HATIF_FLAGS_ON: 'transfer' });
    expect(said)
      .to.include('SIP_BIND: must be an IP address of this machine, or 0.0.0.0 for all of them, but is "foo"')
      .and.include('PORT: must be a whole number from 0 to 65535, but is "abc"')
      .and.not.include('NaN');
    expect(code).to.equal(2);
    const flags = await start.failsWith({ HATIF_FLAGS_ON: 'teleport' });
    expect(flags.code).to.equal(2);
    expect(flags.said).to.match(/HATIF_FLAGS_ON: must name features out of .*transfer.*, but is "teleport"/);
  });

  it('names the port of the API that another program uses, and stops what it started', async () => {
    const { code, said } = await start.failsWith({ PORT: start.takenPort });
    expect(said).to.match(
      new RegExp(`PORT: 127.0.0.1:${start.takenPort} is used by another program.*PORT=\\d+ npm start`),
    );
    expect(code).to.equal(3);
  });

  it('names the SIP port that another program uses, and stops PostgreSQL and Redis', async () => {
    const { code, said } = await start.failsWith({ SIP_PORT: start.takenPort });
    expect(said).to.match(
      new RegExp(`SIP on 127.0.0.1 port ${start.takenPort} \\(tcp\\): another program.*SIP_PORT=\\d+ npm`),
    );
    expect(said, 'the settings that were typed').to.match(/PORT=0 .*DRAIN_SECONDS=0 SIP_PORT=\d+ npm start/);
    expect(code).to.equal(3);
  });
});
