import { once } from 'node:events';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { expect } from 'chai';
import { toneSeconds } from '../../support/judges/audio.js';
import { eventually } from '../../support/eventually.js';
import { DnsPeer } from '../../support/peers/dns-server.js';
import { findPebble, Pebble } from '../../support/peers/pebble.js';
import { Baresip, freeSipPort } from '../../support/phones/index.js';
import { embeddedSettings } from '../../support/platform/platform-process.js';
import { runHatif } from '../../support/platform/programs.js';
import { skipBecause } from '../../support/skip.js';
import { ProcessStage } from '../../support/stages/process-stage.js';

const NAME = 'voice.example.test';

describe('a platform with a certificate from an ACME authority', function () {
  this.timeout(180_000);
  let pebble: Pebble;
  let stage: ProcessStage;
  let root: string;
  const closing: (() => Promise<void>)[] = [];
  const ports = { https: 0, http: 0, sipTls: 0 };

  before(async function () {
    const tool = await findPebble();
    if (typeof tool === 'string') skipBecause(this, `pebble is not available: ${tool}`);
    const [https, sip] = [await freeSipPort(), await freeSipPort()];
    Object.assign(ports, { https, http: https + 1, sipTls: sip + 1 });
    const dns = await DnsPeer.start();
    closing.push(() => dns.close());
    dns.addresses.set(NAME, '127.0.0.1');
    pebble = await Pebble.start(tool, { httpPort: ports.http, nameServer: dns.address });
    closing.push(() => pebble.stop());
    root = await pebble.root();
    stage = await ProcessStage.start({
      ...(await embeddedSettings(await mkdtemp(join(tmpdir(), 'hatif-acme-')))),
      NODE_EXTRA_CA_CERTS: pebble.trusted,
      PORT: String(ports.https),
      PUBLIC_URL: `https://${NAME}:${ports.https}`,
      ACME_DOMAINS: NAME,
      ACME_DIRECTORY_URL: pebble.directoryUrl,
      ACME_TERMS_AGREED: 'true',
      ACME_HTTP_PORT: String(ports.http),
      SIP_PORT: String(sip),
      SIP_TLS_PORT: String(ports.sipTls),
      SIP_PHONE_TRANSPORT: 'tls',
      SIP_PHONE_SRTP: 'required',
    });
    closing.push(() => stage.close());
  });
  after(async () => {
    for (const close of closing.reverse()) await close();
  });

  /** Whether a client that trusts the authority connects. */
  async function isTrusted(port: number): Promise<boolean> {
    const socket = connect({ host: '127.0.0.1', port, servername: NAME, ca: root });
    try {
      await once(socket, 'secureConnect');
      return true;
    } catch {
      return false;
    } finally {
      socket.destroy();
    }
  }

  it('shows it for HTTPS and for SIP', async () => {
    await eventually(
      () => isTrusted(ports.https),
      () => `HTTPS has it\n${pebble.log()}`,
      60_000,
    );
    await eventually(() => isTrusted(ports.sipTls), 'SIP has it', 30_000);
  });

  it('tells how phones reach it, and what it uses', async () => {
    expect(stage.bootstrap.sip).to.include({
      ...{ host: NAME, port: ports.sipTls, transport: 'tls', tls_port: ports.sipTls },
    });
    expect(stage.platform.output).to.contain(`${NAME}:${ports.sipTls} (tls)`);
    const listed = JSON.parse(await runHatif(stage.settings, ['certificates', 'list', '--json'])) as {
      readonly used: readonly {
        readonly for: string;
        readonly names: readonly string[];
        readonly problem: string | null;
      }[];
      readonly ordered: readonly { readonly names: readonly string[]; readonly failures: number }[];
    };
    expect(listed.used.map(({ for: what, names, problem }) => ({ what, names, problem }))).to.deep.equal([
      { what: 'https', names: [NAME], problem: null },
      { what: 'sip', names: [NAME], problem: null },
    ]);
    expect(listed.ordered).to.have.length(1);
    expect(listed.ordered[0]).to.deep.include({ names: [NAME], failures: 0 });
    const status = JSON.parse(await runHatif(stage.settings, ['status', '--json'])) as {
      parts: Record<string, string>;
    };
    expect(status.parts.certificate).to.equal('up');
  });

  it('takes an encrypted call of a phone that trusts it', async () => {
    const trusts = join(stage.dataDir, 'root.pem');
    await writeFile(trusts, root);
    const { agents } = stage.bootstrap.sip;
    const { agent: user, password } = agents[0]!;
    const phone = await Baresip.start({
      ...{ user, transport: 'tls', trusts, srtp: 'required', codecs: ['PCMA'] },
      registrar: { host: '127.0.0.1', port: ports.sipTls, password },
    });
    try {
      await phone.registered();
      await phone.dial(`sip:${stage.bootstrap.line_number}@127.0.0.1:${ports.sipTls};transport=tls`);
      await phone.waitFor('CALL_ESTABLISHED');
      // The echo service first speaks, then plays back what it hears.
      await phone.waitToHear((audio) => toneSeconds(audio, 440) > 0.5, { timeoutMs: 60_000 });
      expect(phone.log()).to.contain('SRTP is Enabled');
    } finally {
      await phone.close();
    }
  });
});
