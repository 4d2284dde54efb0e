import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { SipSecurity } from '../../../core/model/sip-security.js';
import { newId } from '../../../core/model/ids.js';
import type { Softphone } from '../../../core/ports/engine/peers.js';
import { TestAuthority } from '../../support/certificates.js';
import { eventually } from '../../support/eventually.js';
import { toneSeconds, type Audio } from '../../support/judges/audio.js';
import { Baresip, freeSipPort, type BaresipOptions } from '../../support/phones/index.js';
import type { RealEngine } from '../rigs/sip-rig.js';
import { carrierAt, legTo } from '../rigs/stage.js';

/** The ports and files of an engine that speaks TLS. */
export interface SecureSetup {
  readonly sipPort: number;
  readonly tlsPort: number;
  /** PEM: the engine's certificate with its key, and the authorities from which those of carriers must come. */
  readonly identity: string;
  readonly authorities: string;
  readonly security: SipSecurity;
}

/** How a phone reaches the engine; by default over TLS, encrypted. */
interface PhoneWay {
  readonly srtp?: NonNullable<BaresipOptions['srtp']> | null;
  /** The file of the authorities that it trusts. */
  readonly trusts?: string;
  readonly isSecure?: boolean;
}

/** What engines do differently. */
export interface SecurityTraits {
  /** Whether it takes calls of a phone that offers encryption beside plain audio (keys for RTP/AVP). Otherwise: 488. */
  readonly takesKeysForPlainAudio: boolean;
}

/** FreeSWITCH notices a carrier with a wrong certificate only when the transaction times out (RFC 3261, timer B). */
const REFUSED_CARRIER_MS = 40_000;

/** The tone that phones send. */
const hasTone = (audio: Audio): boolean => toneSeconds(audio, 440) > 0.5;

/** Rules for calls over TLS that every engine must enforce. */
export function securityConformance(
  start: (setup: SecureSetup) => Promise<RealEngine>,
  { takesKeysForPlainAudio }: SecurityTraits,
): void {
  let folder: string;
  let authority: TestAuthority;
  let trusted: string;
  const phones: Baresip[] = [];

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hatif-tls-'));
    authority = await TestAuthority.create();
    trusted = await file('authorities.pem', authority.cert);
    await file('engine.pem', (await authority.issue()).pem);
  });
  after(() => rm(folder, { recursive: true, force: true }));

  async function file(name: string, text: string): Promise<string> {
    const path = join(folder, name);
    await writeFile(path, text, { mode: 0o600 });
    return path;
  }

  describe('required', () => {
    const { opened, account, phone } = stage({ phonesNeedTls: true, phones: 'required', trunks: 'required' });

    it('encrypts what a softphone sends and hears', async () => {
      const { ground, tlsPort } = opened();
      const softphone = await account('tls-in');
      const calling = await phone(softphone);
      await ground.heard.event('registration.changed', { aor: softphone.aor, registered: true });
      await calling.dial(`sip:7101@127.0.0.1:${tlsPort};transport=tls`);
      const { legId } = await ground.heard.event('leg.incoming', { dialled: '7101' });
      await ground.engine.legs.answer(legId);
      await calling.waitFor('CALL_ESTABLISHED');
      await ground.engine.legs.echo(legId);
      await calling.waitToHear(hasTone);
      expect(calling.log()).to.contain('SRTP is Enabled');
    });

    it('rings a softphone, and encrypts the call', async () => {
      const { ground } = opened();
      const softphone = await account('tls-out');
      const called = await phone(softphone);
      await ground.heard.event('registration.changed', { aor: softphone.aor, registered: true });
      const leg = legTo({ type: 'softphone', aor: softphone.aor });
      await ground.engine.legs.originate(leg);
      await called.incoming();
      await called.answer();
      await ground.heard.event('leg.answered', { legId: leg.legId });
      await ground.engine.legs.echo(leg.legId);
      await called.waitToHear(hasTone);
      expect(called.log()).to.contain('SRTP is Enabled');
    });

    it('refuses plain audio in both directions', async () => {
      const { ground, tlsPort } = opened();
      const softphone = await account('tls-plain');
      const plain = await phone(softphone, { srtp: null });
      await ground.heard.event('registration.changed', { aor: softphone.aor, registered: true });
      await plain.dial(`sip:7102@127.0.0.1:${tlsPort};transport=tls`);
      expect(await plain.closed()).to.match(/^488/);
      const leg = legTo({ type: 'softphone', aor: softphone.aor });
      await ground.engine.legs.originate(leg);
      await ground.heard.event('leg.ended', { legId: leg.legId });
      expect(ground.heard.events.some((event) => event.type === 'leg.incoming' && event.dialled === '7102')).to.equal(
        false,
      );
    });

    it('neither reaches a phone without TLS nor takes its calls', async () => {
      const { ground } = opened();
      const softphone = await account('tls-none');
      const clear = await phone(softphone, { isSecure: false });
      // Whether the registration itself is refused depends on the engine.
      await clear.registered().catch(() => undefined);
      expect([...(await ground.engine.registrations.registered())]).not.to.include(softphone.aor);
      await clear.dial(`sip:7103@${ground.sipAddress}`);
      expect(await clear.closed()).to.match(/^[456]\d\d/);
      expect(
        clear.events.some(({ type }) => type === 'CALL_REMOTE_SDP'),
        'keys in clear text',
      ).to.equal(false);
      expect(ground.heard.events.some((event) => event.type === 'leg.incoming' && event.dialled === '7103')).to.equal(
        false,
      );
    });

    it('shows a certificate, which a phone that does not know its authority refuses', async () => {
      const softphone = await account('tls-stranger');
      const strangers = await file('strangers.pem', (await TestAuthority.create('Another authority')).cert);
      const stranger = await phone(softphone, { trusts: strangers });
      await eventually(
        () => stranger.log().includes('Protocol error'),
        () => `it refuses\n${stranger.log()}`,
      );
      expect([...(await opened().ground.engine.registrations.registered())]).not.to.include(softphone.aor);
    });

    it('calls a carrier whose certificate it trusts, encrypted, and no other one', async function () {
      this.timeout(2 * REFUSED_CARRIER_MS);
      const { ground } = opened();
      const ours = await file('carrier.pem', (await authority.issue()).pem);
      const carrier = await remote({ user: 'carrier', certificate: ours });
      await ground.engine.trunks.put(
        carrierAt(carrier.sipPort + 1, { trunkId: 'tls-trunk', transport: 'tls', inboundAddresses: [] }),
      );
      const leg = legTo({ type: 'trunk', trunkId: 'tls-trunk', number: '+966112223344' });
      await ground.engine.legs.originate(leg);
      await ground.heard.event('leg.answered', { legId: leg.legId });
      await ground.engine.legs.echo(leg.legId);
      await carrier.waitToHear(hasTone);
      expect(carrier.log()).to.contain('SRTP is Enabled');

      const theirs = await file('other.pem', (await (await TestAuthority.create('Nobody')).issue()).pem);
      const impostor = await remote({ user: 'impostor', certificate: theirs });
      await ground.engine.trunks.put(
        carrierAt(impostor.sipPort + 1, { trunkId: 'tls-impostor', transport: 'tls', inboundAddresses: [] }),
      );
      const refused = legTo({ type: 'trunk', trunkId: 'tls-impostor', number: '+966112223344' });
      await ground.engine.legs.originate(refused).catch(() => undefined);
      await ground.heard.event('leg.ended', { legId: refused.legId }, 0, REFUSED_CARRIER_MS);
      expect(impostor.calls.size).to.equal(0);
    });
  });

  describe('offered', () => {
    const { opened, account, phone } = stage({ phonesNeedTls: true, phones: 'offered', trunks: 'off' });

    for (const srtp of ['offered', null] as const) {
      it(`takes a phone ${srtp === null ? 'without' : 'with'} encryption, in both directions`, async () => {
        const { ground, tlsPort } = opened();
        const softphone = await account(`tls-either-${srtp ?? 'none'}`);
        const either = await phone(softphone, { srtp });
        await ground.heard.event('registration.changed', { aor: softphone.aor, registered: true });
        const dialled = srtp === null ? '7104' : '7105';
        const own = await either.dial(`sip:${dialled}@127.0.0.1:${tlsPort};transport=tls`);
        if (srtp === null || takesKeysForPlainAudio) {
          const { legId } = await ground.heard.event('leg.incoming', { dialled });
          await ground.engine.legs.answer(legId);
          await either.waitFor('CALL_ESTABLISHED', { callId: own });
          await ground.engine.legs.echo(legId);
          await either.waitToHear(hasTone, { callId: own });
          await either.hangup(own);
          await ground.heard.event('leg.ended', { legId });
          expect(either.log().includes('SRTP is Enabled')).to.equal(srtp !== null);
        } else {
          expect(await either.closed(own)).to.match(/^488/);
        }
        const leg = legTo({ type: 'softphone', aor: softphone.aor });
        await ground.engine.legs.originate(leg);
        const incoming = await either.incoming();
        await either.answer(incoming);
        await ground.heard.event('leg.answered', { legId: leg.legId });
        await ground.engine.legs.echo(leg.legId);
        await either.waitToHear(hasTone, { callId: incoming });
        expect(either.log().includes('SRTP is Enabled')).to.equal(srtp !== null);
      });
    }
  });

  /** A phone that answers by itself, at its own port of TLS. */
  async function remote(options: Pick<BaresipOptions, 'user' | 'certificate'>): Promise<Baresip> {
    const started = await Baresip.start({ transport: 'tls', answer: 'auto', srtp: 'required', ...options });
    phones.push(started);
    return started;
  }

  /** Hooks of the enclosing `describe`: an engine, and phones that end with each test. */
  function stage(security: SipSecurity) {
    let ground: RealEngine;
    let tlsPort: number;

    before(async () => {
      const sipPort = await freeSipPort();
      tlsPort = sipPort + 1;
      ground = await start({ sipPort, tlsPort, identity: join(folder, 'engine.pem'), authorities: trusted, security });
    });
    afterEach(async () => {
      for (const { legId } of (await ground.engine.list()).legs) await ground.engine.legs.hangup(legId);
      await Promise.all(phones.splice(0).map((phone) => phone.close()));
    });
    after(() => ground.stop());

    return {
      opened: () => ({ ground, tlsPort }),
      account: async (aor: string): Promise<Softphone> => {
        const softphone = { aor, password: newId(), displayName: 'Agent', maxContacts: 1 };
        await ground.engine.registrations.put(softphone);
        return softphone;
      },
      phone: async ({ aor, password }: Softphone, way: PhoneWay = {}): Promise<Baresip> => {
        const { srtp = 'required', trusts = trusted, isSecure = true } = way;
        const started = await Baresip.start({
          user: aor,
          registrar: { host: '127.0.0.1', port: isSecure ? tlsPort : ground.sipPort, password },
          ...(isSecure && ({ transport: 'tls', trusts } as const)),
          ...(srtp !== null && { srtp }),
        });
        phones.push(started);
        return started;
      },
    };
  }
}
