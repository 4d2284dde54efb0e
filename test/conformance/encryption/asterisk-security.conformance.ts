import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { expect } from 'chai';
import { newId } from '../../../core/model/ids.js';
import { TestAuthority } from '../../support/certificates.js';
import { eventually } from '../../support/eventually.js';
import { failureOf } from '../../support/judges/failure-of.js';
import { toneSeconds } from '../../support/judges/audio.js';
import { Baresip, freeSipPort } from '../../support/phones/index.js';
import { AsteriskHost } from '../rigs/asterisk-host.js';
import { connectedAsterisk } from '../rigs/asterisk-rig.js';
import { realEngine, type RealEngine } from '../rigs/sip-rig.js';
import { legTo } from '../rigs/stage.js';
import { securityConformance } from '../suites/security-suite.js';

describe('Asterisk encryption', () => {
  securityConformance(
    async ({ sipPort, tlsPort, identity, authorities, security }) => {
      const tls = { port: tlsPort, certificateFile: identity, privateKeyFile: identity, authoritiesFile: authorities };
      const host = await AsteriskHost.start(
        { from: 31_200, to: 31_298 },
        { sip: { bind: '127.0.0.1', port: sipPort, tls } },
      );
      return realEngine(host, host.engine({ security }));
    },
    { takesKeysForPlainAudio: true },
  );
});

describe('Asterisk with a new certificate', () => {
  let folder: string;
  let authority: TestAuthority;
  let host: AsteriskHost;
  let ground: RealEngine;
  let tlsPort: number;
  let phone: Baresip;

  const path = (name: string): string => join(folder, name);

  /** Puts another certificate into the files of the operator. */
  async function renew(from = authority): Promise<string> {
    const { cert, key } = await from.issue();
    await writeFile(path('cert.pem'), cert);
    await writeFile(path('key.pem'), key);
    return new X509Certificate(cert).fingerprint256;
  }

  /** The certificate that a new connection gets. */
  async function shown(): Promise<string> {
    const socket = connect({ host: '127.0.0.1', port: tlsPort, ca: authority.cert });
    await once(socket, 'secureConnect');
    const { fingerprint256 } = socket.getPeerCertificate();
    socket.destroy();
    return fingerprint256;
  }

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hatif-renewed-'));
    authority = await TestAuthority.create();
    await writeFile(path('authorities.pem'), authority.cert);
    await renew();
    const sipPort = await freeSipPort();
    tlsPort = sipPort + 1;
    host = await AsteriskHost.start(
      { from: 31_300, to: 31_398 },
      {
        sip: {
          ...{ bind: '127.0.0.1', port: sipPort },
          tls: { port: tlsPort, certificateFile: path('cert.pem'), privateKeyFile: path('key.pem') },
        },
      },
    );
    ground = await connectedAsterisk(host);
    const aor = 'renewed';
    const password = newId();
    await ground.engine.registrations.put({ aor, password, displayName: 'Agent', maxContacts: 1 });
    phone = await Baresip.start({
      ...{ user: aor, transport: 'tls', trusts: path('authorities.pem') },
      registrar: { host: '127.0.0.1', port: tlsPort, password },
    });
    await ground.heard.event('registration.changed', { aor, registered: true });
  });
  after(async () => {
    await phone.close();
    await ground.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it('keeps calls, connections and registrations, and shows it to new connections', async () => {
    await phone.dial(`sip:7201@127.0.0.1:${tlsPort};transport=tls`);
    const { legId } = await ground.heard.event('leg.incoming', { dialled: '7201' });
    await ground.engine.legs.answer(legId);
    await phone.waitFor('CALL_ESTABLISHED');
    await ground.engine.legs.echo(legId);
    await phone.waitToHear((audio) => toneSeconds(audio, 440) > 0.5);
    const before = await shown();
    const renewed = await renew();
    await host.renewCertificate();
    await eventually(async () => (await shown()) === renewed, 'the new certificate is shown');
    expect(renewed).not.to.equal(before);

    const heardSeconds = toneSeconds(phone.heard(), 440);
    await phone.waitToHear((audio) => toneSeconds(audio, 440) > heardSeconds + 1);
    expect(phone.missingSeconds()).to.be.lessThan(1);
    // By the connection from before.
    await ground.engine.legs.hangup(legId);
    await phone.closed();
    expect([...(await ground.engine.registrations.registered())]).to.include('renewed');
    const lost = ground.heard.events.filter(({ type }) => type === 'registration.changed').length - 1;
    expect(lost, 'changes of the registration').to.equal(0);
    await ground.engine.legs.originate(legTo({ type: 'softphone', aor: 'renewed' }));
    await phone.hangup(await phone.incoming());
  });

  it('keeps the previous one if the files do not fit together', async () => {
    const before = await shown();
    await writeFile(path('key.pem'), (await authority.issue()).key);
    expect(String(await failureOf(host.renewCertificate()))).to.match(/must hold the certificate of the key/);
    expect(await shown()).to.equal(before);
  });

  it('reads it at a start, too', async () => {
    const renewed = await renew();
    await host.restart();
    expect(await shown()).to.equal(renewed);
  });
});
