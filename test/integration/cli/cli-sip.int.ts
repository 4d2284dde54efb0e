import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { SipLockouts } from '../../../core/data/repositories/sip/lockouts.js';
import { SipRefusals } from '../../../core/data/repositories/sip/refusals.js';
import { EDGE_FEATURES } from '../../../core/ports/sip/edge.js';
import { commandForAll, EDGE_SETTINGS, type HatifCommand } from '../../support/command.js';
import type { TestDatabase } from '../../support/platform/database.js';

const ADDRESS = { kind: 'address', subject: '203.0.113.9', reason: 'password' } as const;

describe('hatif sip', () => {
  let command: HatifCommand;
  let database: TestDatabase;
  const { hatif, json } = commandForAll((...opened) => ([command, database] = opened), EDGE_SETTINGS);
  afterEach(() => database.db.query('DELETE FROM sip_lockouts; DELETE FROM sip_networks; DELETE FROM sip_refusals'));

  it('lists who is locked out, and releases', async () => {
    expect((await hatif(['sip', 'blocked'])).stdout).to.contain('Nobody is locked out');
    const lockouts = new SipLockouts(database.db);
    await lockouts.lock(ADDRESS, 60, 86_400);
    await lockouts.lock({ kind: 'user', subject: '1001', reason: 'password' }, 60, 86_400);
    const { stdout } = await hatif(['sip', 'blocked']);
    expect(stdout).to.contain('address 203.0.113.9').and.contain('user 1001').and.contain('wrong passwords');
    expect((await hatif(['sip', 'blocked', '--addresses'])).stdout).to.equal('203.0.113.9\n');
    expect(await json('sip', 'release', '203.0.113.9')).to.deep.equal({ subject: '203.0.113.9', released: true });
    expect(await json('sip', 'blocked')).to.have.length(1);
    const again = await hatif(['sip', 'release', '203.0.113.9']);
    expect(again.code).to.equal(1);
    expect(again.stderr).to.contain('was not locked out');
  });

  it('lists networks in one form, and removes them', async () => {
    expect((await hatif(['sip', 'allow', '192.0.2.77/24', '--note', 'head office'])).stdout).to.contain('192.0.2.0/24');
    await json('sip', 'deny', '2001:DB8::0001');
    const listed = (await json('sip', 'networks')) as { network: string; rule: string; note: string | null }[];
    expect(listed.map(({ network, rule, note }) => [network, rule, note])).to.deep.equal([
      ['192.0.2.0/24', 'allow', 'head office'],
      ['2001:db8::1', 'deny', null],
    ]);
    await json('sip', 'deny', '192.0.2.0/24');
    expect(await json('sip', 'networks')).to.have.length(2);
    await json('sip', 'remove', '192.0.2.1/24');
    const { code, stderr } = await hatif(['sip', 'remove', '192.0.2.0/24']);
    expect([code, stderr]).to.satisfy(([code, text]: [number, string]) => code === 1 && text.includes('on no list'));
  });

  it('lists countries by their codes', async () => {
    expect((await hatif(['sip', 'allow', 'sa'])).stdout).to.contain('SA: allow');
    await json('sip', 'deny', 'SA');
    const listed = (await json('sip', 'networks')) as { network: string; rule: string }[];
    expect(listed.map(({ network, rule }) => [network, rule])).to.deep.equal([['SA', 'deny']]);
    await json('sip', 'remove', 'sa');
    expect(await json('sip', 'networks')).to.deep.equal([]);
  });

  it('lists how many requests were refused', async () => {
    expect((await hatif(['sip', 'refused'])).stdout).to.contain('Nothing was refused');
    const refusals = new SipRefusals(database.db);
    const hour = new Date(Math.floor(Date.now() / 3_600_000) * 3_600_000);
    const row = {
      hour,
      reason: 'scanner',
      source: '203.0.113.9',
      country: 'SY',
      requests: 2,
      last_at: new Date(),
    } as const;
    await refusals.add([row, { ...row, source: '*', country: null }]);
    await refusals.add([{ ...row, requests: 3, last_at: new Date(Date.now() + 1000) }]);
    const [first, second] = (await json('sip', 'refused')) as { source: string; country: string; requests: number }[];
    expect([first?.source, first?.country, first?.requests]).to.deep.equal(['203.0.113.9', 'SY', 5]);
    expect([second?.source, second?.country, second?.requests]).to.deep.equal(['*', null, 2]);
    await database.db.query(`UPDATE sip_refusals SET hour = hour - interval '31 days' WHERE source = '*'`);
    await refusals.removeOld();
    expect(await json('sip', 'refused')).to.have.length(1);
  });

  it('shows the way in, and what it cannot do', async () => {
    expect(await json('sip', 'status')).to.deep.equal({
      kind: 'drachtio',
      features: [...EDGE_FEATURES],
      unsupported: [],
    });
    const direct = await hatif(['--json', 'sip', 'status'], { env: { SIP_EDGE: 'direct' } });
    expect(JSON.parse(direct.stdout)).to.deep.equal({ kind: 'direct', features: [], unsupported: [...EDGE_FEATURES] });
  });

  for (const words of [
    ['blocked'],
    ['release', '1001'],
    ['refused'],
    ['networks'],
    ['allow', 'SA'],
    ['remove', 'SA'],
  ]) {
    it(`${words.join(' ')} is unsupported without the edge`, async () => {
      const { code, stderr } = await hatif(['sip', ...words], { env: { SIP_EDGE: 'direct' } });
      expect(code).not.to.equal(0);
      expect(stderr).to.contain('SIP_EDGE');
      expect(await json('sip', 'networks')).to.deep.equal([]);
    });
  }

  for (const network of ['nowhere', '192.0.2.0/33', '300.1.1.1', 'host.example', 'XX', 'S']) {
    it(`refuses ${network}`, async () => {
      const { code, stderr } = await hatif(['sip', 'deny', network]);
      expect(code).not.to.equal(0);
      expect(stderr).to.contain('must be an IP address');
      expect(await json('sip', 'networks')).to.deep.equal([]);
    });
  }

  it('writes the configuration of drachtio-server, readable for its group only', async () => {
    const folder = join(command.dataDir, 'drachtio');
    const fixture = (name: string): string => join(import.meta.dirname, '../../support/fixtures', name);
    const tls = { SIP_TLS_CERT: fixture('self-signed.pem'), SIP_TLS_KEY: fixture('self-signed-key.pem') };
    const env = { ...tls, SIP_BIND: '192.0.2.5', SIP_WSS_PORT: '5063' };
    const { code, stdout, stderr } = await hatif(['drachtio-config', folder], { env });
    expect(code, stderr).to.equal(0);
    const file = join(folder, 'drachtio.conf.xml');
    expect(stdout).to.contain(file);
    const text = await readFile(file, 'utf8');
    expect(text).to.contain(EDGE_SETTINGS.DRACHTIO_SECRET).and.contain('sip:192.0.2.5:5063;transport=wss');
    expect(text).to.contain(join(folder, 'tls', 'agent.pem'));
    for (const written of [file, join(folder, 'tls', 'agent.pem')]) {
      expect((await stat(written)).mode & 0o777, written).to.equal(0o640);
    }
  });

  it('writes no configuration without a secret, or with a mode that is none', async () => {
    const folder = join(command.dataDir, 'none');
    const direct = { SIP_EDGE: 'direct', DRACHTIO_SECRET: '' };
    expect((await hatif(['drachtio-config', folder], { env: direct })).stderr).to.contain('DRACHTIO_SECRET is not set');
    expect((await hatif(['drachtio-config', folder, '--mode', '9'])).stderr).to.contain('three octal digits');
    const everywhere = { SIP_BIND: '0.0.0.0', SIP_EXTERNAL_ADDRESS: '203.0.113.5' };
    expect((await hatif(['drachtio-config', folder], { env: everywhere })).stderr).to.contain('one address');
    expect(await readFile(join(folder, 'drachtio.conf.xml'), 'utf8').catch(() => null)).to.equal(null);
  });

  it('lets each lockout in a row last twice as long, and a running one as it is', async () => {
    const lockouts = new SipLockouts(database.db);
    const secondsOf = async (): Promise<number> => {
      const row = await lockouts.lock(ADDRESS, 60, 200);
      return Math.round((row.locked_until.getTime() - row.locked_at.getTime()) / 1000);
    };
    const ended = (): Promise<unknown> =>
      database.db.query(`UPDATE sip_lockouts SET locked_until = now() - interval '1 second'`);
    const lasted: number[] = [];
    for (let time = 0; time < 4; time += 1) {
      lasted.push(await secondsOf());
      expect(await secondsOf()).to.equal(lasted.at(-1));
      await ended();
    }
    expect(lasted).to.deep.equal([60, 120, 200, 200]);
    await database.db.query(`UPDATE sip_lockouts SET locked_until = now() - interval '25 hours'`);
    expect(await secondsOf()).to.equal(60);
    await database.db.query(`UPDATE sip_lockouts SET locked_until = now() - interval '25 hours'`);
    await lockouts.removeForgotten();
    expect(await database.db.query('SELECT 1 FROM sip_lockouts')).to.deep.equal([]);
  });
});
