import { expect } from 'chai';
import { CUSTOMER } from '../../support/calls/trunk-talkers.js';
import { eventually } from '../../support/eventually.js';
import { TORTURE } from '../../support/fixtures/rfc4475.js';
import { loudSeconds } from '../../support/judges/audio.js';
import { describeDrachtio } from '../../support/platform/drachtio.js';
import { describeFreeswitch } from '../../support/platform/freeswitch.js';
import { openWayIn, type WayIn } from '../../support/stages/way-in.js';

/** The same for every way in. */
function suite(open: () => Promise<WayIn>): void {
  let way: WayIn;

  before(async function () {
    this.timeout(180_000);
    way = await open();
  });
  after(async function () {
    this.timeout(60_000);
    await way.close();
  });

  const extension = (): string => way.application.bootstrap.sip.agents[0]!.number;
  const emptied = (): Promise<unknown> =>
    eventually(async () => (await way.legs()) === 0, 'the engine has no leg left');

  it('connects a call of the API with a phone, which holds it and hangs up', async () => {
    const { talkers, application } = way;
    const { callId, ...ends } = await talkers.conversation();
    await talkers.agent.hold();
    await talkers.agent.resume();
    await talkers.keepTalking(ends);
    await talkers.agent.hangup(ends.atAgent);
    await talkers.closed(ends);
    await application.becomes(callId, 'ended');
    await emptied();
  });

  it('ends a call at the phone that the API hangs up', async () => {
    const { talkers, application } = way;
    const { callId, ...ends } = await talkers.conversation();
    await application.hangup(callId);
    await talkers.closed(ends);
    await emptied();
  });

  it('rings a phone for a caller behind the trunk, who hangs up', async () => {
    const { talkers } = way;
    const ends = await talkers.pickUp(await talkers.carrier.dial(way.uri(extension())));
    await talkers.carrier.hangup(ends.atCarrier);
    await talkers.closed(ends);
    await emptied();
  });

  it('stops ringing when the caller gives up, and tells a caller that the phone rejects the call', async () => {
    const { carrier, agent } = way.talkers;
    const first = await carrier.dial(way.uri(extension()));
    const ringing = await agent.incoming();
    await carrier.hangup(first);
    await agent.closed(ringing);
    const second = await carrier.dial(way.uri(extension()));
    await agent.reject(await agent.incoming());
    expect(await carrier.closed(second)).to.match(/^[46]\d\d /);
    await emptied();
  });

  it('lets a phone call a number of its own and a customer', async () => {
    const { carrier, agent } = way.talkers;
    const line = await agent.dial(way.phoneUri(way.application.bootstrap.line_number));
    await agent.waitFor('CALL_ESTABLISHED', { callId: line });
    await agent.waitToHear((audio) => loudSeconds(audio) > 0.4, { callId: line });
    await agent.hangup(line);
    await agent.closed(line);
    const atAgent = await agent.dial(way.phoneUri(CUSTOMER));
    const atCarrier = await carrier.incoming();
    await carrier.answer(atCarrier);
    await way.talkers.talk({ atCarrier, atAgent });
    await carrier.hangup(atCarrier);
    await way.talkers.closed({ atCarrier, atAgent });
    await emptied();
  });

  it('refuses a wrong password, and calls of strangers', async () => {
    const socket = await way.socket();
    const wrong = { user: '1002', password: 'guessed' };
    expect(await socket.authenticated('REGISTER', 'sip:127.0.0.1', wrong)).to.match(/^SIP\/2\.0 40[13] /);
    socket.close();
    const stranger = await way.stranger();
    stranger.send('INVITE', way.uri(CUSTOMER));
    expect(await stranger.next((message) => !message.startsWith('SIP/2.0 100'))).to.match(/^SIP\/2\.0 4\d\d /);
    stranger.close();
    await emptied();
  });

  it('survives what RFC 4475 sends, and connects a call afterwards', async () => {
    const stranger = await way.stranger();
    for (const message of Object.values(TORTURE)) stranger.raw(message);
    stranger.close();
    const { callId, ...ends } = await way.talkers.conversation();
    await way.application.hangup(callId);
    await way.talkers.closed(ends);
    await emptied();
  });
}

for (const isSecure of [false, true]) {
  const how = isSecure ? 'over TLS, with encrypted audio' : 'over UDP';

  describe(`the way in ${how}`, () => {
    describe('of Asterisk', () => suite(() => openWayIn('asterisk', { hasEdge: false, isSecure })));
    describeFreeswitch('of FreeSWITCH', () => suite(() => openWayIn('freeswitch', { hasEdge: false, isSecure })));
    describeDrachtio('of the edge', () => {
      describe('before Asterisk', () => suite(() => openWayIn('asterisk', { hasEdge: true, isSecure })));
      describeFreeswitch('before FreeSWITCH', () => suite(() => openWayIn('freeswitch', { hasEdge: true, isSecure })));
    });
  });
}
