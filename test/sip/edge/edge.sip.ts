import { expect } from 'chai';
import { Redis } from 'ioredis';
import { isAnsweredBy, parseCredentials } from '../../../sip/message/digest.js';
import { AGENT_HZ, TrunkTalkers } from '../../support/calls/trunk-talkers.js';
import { eventually } from '../../support/eventually.js';
import { loudSeconds } from '../../support/judges/audio.js';
import { challenge, seesNoEngine } from '../../support/judges/carrier-view.js';
import { hearsMore } from '../../support/judges/hearing.js';
import { ScriptedCarrier } from '../../support/peers/sip/carrier.js';
import { SILENT_SDP, SipSocket } from '../../support/peers/sip/socket.js';
import { describeDrachtio } from '../../support/platform/drachtio.js';
import { EdgeStage } from '../../support/stages/edge-stage.js';

describeDrachtio('phones and trunks at the SIP edge', () => {
  let stage: EdgeStage;
  let talkers: TrunkTalkers;

  before(async function () {
    this.timeout(120_000);
    stage = await EdgeStage.start({ from: 18_600, to: 18_698 });
    talkers = await TrunkTalkers.at(stage.platform, await stage.softphone('1001'));
  });
  after(() => stage.stop());

  it('connect a call of the API with the phone', async () => {
    const { callId, ...ends } = await talkers.conversation();
    await talkers.agent.hold();
    await stage.platform.receivedEvent(callId, 'call.held');
    await talkers.agent.resume();
    await stage.platform.receivedEvent(callId, 'call.resumed');
    await hearsMore(talkers.carrier, ends.atCarrier, AGENT_HZ, 0.5);
    await talkers.agent.hangup(ends.atAgent);
    await talkers.closed(ends);
    expect((await stage.platform.over(callId)).status).to.equal('ended');
  });

  it('ring the phone for a caller behind the trunk, who is known by address', async () => {
    const { number } = stage.platform.agent('1001');
    const ends = await talkers.pickUp(await talkers.carrier.dial(stage.uri(number)));
    await talkers.carrier.hangup(ends.atCarrier);
    await talkers.closed(ends);
  });

  it('stop ringing when the caller gives up, and tell a caller that the phone rejects the call', async () => {
    const target = stage.uri(stage.platform.agent('1001').number);
    const first = await stage.platform.dialIn(talkers.carrier, target);
    const ringing = await talkers.agent.incoming();
    await talkers.carrier.hangup(first.id);
    await talkers.agent.closed(ringing);
    expect((await stage.platform.over(first.callId)).status).to.equal('missed');
    const second = await stage.platform.dialIn(talkers.carrier, target);
    await talkers.agent.reject(await talkers.agent.incoming());
    expect(await talkers.carrier.closed(second.id)).to.match(/^4\d\d /);
    expect((await stage.platform.over(second.callId)).status).to.equal('missed');
  });

  it('let the phone call, and hear that the other side hung up', async () => {
    const { id, callId } = await stage.platform.dialIn(talkers.agent, stage.uri(stage.platform.demo.lineNumber));
    await talkers.agent.waitFor('CALL_ESTABLISHED', { callId: id });
    await talkers.agent.waitToHear((audio) => loudSeconds(audio) > 0.4, { callId: id });
    await stage.platform.hangup(callId);
    await talkers.agent.closed(id);
    expect((await stage.platform.over(callId)).status).to.equal('ended');
  });

  it('ring a phone over TCP, and let it call', async () => {
    const phone = await stage.softphone('1002', { transport: 'tcp' });
    const { number } = stage.platform.agent('1002');
    const { call_id: callId } = await stage.platform.call({ to: number });
    const id = await phone.incoming();
    await phone.answer(id);
    await stage.platform.receivedEvent(callId, 'call.answered');
    await phone.hangup(id);
    await phone.closed(id);
    const called = await stage.platform.dialIn(phone, stage.uri(stage.platform.demo.lineNumber));
    await phone.waitFor('CALL_ESTABLISHED', { callId: called.id });
    await stage.platform.hangup(called.callId);
    await phone.closed(called.id);
    await phone.close();
    await stage.registered('1002', false);
  });

  it('ring a phone behind a NAT, show it nothing of the engine, and learn that it hung up', async () => {
    const phone = await SipSocket.open(stage.edge.sipPort);
    const { number, password } = stage.platform.agent('1002');
    await phone.register('1002', password, 'sip:1002@10.255.0.9:5060');
    await stage.registered('1002');
    const { call_id: callId } = await stage.platform.call({ to: number });
    const invite = await phone.next((message) => message.startsWith('INVITE '));
    expect(invite).not.to.match(/asterisk|hatif-|user-agent|^server:/im);
    expect(invite, 'the port of the engine').not.to.contain(String(stage.asterisk.running.sip.port));
    phone.reply(invite, '180 Ringing');
    phone.reply(invite, '200 OK', SILENT_SDP);
    await phone.next((message) => message.startsWith('ACK '));
    await stage.platform.receivedEvent(callId, 'call.answered');
    phone.bye(invite);
    await phone.next((message) => message.startsWith('SIP/2.0 200'));
    expect((await stage.platform.over(callId)).status).to.equal('ended');
    phone.close();
  });

  it('reach a carrier, answer its challenge, show it nothing of the engine, and learn that it hung up', async () => {
    const carrier = await ScriptedCarrier.open();
    const { management, engine } = stage.platform.platform;
    const [name, uri, credentials] = [
      'scripted',
      `sip:127.0.0.1:${carrier.port}`,
      { username: 'hatif', password: 'pw' },
    ];
    await management.trunks.add({ name, uri, credentials, isProbed: false, isDefault: false });
    const always = { organizationId: null, hours: null, weight: 1, cost: null, priority: 0 };
    await management.trunkRoutes.add({ trunk: name, prefix: '966502099', ...always });
    await engine?.configurationChanged();
    const { call_id: callId } = await stage.platform.call({ to: '+966502099123' });
    const first = await carrier.invite('+966502099123');
    carrier.reply(first, '407 Proxy Authentication Required', { fields: [challenge('n1')] });
    await carrier.within(first, 'ACK');
    const invite = await carrier.next((text) => text.includes('Proxy-Authorization: Digest '));
    for (const { text } of [first, invite]) seesNoEngine(text, [stage.asterisk.running.sip.port]);
    const given = parseCredentials(invite.headers.first('proxy-authorization') ?? '')!;
    expect(given.uri).to.equal(`sip:+966502099123@127.0.0.1:${carrier.port};transport=udp`);
    expect(invite.text.startsWith(`INVITE ${given.uri} `)).to.equal(true);
    expect(isAnsweredBy(given, 'INVITE', credentials.password)).to.equal(true);
    await carrier.answer(invite);
    await stage.platform.receivedEvent(callId, 'call.answered');
    expect((await carrier.ask(invite, 'BYE', 1)).text).to.match(/^SIP\/2\.0 200 /);
    expect((await stage.platform.over(callId)).status).to.equal('ended');
    carrier.close();
  });

  it('show on a phone whether a colleague is on the telephone', async () => {
    const phone = await SipSocket.open(stage.edge.sipPort);
    const { password } = stage.platform.agent('1002');
    const lamp = { Event: 'dialog', Expires: '600' };
    const accepted = await phone.authenticated('SUBSCRIBE', 'sip:1001@127.0.0.1', { user: '1002', password }, lamp);
    expect(accepted).to.match(/^SIP\/2\.0 200 /);
    const shown = async (state: string): Promise<void> => {
      const notify = await phone.next((one) => one.startsWith('NOTIFY ') && one.includes(`<state>${state}</state>`));
      phone.reply(notify, '200 OK');
    };
    await shown('terminated');
    const { callId, ...ends } = await talkers.conversation();
    await shown('confirmed');
    await talkers.agent.hangup(ends.atAgent);
    await talkers.closed(ends);
    await stage.platform.over(callId);
    await shown('terminated');
    phone.close();
  });

  it('refuse a wrong password', async () => {
    const socket = await SipSocket.open(stage.edge.sipPort);
    const wrong = { user: '1002', password: 'guessed' };
    const before = await stage.contacts('1002');
    expect(await socket.authenticated('REGISTER', 'sip:127.0.0.1', wrong)).to.match(/^SIP\/2\.0 401 /);
    expect(await stage.contacts('1002')).to.equal(before);
    socket.close();
  });

  it('do not answer a scanner', async () => {
    const socket = await SipSocket.open(stage.edge.sipPort);
    socket.send('OPTIONS', 'sip:100@127.0.0.1', { 'User-Agent': 'friendly-scanner' });
    const asked = socket.send('REGISTER', 'sip:127.0.0.1');
    const first = await socket.next(() => true);
    expect(first)
      .to.match(/^SIP\/2\.0 401 /)
      .and.contain(asked);
    expect(first).not.to.match(/asterisk|drachtio/i);
    socket.close();
  });

  it('are rung although Redis has lost everything', async () => {
    const redis = new Redis(stage.platform.parts.redisUrl);
    await redis.flushdb();
    redis.disconnect();
    const { callId, ...ends } = await talkers.conversation();
    await talkers.agent.hangup(ends.atAgent);
    await talkers.closed(ends);
    await stage.platform.over(callId);
  });

  it('reach a living engine when another one is silent', async () => {
    const answeredMs = async (): Promise<number> => {
      const startedMs = performance.now();
      const id = await talkers.agent.dial(stage.uri(stage.platform.demo.lineNumber));
      await talkers.agent.waitFor('CALL_ESTABLISHED', { callId: id });
      const ms = performance.now() - startedMs;
      await talkers.agent.hangup(id);
      await talkers.agent.closed(id);
      return ms;
    };
    const usualMs = await answeredMs();
    const silent = await SipSocket.open(stage.edge.sipPort);
    const { db } = stage.platform.platform.stores;
    await db.query(
      `INSERT INTO engines (id, name, kind, sip_host, sip_port, status, owner, lease_expires_at, weight)
       VALUES (gen_random_uuid(), 'silent', 'freeswitch', '127.0.0.1', $1, 'up', 'nobody', now() + interval '1 hour', 1000)`,
      [silent.port],
    );
    // The edge learns of the engine within a second.
    const laterMs = await eventually(async () => {
      const ms = await answeredMs();
      return silent.messages.length > 0 && ms;
    }, 'the silent engine is asked first');
    expect(laterMs - usualMs).to.be.lessThan(1_500);
    expect(silent.messages.every((message) => message.startsWith('OPTIONS '))).to.equal(true);
    await db.query(`DELETE FROM engines WHERE name = 'silent'`);
    silent.close();
  });

  it('end a call at the engine as soon as the application is back, if the phone hung up meanwhile', async () => {
    const { callId, ...ends } = await talkers.conversation();
    await stage.platform.halt();
    await talkers.keepTalking(ends);
    await talkers.agent.hangup(ends.atAgent);
    await stage.platform.resume();
    await talkers.closed(ends);
    await stage.platform.over(callId);
    await eventually(async () => (await stage.legs()) === 0, 'the engine has no leg left');
  });

  it('keep a call when drachtio-server is killed, and can be called afterwards', async () => {
    const { callId, ...ends } = await talkers.conversation();
    await stage.edge.restart();
    await talkers.keepTalking(ends);
    await talkers.agent.hangup(ends.atAgent);
    await talkers.closed(ends);
    await stage.platform.over(callId);
    await eventually(async () => {
      const id = await talkers.agent.dial(stage.uri(stage.platform.demo.lineNumber));
      await talkers.agent.waitFor('CALL_ESTABLISHED', { callId: id, timeoutMs: 5_000 });
      await talkers.agent.hangup(id);
      return true;
    }, 'the edge works again');
  });
});
