import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { createSecureContext } from 'node:tls';
import { expect } from 'chai';
import { AcmeCertificates } from '../../../core/data/repositories/certificates/certificates.js';
import { testDatabase } from '../../support/platform/database.js';
import { Installation } from '../../support/platform/installation.js';

const fixture = (name: string): string => join(import.meta.dirname, '../../support/fixtures', name);
const SIP = { SIP_TLS_CERT: fixture('self-signed.pem'), SIP_TLS_KEY: fixture('self-signed-key.pem') };
const WANTED = { authority: 'https://authority.example/dir', names: 'sip.example.com,voice.example.com' };

describe('hatif certificates', () => {
  let here: Installation;
  let certificates: AcmeCertificates;

  before(async () => {
    here = await Installation.with(testDatabase());
    certificates = new AcmeCertificates(here.db);
  });
  after(() => here.close());

  it('lists what is used, and why something cannot be', async () => {
    expect((await here.hatif(['certificates', 'list'])).stdout).to.contain('Neither HTTPS nor SIP');
    const { stdout, code } = await here.hatif(['certificates', 'list', '--json'], {
      ...SIP,
      HTTP_TLS_CERT: fixture('self-signed.pem'),
      HTTP_TLS_KEY: fixture('self-signed-renewed-key.pem'),
      PUBLIC_URL: 'https://voice.example.com',
    });
    expect(code).to.equal(0);
    const { used } = JSON.parse(stdout) as {
      used: { for: string; expires_at: string | null; problem: string | null }[];
    };
    expect(used.map((row) => [row.for, row.problem === null])).to.deep.equal([
      ['https', false],
      ['sip', true],
    ]);
    expect(used[1]?.expires_at).to.match(/^\d{4}-/);
  });

  it('shows how an order stands, and retries one that fails', async () => {
    const now = new Date();
    const later = new Date(now.getTime() + 3_600_000);
    await certificates.want(WANTED, now);
    expect((await here.hatif(['certificates', 'retry'])).stdout).to.contain('No renewal is failing');
    await certificates.take(WANTED, now, later);
    await certificates.failed(WANTED, 'DNS problem: looking up A for sip.example.com', later);
    const { stdout } = await here.hatif(['certificates', 'list']);
    expect(stdout)
      .to.match(/names +sip\.example\.com,voice\.example\.com/)
      .and.contain('DNS problem');
    expect(JSON.parse((await here.hatif(['certificates', 'retry', '--json'])).stdout)).to.deep.equal({ retried: 1 });
    const row = await certificates.get(WANTED);
    expect(row?.next_attempt_at.getTime()).to.be.lessThan(later.getTime());
    expect((await here.hatif(['status', '--json'])).stdout).to.match(/"certificate": "down"/);
  });

  it('writes the files of an engine, or says that there is no certificate', async () => {
    const folder = join(here.dataDir, 'tls');
    const none = await here.hatif(['certificates', 'write', folder]);
    expect(none.code).to.equal(2);
    expect(none.stderr).to.contain('SIP has no certificate');
    expect((await here.hatif(['certificates', 'write', folder, '--mode', '600'], SIP)).code).to.equal(0);
    const pem = await readFile(join(folder, 'agent.pem'), 'utf8');
    createSecureContext({ cert: pem, key: pem });
    expect((await stat(join(folder, 'agent.pem'))).mode & 0o777).to.equal(0o600);
    expect(await readFile(join(folder, 'cafile.pem'), 'utf8')).to.contain('BEGIN CERTIFICATE');
    const mixed = { ...SIP, SIP_TLS_KEY: fixture('self-signed-renewed-key.pem') };
    const broken = await here.hatif(['certificates', 'write', folder], mixed);
    expect([broken.code, broken.stderr.length > 0]).to.deep.equal([1, true]);
    expect(await readFile(join(folder, 'agent.pem'), 'utf8'), 'stays').to.equal(pem);
  });
});
