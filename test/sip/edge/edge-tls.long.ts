import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { X509Certificate } from 'node:crypto';
import { expect } from 'chai';
import { TrunkTalkers } from '../../support/calls/trunk-talkers.js';
import { TestAuthority } from '../../support/certificates.js';
import { eventually } from '../../support/eventually.js';
import { SILENT_SDP, SipSocket } from '../../support/peers/sip/socket.js';
import type { Baresip } from '../../support/phones/index.js';
import { describeDrachtio } from '../../support/platform/drachtio.js';
import { EdgeStage } from '../../support/stages/edge-stage.js';

describeDrachtio('TLS at the SIP edge', () => {
  let authority: TestAuthority;
  let stage: EdgeStage;
  let phone: Baresip;
  let talkers: TrunkTalkers;

  before(async function () {
    this.timeout(120_000);
    authority = await TestAuthority.create();
    const settings = { SIP_PHONE_TRANSPORT: 'tls', SIP_PHONE_SRTP: 'required' };
    stage = await EdgeStage.start({ from: 19_000, to: 19_098 }, await authority.issue(), settings);
    const trusts = join(stage.platform.settings.HATIF_DATA_DIR, 'authority.pem');
    writeFileSync(trusts, authority.cert);
    phone = await stage.softphone('1001', { transport: 'tls', srtp: 'required', trusts });
    talkers = await TrunkTalkers.at(stage.platform, phone);
  });
  after(() => stage.stop());

  const hungUp = async (): Promise<void> => {
    const { callId, ...ends } = await talkers.conversation();
    await talkers.agent.hangup(ends.atAgent);
    await talkers.closed(ends);
    await stage.platform.over(callId);
  };

  it('rings a phone, with encrypted audio', hungUp);

  it('lets the phone call', async () => {
    const { lineNumber } = stage.platform.demo;
    // The phone adds its transport.
    const { id, callId } = await stage.platform.dialIn(phone, `sip:${lineNumber}@127.0.0.1:${stage.edge.tlsPort}`);
    await phone.waitFor('CALL_ESTABLISHED', { callId: id });
    await stage.platform.hangup(callId);
    await phone.closed(id);
  });

  it('serves no phone without TLS', async () => {
    const plain = await SipSocket.open(stage.edge.sipPort);
    plain.send('REGISTER', 'sip:127.0.0.1');
    expect(await plain.next(() => true)).to.match(/^SIP\/2\.0 403 /);
    plain.close();
  });

  it('serves a phone at a WebSocket, which is rung, hangs up and is hung up on', async () => {
    const { number, password } = stage.platform.agent('1002');
    const web = await SipSocket.openWss(stage.edge.wssPort, authority.cert);
    await web.register('1002', password);
    await stage.registered('1002');
    const answered = async (): Promise<{ readonly callId: string; readonly invite: string }> => {
      const { call_id: callId } = await stage.platform.call({ to: number });
      const invite = await web.next((message) => message.startsWith('INVITE '));
      web.reply(invite, '200 OK', SILENT_SDP.replace('RTP/AVP', 'RTP/SAVP').replace('a=rtpmap', `${CRYPTO}a=rtpmap`));
      await web.next((message) => message.startsWith('ACK '));
      await stage.platform.receivedEvent(callId, 'call.answered');
      return { callId, invite };
    };
    const first = await answered();
    web.bye(first.invite);
    await web.next((message) => message.startsWith('SIP/2.0 200'));
    await stage.platform.over(first.callId);
    const second = await answered();
    await stage.platform.hangup(second.callId);
    web.reply(await web.next((message) => message.startsWith('BYE ')), '200 OK');
    await stage.platform.over(second.callId);
    web.close();
  });

  it('gives a phone up at once whose WebSocket is gone', async () => {
    const { number } = stage.platform.agent('1002');
    const startedMs = performance.now();
    const { call_id: callId } = await stage.platform.call({ to: number });
    expect((await stage.platform.over(callId)).status).to.be.oneOf(['failed', 'missed', 'timeout']);
    expect(performance.now() - startedMs).to.be.lessThan(10_000);
  });

  it('keeps phones registering while others hold half of a TLS handshake', async () => {
    const idle = await Promise.all(Array.from({ length: 200 }, () => SipSocket.openTcp(stage.edge.tlsPort)));
    for (const socket of idle.slice(0, 100)) socket.raw('\u0016\u0003\u0001\u0000');
    const { password } = stage.platform.agent('1002');
    const startedMs = performance.now();
    const another = await SipSocket.openTls(stage.edge.tlsPort, authority.cert);
    await another.register('1002', password);
    expect(performance.now() - startedMs).to.be.lessThan(5_000);
    for (const socket of [...idle, another]) socket.close();
  });

  const flowOf = async (agent: string): Promise<number | undefined> => {
    const { db } = stage.platform.platform.stores;
    const query = 'SELECT source_port FROM sip_contacts WHERE aor = $1';
    return (await db.query<{ source_port: number }>(query, [agent]))[0]?.source_port;
  };

  it('keeps a call while drachtio-server is started again with a renewed certificate', async function () {
    this.timeout(180_000);
    const renewed = await authority.issue();
    const { callId, ...ends } = await talkers.conversation();
    const before = await flowOf('1001');
    stage.edge.renew(renewed);
    const wanted = new X509Certificate(renewed.cert).fingerprint256;
    const isWritten = (): boolean => new X509Certificate(stage.edge.certificate()).fingerprint256 === wanted;
    await eventually(isWritten, 'the edge gives drachtio-server the renewed certificate', 30_000);
    await stage.edge.restart();
    await talkers.keepTalking(ends);
    // The phone connects again, and then can hear that the other side hangs up.
    const isNew = async (): Promise<boolean> => (await flowOf('1001')) !== before;
    await eventually(isNew, 'the phone registers over a new connection', 120_000);
    await talkers.carrier.hangup(ends.atCarrier);
    await talkers.closed(ends);
    await stage.platform.over(callId);
    await hungUp();
  });
});

const CRYPTO = `a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:${Buffer.alloc(30, 7).toString('base64')}\r\n`;
