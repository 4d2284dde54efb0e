import { X509Certificate } from 'node:crypto';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSecureContext } from 'node:tls';
import { expect } from 'chai';
import { AcmeAuthority } from '../../../adapters/acme/acme-authority.js';
import { readSettings } from '../../../config/read-settings.js';
import { CertificatePublication } from '../../../core/services/certificates/publication.js';
import { certificateState } from '../../../core/services/certificates/state.js';
import { prepareAcmeFile, readAcmeFile, writeAcmeFile } from '../../../main/install/acme-file.js';
import { acmeFile } from '../../../main/install/places.js';
import { TEST_CIPHER } from '../../support/cipher.js';
import { DnsPeer } from '../../support/peers/dns-server.js';
import { findPebble, Pebble } from '../../support/peers/pebble.js';
import { skipBecause } from '../../support/skip.js';
import { CertificateStage } from '../../support/stages/certificate-stage.js';

const NAMES = 'sip.example.test,voice.example.test';
const MINUTE_MS = 60_000;

describe('a certificate from an ACME authority', function () {
  // The first run on a machine downloads pebble.
  this.timeout(120_000);
  let stage: CertificateStage;
  let dns: DnsPeer;
  let pebble: Pebble;
  const closing: (() => Promise<void>)[] = [];

  before(async function () {
    const tool = await findPebble();
    if (typeof tool === 'string') skipBecause(this, `pebble is not available: ${tool}`);
    stage = await CertificateStage.start();
    closing.push(() => stage.close());
    dns = await DnsPeer.start();
    closing.push(() => dns.close());
    for (const name of NAMES.split(',')) dns.addresses.set(name, '127.0.0.1');
    pebble = await Pebble.start(tool, { httpPort: stage.httpPort, nameServer: dns.address });
    closing.push(() => pebble.stop());
  });
  after(async () => {
    for (const close of closing.reverse()) await close();
  });

  function authority(): AcmeAuthority {
    const made = new AcmeAuthority({
      directoryUrl: pebble.directoryUrl,
      email: 'ops@example.test',
      trusted: pebble.trustedPem,
    });
    closing.push(() => made.close());
    return made;
  }

  const wanted = () => ({ authority: pebble.directoryUrl, names: NAMES });

  it('is issued for all names, and stored sealed', async () => {
    expect(await certificateState(stage.certificates, stage.clock.now())).to.equal('off');
    await stage.renewal(authority(), wanted()).run();
    const row = await stage.row(wanted());
    expect(row.failure, pebble.log()).to.equal(null);
    const certificate = new X509Certificate(row.chain ?? '');
    expect(certificate.subjectAltName?.split(', ')).to.have.members(['DNS:sip.example.test', 'DNS:voice.example.test']);
    expect(row.chain?.match(/BEGIN CERTIFICATE/g), 'with the chain').to.have.length.above(1);
    createSecureContext({ cert: row.chain ?? '', key: TEST_CIPHER.open(row.key ?? '') });
    const { db } = stage.database;
    const [account] = await db.query<{ key: string }>('SELECT key FROM acme_accounts');
    expect(TEST_CIPHER.open(account?.key ?? '')).to.contain('PRIVATE KEY');
    expect(`${row.key}${account?.key}`).not.to.contain('PRIVATE KEY');
    expect(await db.query('SELECT token FROM acme_challenges')).to.deep.equal([]);
    expect(await certificateState(stage.certificates, stage.clock.now())).to.equal('up');
  });

  it('is not ordered again before a third of its time is left, and then by one process only', async () => {
    const first = await stage.row(wanted());
    const account = await stage.database.db.query('SELECT key FROM acme_accounts');
    const processes = [stage.renewal(authority(), wanted()), stage.renewal(authority(), wanted())];
    await processes[0]!.run();
    expect((await stage.row(wanted())).chain).to.equal(first.chain);
    const lifeMs = first.not_after!.getTime() - first.not_before!.getTime();
    expect(first.next_attempt_at.getTime() - first.not_before!.getTime()).to.be.closeTo((lifeMs * 2) / 3, 1_000);

    stage.clock.moveTo(first.next_attempt_at);
    const before = stage.log.lines.length;
    await Promise.all(processes.map((process) => process.run()));
    const issued = stage.log.lines.slice(before).filter((line) => line.at(-1) === 'the authority issued a certificate');
    expect(issued).to.have.length(1);
    expect((await stage.row(wanted())).chain).not.to.equal(first.chain);
    expect(await stage.database.db.query('SELECT key FROM acme_accounts'), 'one account').to.deep.equal(account);
  });

  it('reaches the file that servers follow, which only its owner reads', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'hatif-acme-'));
    const settings = readSettings({
      ...{ HATIF_DATA_DIR: dataDir, ACME_DOMAINS: NAMES, ACME_FOR: 'sip', ACME_TERMS_AGREED: 'true' },
    });
    await prepareAcmeFile(settings);
    const provisional = await readFile(acmeFile(settings), 'utf8');
    createSecureContext({ cert: provisional, key: provisional });
    expect(new X509Certificate(provisional).issuer, 'until there is one').to.equal('CN=sip.example.test');
    let writes = 0;
    const publication = new CertificatePublication({
      ...{ certificates: stage.certificates, wanted: wanted(), cipher: TEST_CIPHER },
      read: () => readAcmeFile(settings),
      write: (pem) => ((writes += 1), writeAcmeFile(settings, pem)),
    });
    await publication.run();
    await publication.run();
    expect(writes).to.equal(1);
    const published = await readFile(acmeFile(settings), 'utf8');
    createSecureContext({ cert: published, key: published });
    expect(published).to.contain((await stage.row(wanted())).chain?.trimEnd());
    expect((await stat(acmeFile(settings))).mode & 0o777).to.equal(0o600);
    await prepareAcmeFile(settings);
    expect(await readFile(acmeFile(settings), 'utf8'), 'is kept at the next start').to.equal(published);
    await rm(dataDir, { recursive: true });
  });

  it('that cannot be proved says why, and is tried again after pauses that grow', async () => {
    const unknown = { authority: pebble.directoryUrl, names: 'gone.example.test' };
    const renewal = stage.renewal(authority(), unknown);
    await renewal.run();
    const failed = await stage.row(unknown);
    expect(failed.failures).to.equal(1);
    expect(failed.failure).to.contain('gone.example.test');
    expect(minutesUntil(failed.next_attempt_at)).to.equal(15);
    expect(await certificateState(stage.certificates, stage.clock.now())).to.equal('down');
    await renewal.run();
    expect((await stage.row(unknown)).failures, 'not before').to.equal(1);
    stage.clock.moveTo(failed.next_attempt_at);
    await renewal.run();
    const again = await stage.row(unknown);
    expect([again.failures, minutesUntil(again.next_attempt_at)]).to.deep.equal([2, 30]);

    dns.addresses.set('gone.example.test', '127.0.0.1');
    expect(await stage.certificates.retryNow(stage.clock.now())).to.equal(1);
    await renewal.run();
    const repaired = await stage.row(unknown);
    expect([repaired.failures, repaired.failure, repaired.chain !== null]).to.deep.equal([0, null, true]);
  });

  function minutesUntil(time: Date): number {
    return Math.round((time.getTime() - stage.clock.now().getTime()) / MINUTE_MS);
  }
});
