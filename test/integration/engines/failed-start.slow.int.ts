import { once } from 'node:events';
import { chmod, mkdtemp } from 'node:fs/promises';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import {
  clearAway,
  embeddedSettings,
  PlatformProcess,
  processesOf,
  type ProcessSettings,
} from '../../support/platform/platform-process.js';

/** In none of this machine's networks (RFC 5737). */
const ELSEWHERE = '203.0.113.1';

describe('a start that fails', function () {
  this.timeout(300_000);
  let folder: string;
  let settings: ProcessSettings;
  let taken: Server;
  let takenPort: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hatif-failed-'));
    // PostgreSQL's own user must be able to enter the data folder; otherwise its data would be kept elsewhere.
    await chmod(folder, 0o755);
    settings = await embeddedSettings(join(folder, '.hatif'));
    taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    takenPort = String((taken.address() as AddressInfo).port);
  });
  after(async () => {
    taken.close();
    await clearAway(folder);
  });

  async function failsWith(wrong: ProcessSettings): Promise<{ code: number | null; said: string }> {
    const platform = PlatformProcess.start({ ...settings, ...wrong });
    const code = await platform.exited;
    expect(processesOf(folder), platform.output).to.deep.equal([]);
    return { code, said: platform.output };
  }

  it('names every wrong setting before it starts anything', async () => {
    const { code, said } = await failsWith({ SIP_BIND: 'foo', PORT: 'abc', HATIF_FLAGS_ON: 'transfer' });
    expect(said)
      .to.include('SIP_BIND: must be an IP address of this machine, or 0.0.0.0 for all of them, but is "foo"')
      .and.include('PORT: must be a whole number from 0 to 65535, but is "abc"')
      .and.not.include('NaN');
    expect(code).to.equal(2);
    const flags = await failsWith({ HATIF_FLAGS_ON: 'teleport' });
    expect(flags.code).to.equal(2);
    expect(flags.said).to.match(/HATIF_FLAGS_ON: must name features out of .*transfer.*, but is "teleport"/);
  });

  it('names the port of the API that another program uses, and stops what it started', async () => {
    const { code, said } = await failsWith({ PORT: takenPort });
    expect(said).to.match(new RegExp(`PORT: 127.0.0.1:${takenPort} is used by another program.*PORT=\\d+ npm start`));
    expect(code).to.equal(3);
  });

  it('names the port of the metrics that another program uses, and stops what it started', async () => {
    const { code, said } = await failsWith({ METRICS_PORT: takenPort });
    expect(said).to.match(/METRICS_PORT: .* is used by another program.*METRICS_PORT=\d+ npm start/);
    expect(code).to.equal(3);
  });

  it('names an address that the machine does not have, and stops what it started', async () => {
    const api = await failsWith({ HOST: ELSEWHERE });
    expect(api.said).to.match(/HOST: must be an address of this machine.*but is "203\.0\.113\.1"/);
    expect(api.code).to.equal(2);
    const sip = await failsWith({ SIP_BIND: ELSEWHERE });
    expect(sip.said)
      .to.match(/SIP_BIND: must be an IP address of this machine.*but is "203\.0\.113\.1"/)
      .and.not.include('another program');
    expect(sip.code).to.equal(3);
  });

  it('names the SIP port that another program uses, and stops PostgreSQL and Redis', async () => {
    const { code, said } = await failsWith({ SIP_PORT: takenPort });
    expect(said).to.match(
      new RegExp(`SIP on 127.0.0.1 port ${takenPort} \\(tcp\\): another program.*SIP_PORT=\\d+ npm`),
    );
    expect(said, 'the settings that were typed').to.match(/PORT=0 .*DRAIN_SECONDS=0 SIP_PORT=\d+ npm start/);
    expect(code).to.equal(3);
  });
});
