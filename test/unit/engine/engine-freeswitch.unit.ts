import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { freeswitchConfig, type FreeswitchConfig } from '../../../config/freeswitch/render.js';
import { isId, newId } from '../../../core/model/ids.js';
import { NO_SIP_SECURITY, type SipSecurity } from '../../../core/model/sip-security.js';
import { EngineError, type LegEndpoint } from '../../../core/ports/engine.js';
import type { Trunk } from '../../../core/ports/engine/peers.js';
import { headersOf, isBrowserOfEdge, sourceOf } from '../../../engine/freeswitch/arrival.js';
import { endOf } from '../../../engine/freeswitch/cause.js';
import {
  callerIdVariables,
  checkCredentials,
  checkDtmf,
  dialString,
  trunkVariables,
  variableList,
} from '../../../engine/freeswitch/dial-string.js';
import { browserCodecs, codecNames } from '../../../engine/freeswitch/codecs.js';
import { legIdOf } from '../../../engine/freeswitch/leg-id.js';
import { mediaStrings } from '../../../engine/freeswitch/media-string.js';
import { splitWav } from '../../../engine/freeswitch/recorded/split-wav.js';
import { freeswitchXml, lineOf } from '../../../engine/freeswitch/xml.js';
import { readWav, toneSeconds, toneWav } from '../../support/judges/audio.js';
import { failureOf } from '../../support/judges/failure-of.js';

const TRUNK: Trunk = {
  trunkId: 'carrier',
  host: 'sip.carrier.example',
  port: 5060,
  transport: 'tcp',
  credentials: { username: 'hatif', password: 'a,b|c' },
  inboundAddresses: ['192.0.2.0/24', '198.51.100.7:5070', '[2001:db8::1]:5060'],
};

describe('FreeSWITCH adapter formats', () => {
  const TRUNKS = [TRUNK, { ...TRUNK, trunkId: 'secure', transport: 'tls', credentials: null } as const];
  const dial = (
    endpoint: LegEndpoint,
    contact = 'error/user_not_registered',
    security: SipSecurity = NO_SIP_SECURITY,
  ) =>
    dialString(
      endpoint,
      (id) => TRUNKS.find(({ trunkId }) => trunkId === id),
      () => Promise.resolve(contact),
      security,
    );

  it('encrypts what it dials over TLS, and nothing else', async () => {
    const security = { phonesNeedTls: true, phones: 'required', trunks: 'offered' } as const;
    const srtpTo = async (endpoint: LegEndpoint, contact?: string): Promise<string | undefined> =>
      (await dial(endpoint, contact, security)).variables.rtp_secure_media_outbound;
    const phone = { type: 'softphone', aor: 'agent' } as const;
    expect(await srtpTo(phone, 'sofia/hatif/sip:agent@192.0.2.1:5061;transport=TLS')).to.equal('mandatory');
    expect(await srtpTo(phone, 'sofia/hatif/sip:agent@192.0.2.1:5060;transport=tcp')).to.equal(undefined);
    expect(await srtpTo({ type: 'trunk', trunkId: 'secure', number: '+1' })).to.equal('optional');
    expect(await srtpTo({ type: 'trunk', trunkId: 'carrier', number: '+1' })).to.equal(undefined);
    expect(await srtpTo({ type: 'sip', uri: 'sip:a@b;transport=tls' })).to.equal(undefined);
  });

  it('dials trunks, SIP URIs and contacts', async () => {
    const byTrunk = await dial({ type: 'trunk', trunkId: 'carrier', number: '+966#1' });
    expect(byTrunk.target).to.equal('sofia/hatif/+966%231@sip.carrier.example:5060;transport=tcp');
    expect(byTrunk.variables).to.include({ sip_auth_username: 'hatif', sip_auth_password: 'a,b|c' });
    expect((await dial({ type: 'sip', uri: 'sip:a@b:5062;transport=tcp' })).target).to.match(
      /^sofia\/hatif\/sip:a@b:5062/,
    );
    const contacts = 'sofia/hatif/sip:agent@192.0.2.1:5060,sofia/hatif/sip:agent@192.0.2.2:5060';
    const first = await dial({ type: 'softphone', aor: 'agent' }, contacts);
    expect(first.target).to.equal('sofia/hatif/sip:agent@192.0.2.1:5060');
    expect((await dial({ type: 'inside', number: '+966500000001' })).target).to.equal(
      'loopback/+966500000001/hatif/XML',
    );
  });

  it('dials a browser with the media of browsers', async () => {
    const contact =
      'sofia/hatif/sip:x1y2@abc.invalid;transport=ws;fs_nat=yes;fs_path=sip%3Ax1y2%40127.0.0.1%3A5;transport=ws';
    const security = { phonesNeedTls: true, phones: 'required', trunks: 'off' } as const;
    const aor = `web.${'0'.repeat(32)}`;
    const { target, variables } = await dial({ type: 'softphone', aor }, contact, security);
    expect(target).to.equal(contact);
    // DTLS-SRTP, not SDES.
    const media = { rtcp_mux: 'true', media_webrtc: 'true' };
    expect(variables).to.deep.equal({ ...media, hatif_browser: aor, hatif_browser_at: '127.0.0.1:5' });
    expect(browserCodecs(['PCMA', 'PCMU', 'G722', 'OPUS'])).to.deep.equal(['OPUS', 'PCMU', 'PCMA']);
    expect(browserCodecs(['G722'])).to.deep.equal(['PCMU']);
  });

  it('hands over the headers of a softphone or browser, and of nobody else', () => {
    const event = {
      'variable_sip_h_X-Hatif-Order-Id': '17',
      'variable_sip_h_X-Hatif-Edge': 'softphone/web.1/mark',
      'variable_sip_h_X-Hatif-Trunk': 'mark',
      'variable_sip_h_X-Other': 'no',
    };
    const aor = `web.${'0'.repeat(32)}`;
    expect(headersOf(event, { type: 'softphone', aor })).to.deep.equal({ 'X-Hatif-Order-Id': '17' });
    expect(headersOf(event, { type: 'softphone', aor: '1001' })).to.deep.equal({ 'X-Hatif-Order-Id': '17' });
    expect(headersOf(event, { type: 'trunk', trunkId: 'carrier' })).to.equal(undefined);
    expect(headersOf(event, { type: 'inside', legId: 'leg' })).to.equal(undefined);
    expect(headersOf({}, { type: 'softphone', aor })).to.equal(undefined);
    const isOfEdge = (mark: string): boolean => isBrowserOfEdge({ 'variable_sip_h_X-Hatif-Edge': mark });
    expect([`softphone/${aor}/mark`, 'softphone/1001/mark', `trunk/${aor}/mark`, ''].map(isOfEdge)).to.deep.equal([
      ...[true, false, false, false],
    ]);
  });

  it('rejects targets that FreeSWITCH would interpret', async () => {
    const targets: readonly LegEndpoint[] = [
      ...['sip:a@b,sofia/hatif/c@d', 'sip:a@b|c', 'sip:a@b &park', "sip:a'@b", 'sip:${x}@b', 'sip:{a=b}c@d'].map(
        (uri) => ({ type: 'sip', uri }) as const,
      ),
      { type: 'trunk', trunkId: 'carrier', number: '1@elsewhere' },
      { type: 'trunk', trunkId: 'another', number: '1' },
      { type: 'softphone', aor: 'agent one' },
      { type: 'softphone', aor: 'nobody' },
      { type: 'inside', number: '+1/other' },
    ];
    for (const endpoint of targets) {
      const failure = await failureOf(dial(endpoint));
      expect(failure, JSON.stringify(endpoint)).to.be.instanceOf(EngineError).with.property('kind', 'rejected');
    }
  });

  it('does not let a value start another variable', () => {
    const list = variableList({ name: "x'~y=1}z{\\", other: 'a,b' });
    expect(list).to.equal("{^^~name='x  y=1 z'~other='a,b'}");
    expect(callerIdVariables({ number: null, name: 'Nobody' })).to.deep.include({
      sip_invite_domain: 'anonymous.invalid',
    });
    for (const password of ['a:b', "a'b", 'a~b', 'a}b']) {
      const trunk = { ...TRUNK, credentials: { username: 'hatif', password } };
      expect(() => checkCredentials(trunk), password).to.throw(EngineError);
    }
  });

  it('tells a carrier about the caller as its trunk says', () => {
    expect(trunkVariables(TRUNK, undefined)).to.deep.equal({ sip_cid_type: 'pid' });
    expect(trunkVariables({ ...TRUNK, assertsCaller: false, dtmfMode: 'info' }, undefined)).to.deep.equal({
      ...{ sip_cid_type: 'none', dtmf_type: 'info' },
    });
    const identity = { asserted: '+966112345678', isPrivate: true };
    expect(trunkVariables({ ...TRUNK, dtmfMode: 'rfc4733' }, identity)).to.deep.equal({
      sip_cid_type: 'none',
      dtmf_type: 'rfc2833',
      'sip_h_P-Asserted-Identity': '<sip:+966112345678@sip.carrier.example>',
      sip_h_Privacy: 'id',
    });
    expect(() => checkDtmf({ ...TRUNK, dtmfMode: 'inband' }))
      .to.throw(EngineError)
      .with.property('kind', 'unsupported');
    expect(() => checkDtmf({ ...TRUNK, dtmfMode: 'info' })).to.not.throw();
    expect(codecNames(['opus', 'alaw', 'unknown'])).to.deep.equal(['OPUS', 'PCMA']);
  });

  it('registers by a gateway whose name changes with what it registers with', () => {
    const registering = { ...TRUNK, registers: true };
    const source = {
      softphone: () => undefined,
      trunks: () => [registering],
      probeSeconds: 20,
      phonesNeedTls: false,
      codecs: [],
    };
    const xml = freeswitchXml(new URLSearchParams({ section: 'directory', purpose: 'gateways' }), source);
    expect(xml)
      .to.include(`<gateway name="${lineOf(registering)}">`)
      .and.include('name="register" value="true"');
    expect(xml).to.include('name="username" value="hatif"').and.include('name="password" value="a,b|c"');
    expect(xml).to.include('name="proxy" value="sip.carrier.example:5060"').and.include('value="tcp"');
    const others = [{ port: 5061 }, { transport: 'udp' }, { credentials: null }] as const;
    const names = [registering, ...others.map((other) => ({ ...registering, ...other }))].map(lineOf);
    expect(new Set(names).size).to.equal(4);
  });

  it('tells trunks whose call is forwarded, and why', async () => {
    const trunk = { type: 'trunk', trunkId: 'carrier', number: '+966500000001' } as const;
    expect((await dial(trunk)).variables).not.to.have.property('sip_h_Diversion');
    const { variables } = await dial({ ...trunk, diversion: { number: '+966112345678', case: 'always' } });
    expect(variables.sip_h_Diversion).to.equal('<sip:+966112345678@sip.carrier.example>;reason=unconditional');
    const evil = { number: '+9@x>', case: 'always' } as const;
    expect(await failureOf(dial({ ...trunk, diversion: evil }))).to.be.instanceOf(EngineError);
  });

  it('identifies a caller by authentication, or by a trunk’s address', () => {
    const known = { softphone: () => undefined, trunk: () => undefined, trunks: () => [TRUNK] };
    const from = (ip: string, port: string) =>
      sourceOf({ variable_sip_network_ip: ip, variable_sip_network_port: port }, known);
    expect(from('192.0.2.77', '1')).to.deep.equal({ type: 'trunk', trunkId: 'carrier' });
    expect(from('198.51.100.7', '5070')).to.deep.equal({ type: 'trunk', trunkId: 'carrier' });
    expect(from('198.51.100.7', '5071')).to.equal(null);
    expect(from('2001:db8::1', '5060')).to.deep.equal({ type: 'trunk', trunkId: 'carrier' });
    expect(from('203.0.113.1', '5060')).to.equal(null);
    expect(
      sourceOf({ variable_sip_auth_username: 'agent', variable_sip_network_ip: '192.0.2.1' }, known),
    ).to.deep.equal({
      type: 'softphone',
      aor: 'agent',
    });
  });

  it('gives an inbound leg a stable version 7 id', () => {
    const channelId = '1720a0b7-792c-4d52-811b-944f37ede83d';
    const id = legIdOf(channelId, 1_795_293_989);
    expect(isId(id)).to.equal(true);
    expect(legIdOf(channelId, 1_795_293_989)).to.equal(id);
    expect(legIdOf('1720a0b7-792c-4d52-811b-944f37ede83e', 1_795_293_989)).not.to.equal(id);
    const own = newId();
    expect(legIdOf(own, 1)).to.equal(own);
  });

  it('ends a leg with the same cause as Asterisk', () => {
    const leg = { answered: false, inbound: false, endedHere: false, requestedQ850: null };
    const ended = (name: string, q850: number, sip?: number, over = {}) => {
      const event = {
        'Hangup-Cause': name,
        variable_hangup_cause_q850: String(q850),
        ...(sip === undefined
          ? {}
          : { variable_proto_specific_hangup_cause: `sip:${sip}`, variable_sip_term_status: String(sip) }),
      };
      const { q850: cause, sipCode } = endOf({ ...leg, ...over }, event);
      return [cause, sipCode];
    };
    expect(ended('NORMAL_TEMPORARY_FAILURE', 41, 503)).to.deep.equal([34, 503]);
    expect(ended('NO_USER_RESPONSE', 18, 480)).to.deep.equal([19, 480]);
    expect(ended('NORMAL_UNSPECIFIED', 31, 599)).to.deep.equal([34, 599]);
    expect(ended('NORMAL_UNSPECIFIED', 31, 499)).to.deep.equal([127, 499]);
    expect(ended('MANDATORY_IE_MISSING', 96)).to.deep.equal([21, 401]);
    expect(ended('NO_ANSWER', 19)).to.deep.equal([19, null]);
    expect(ended('ORIGINATOR_CANCEL', 31, 487, { inbound: true })).to.deep.equal([16, null]);
    expect(ended('MEDIA_TIMEOUT', 31, undefined, { answered: true })).to.deep.equal([44, null]);
    expect(ended('USER_BUSY', 17, 486, { endedHere: true, requestedQ850: 16 })).to.deep.equal([16, null]);
  });

  it('plays a list in strings of a hundred, and rejects paths with special characters', () => {
    expect(mediaStrings([{ type: 'file', path: '/a/b' }], '/rec')).to.deep.equal(['/a/b.wav']);
    expect(mediaStrings([{ type: 'recording', recordingId: 'r1' }], '/rec')).to.deep.equal(['/rec/r1.wav']);
    const list = mediaStrings(
      [
        { type: 'tone', tone: 'beep' },
        { type: 'silence', durationMs: 200 },
      ],
      '/rec',
      60,
    );
    expect(list).to.have.length(2);
    expect(list[0]).to.match(/^file_string:\/\/tone_stream:\/\/%\(250,0,1000\)!silence_stream:\/\/200!/);
    for (const path of ['/a/b!c', '/a b', '/a{b}', '/a@@1']) {
      expect(() => mediaStrings([{ type: 'file', path }], '/rec'), path).to.throw(EngineError);
    }
    expect(() => mediaStrings([], '/rec')).to.throw(EngineError);
  });

  it('answers FreeSWITCH’s requests for accounts and addresses, and no others', () => {
    const softphone = { aor: 'agent-1', password: 'a"b<c>&', displayName: 'Agent', maxContacts: 2 };
    const silent = { ...TRUNK, trunkId: 'silent', isProbed: false };
    const source = {
      softphone: (aor: string) => (aor === 'agent-1' ? softphone : undefined),
      trunks: () => [{ ...TRUNK, isProbed: true }, silent],
      probeSeconds: 20,
      phonesNeedTls: false,
      codecs: ['PCMA', 'OPUS', 'PCMU'],
    };
    const request = (fields: Record<string, string>): string => freeswitchXml(new URLSearchParams(fields), source);
    const account = request({ section: 'directory', user: 'agent-1', domain: 'hatif' });
    expect(account).to.include('<param name="password" value="a&quot;b&lt;c&gt;&amp;"/>');
    expect(account).to.include('<variable name="sip-allow-multiple-registrations" value="true"/>');
    const lists = request({ section: 'configuration', key_value: 'acl.conf' });
    expect(lists).to.include('<node type="allow" cidr="192.0.2.0/24"/>');
    expect(lists).to.include('<node type="allow" cidr="198.51.100.7/32" port="5070"/>');
    const gateways = request({ section: 'directory', purpose: 'gateways', profile: 'hatif', domain: 'hatif' });
    expect(gateways.match(/<gateway name="[^"]+">/g)).to.deep.equal([`<gateway name="hatif-trunk-${TRUNK.trunkId}">`]);
    expect(gateways).to.include('<param name="register" value="false"/>').and.include('name="ping" value="20"');
    expect(gateways, 'no password').not.to.include('password');
    const clear = new URLSearchParams({ section: 'directory', user: 'agent-1', sip_via_protocol: 'udp' });
    const secure = new URLSearchParams({ section: 'directory', user: 'agent-1', sip_via_protocol: 'tls' });
    expect(freeswitchXml(clear, source)).to.include('name="password"');
    const needy = { ...source, phonesNeedTls: true };
    const browser = { ...needy, softphone: () => ({ ...softphone, isBrowser: true }) };
    const asked = (via: string): string =>
      freeswitchXml(new URLSearchParams({ section: 'directory', user: 'web.1', sip_via_protocol: via }), browser);
    expect(asked('ws')).to.include('name="password"').and.include('value="OPUS,PCMU,PCMA"').and.include('rtcp_mux');
    for (const via of ['udp', 'tcp', 'tls']) expect(asked(via)).to.include('not found');
    const overWebSocket = new URLSearchParams({ section: 'directory', user: 'agent-1', sip_via_protocol: 'ws' });
    expect(freeswitchXml(overWebSocket, source)).to.include('not found');
    expect(freeswitchXml(clear, needy)).to.include('not found').and.not.include('name="password"');
    expect(freeswitchXml(secure, needy)).to.include('name="password"');
    for (const fields of [
      { section: 'directory', user: 'nobody' },
      { section: 'directory', user: 'agent-1', sip_auth_method: 'MESSAGE' },
      { section: 'configuration', key_value: 'sofia.conf' },
      { section: 'dialplan' },
    ]) {
      expect(request(fields)).to.include('<result status="not found"/>');
    }
  });
});

describe('FreeSWITCH files', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hatif-fs-unit-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('splits a recording into its channels', async () => {
    const [left, right] = [toneWav({ hz: 440, seconds: 0.5 }), toneWav({ hz: 880, seconds: 0.5 })];
    const stereo = toneWav({ hz: 440, seconds: 0.5, channels: 2 });
    for (let at = 44, from = 44; at < stereo.length; at += 4, from += 2) {
      left.copy(stereo, at, from, from + 2);
      right.copy(stereo, at + 2, from, from + 2);
    }
    const source = join(folder, 'both.wav');
    await writeFile(source, stereo);
    const targets = [join(folder, '1.wav'), join(folder, '2.wav')];
    await splitWav(source, targets);
    const [one, two] = targets.map((file) => readWav(file));
    expect([one!.seconds, two!.seconds]).to.deep.equal([0.5, 0.5]);
    expect(toneSeconds(one!, 440)).to.be.above(0.4);
    expect(toneSeconds(two!, 880)).to.be.above(0.4);
    expect(await failureOf(splitWav(source, [join(folder, '3.wav')]))).to.be.instanceOf(Error);
  });

  it('fills in its configuration and escapes values', () => {
    const config: FreeswitchConfig = {
      eventSocket: { bind: '127.0.0.1', port: 8021, password: 'a"b<c' },
      sip: { bind: '0.0.0.0', port: 5060, external: '203.0.113.9' },
      rtp: { from: 20_000, to: 24_998 },
      application: { urls: ['http://127.0.0.1:8080/x', 'http://127.0.0.2:8080/y'], user: 'fs', password: 'secret' },
      musicDir: '/music',
      detailDir: '/detail',
    };
    const text = freeswitchConfig(config);
    expect(text).not.to.match(/\{\{/);
    const urls = [...text.matchAll(/"(gateway-url|url)" value="([^"]+)"/g)].map(([, name, url]) => `${name} ${url}`);
    expect(urls).to.deep.equal(
      ['gateway-url', 'url'].flatMap((name) => config.application.urls.map((url) => `${name} ${url}`)),
    );
    expect(text).to.include('<param name="password" value="a&quot;b&lt;c"/>');
    expect(text).to.include('<param name="ext-sip-ip" value="203.0.113.9"/>');
    expect(text).to.include('<param name="inbound-codec-prefs" value="PCMA,PCMU,OPUS,G722"/>');
    expect(text).to.include('<param name="session-timeout" value="1800"/>').and.include('"sip-capture" value="no"');
    const hep = { host: '192.0.2.7', port: 9060, captureId: 42 };
    const watched = freeswitchConfig({ ...config, hep, sessionTimers: { expiresSeconds: 600, minSeconds: 120 } });
    expect(watched)
      .to.include('value="udp:192.0.2.7:9060;hep=3;capture_id=42"')
      .and.include('"sip-capture" value="yes"');
    expect(watched).to.include('"session-timeout" value="600"').and.include('"minimum-session-expires" value="120"');
    expect(text).to.include('<param name="tls" value="false"/>').and.not.include('tls-cert-dir');
    expect(text).to.include('"keys in clear text"').and.not.include('"audio of softphones"');
    expect(text).to.include('"mod_cdr_csv"').and.not.include('<load module="mod_json_cdr"/>');
    expect(freeswitchConfig({ ...config, legEnds: 'http' })).to.include('<load module="mod_json_cdr"/>');
    expect(text).to.include('data="sofia/hatif/$1%hatif"');
    expect(text).to.include('"apply-candidate-acl" value="any_v4.auto"').and.not.include('ws-binding');
    const browsers = freeswitchConfig({ ...config, webSocket: { bind: '::1', port: 5066 } });
    expect(browsers).to.include('<param name="ws-binding" value="[::1]:5066"/>');
    const encrypted = freeswitchConfig({
      ...config,
      tls: { port: 5061, folder: '/conf/tls', minVersion: '1.2' },
      srtp: { phones: 'required', trunks: 'offered' },
    });
    expect(encrypted).to.include('"tls-sip-port" value="5061"').and.include('"tls-cert-dir" value="/conf/tls"');
    expect(encrypted).to.include('"tls-version" value="tlsv1.2,tlsv1.3"').and.include('"tls-verify-policy"');
    expect(encrypted).to.include('"tls-always-nat" value="true"');
    expect(text).to.not.include('"tls-always-nat"');
    expect(encrypted).to.include('"audio of softphones"').and.not.include('"audio of trunks"');
    expect(encrypted).to.include('data="{rtp_secure_media_outbound=mandatory}sofia/hatif/$1%hatif"');
    expect(() => freeswitchConfig({ ...config, musicDir: '/a\n<b/>' })).to.throw('musicDir');
    expect(text).to.include('expression="^(?:911|997|998|999)$"');
    expect(() => freeswitchConfig({ ...config, emergencyNumbers: ['911', '.*'] })).to.throw('".*"');
    expect(() => freeswitchConfig({ ...config, musicDir: '$${base_dir}' })).to.throw('musicDir');
  });
});
