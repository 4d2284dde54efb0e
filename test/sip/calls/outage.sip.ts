import type { CallObject } from '../../../core/model/objects/call.js';
import { expect } from 'chai';
import { eventually } from '../../support/eventually.js';
import type { Baresip } from '../../support/phones/index.js';
import type { TestPlatform } from '../../support/platform/platform.js';
import type { Cables } from '../../support/platform/platform-ground.js';
import { CUSTOMER, TrunkTalkers } from '../../support/calls/trunk-talkers.js';
import { withPlatform } from '../../support/platform/with-platform.js';

const EVENT_TYPES = ['call.initiated', 'call.ringing', 'call.answered', 'call.ended'];

describe('calls while PostgreSQL or Redis is unavailable', () => {
  let stage: TestPlatform;
  let cables: Cables;
  let talkers: TrunkTalkers;
  let agent: Baresip;
  let carrier: Baresip;

  withPlatform(
    async (made) => {
      stage = made;
      cables = stage.cables!;
      talkers = await TrunkTalkers.at(stage);
      ({ agent, carrier } = talkers);
    },
    { cables: true },
  );
  afterEach(() => {
    for (const cable of [cables.database, cables.redis]) cable.restore();
  });

  /** Returns the number of journal entries according to `/metrics`. */
  async function journalled(): Promise<number> {
    const { text } = await stage.request('GET', '/metrics');
    return Number(/^hatif_journal_entries\{engine="asterisk"\} (\d+)$/m.exec(text)?.[1]);
  }

  /** Expects all events, and times and charges that match the call. */
  async function expectReported(callId: string, ended: number): Promise<CallObject> {
    const over = await stage.over(callId);
    expect(over).to.include({ status: 'ended', disposition: 'answered' });
    expect(over.hangup_cause).to.include({ q850: 16 });
    expect(Date.parse(String(over.ended_at))).to.be.at.most(ended);
    const types = stage.receiver.accepted().filter(({ data }) => data.call_id === callId);
    expect(types.map(({ type }) => type)).to.deep.equal(EVENT_TYPES);
    for (const { data } of types) expect(data).not.to.have.property('recovered');
    const seconds = Math.round((Date.parse(String(over.ended_at)) - Date.parse(String(over.answered_at))) / 1000);
    expect((await stage.charges(callId)).map((charge) => charge.seconds)).to.deep.equal([seconds]);
    return over;
  }

  describe('PostgreSQL', () => {
    it('interrupts nothing: a call is answered, connected and ended meanwhile, and reported afterwards', async () => {
      // An earlier call loads the agents and numbers into the cache.
      const before = await stage.dialIn(carrier, stage.sipUri(stage.agent('1001').number));
      await agent.incoming();
      await carrier.hangup(before.id);
      await stage.over(before.callId);
      const callId = await talkers.place();
      const atCarrier = await carrier.incoming();
      await stage.receivedEvent(callId, 'call.ringing');
      await stage.delivered(callId);
      cables.database.cut();
      const { atAgent } = await talkers.join(atCarrier);
      expect(await journalled()).to.be.greaterThan(0);
      await carrier.hangup(atCarrier);
      await agent.closed(atAgent);
      const ended = Date.now();
      cables.database.restore();
      await expectReported(callId, ended);
      await eventually(async () => (await journalled()) === 0, 'the journal is empty');
    });

    it('is not needed to accept incoming calls, which are reported afterwards', async () => {
      const known = new Set(stage.receiver.requests.map(({ data }) => data.call_id));
      cables.database.cut();
      const atCarrier = await carrier.dial(stage.sipUri(stage.agent('1001').number));
      const { atAgent } = await talkers.pickUp(atCarrier);
      await agent.hangup(atAgent);
      await carrier.closed(atCarrier);
      const ended = Date.now();
      cables.database.restore();
      const callId = await stage.incoming(({ call_id }) => !known.has(call_id));
      await expectReported(callId, ended);
    });

    it('is not needed for a phone’s hold and resume, which are reported in order afterwards', async () => {
      const { callId, atCarrier, atAgent } = await talkers.conversation();
      await stage.receivedEvent(callId, 'call.answered');
      await stage.delivered(callId);
      cables.database.cut();
      await carrier.hold();
      await eventually(async () => (await journalled()) > 0, 'the hold is in the journal');
      const held = await journalled();
      await carrier.resume();
      await eventually(async () => (await journalled()) > held, 'the end of the hold is in the journal');
      await agent.hangup(atAgent);
      await carrier.closed(atCarrier);
      cables.database.restore();
      expect(await stage.over(callId)).to.include({ status: 'ended', disposition: 'answered' });
      const types = stage.receiver.accepted().filter(({ data }) => data.call_id === callId);
      expect(types.map(({ type }) => type)).to.deep.equal([
        ...EVENT_TYPES.slice(0, 3),
        'call.held',
        'call.resumed',
        'call.ended',
      ]);
    });

    it('does not prevent the application from stopping, and no event is lost', async () => {
      const { callId, atCarrier, atAgent } = await talkers.conversation();
      await stage.receivedEvent(callId, 'call.answered');
      await stage.delivered(callId);
      cables.database.cut();
      await carrier.hangup(atCarrier);
      await agent.closed(atAgent);
      const ended = Date.now();
      await stage.halt();
      cables.database.restore();
      await stage.resume();
      const over = await stage.over(callId);
      expect(over).to.include({ status: 'ended', disposition: 'answered' });
      expect(Date.parse(String(over.ended_at))).to.be.at.most(ended);
    });

    it('is reported as unavailable: /readyz fails and writes are refused', async () => {
      const ready = (): Promise<number> => stage.request('GET', '/readyz').then(({ status }) => status);
      await eventually(async () => (await ready()) === 200, 'the service is ready');
      cables.database.cut();
      await eventually(async () => (await ready()) === 503, 'the service is not ready');
      const json = { to: CUSTOMER, connect: { type: 'agent', target: '1001' } };
      const refused = await stage.request('POST', '/v1/calls', { json });
      expect(refused.status, refused.text).to.equal(503);
      expect(refused.body).to.include({ error_code: 'INTERNAL_ERROR' });
      expect(Number(refused.headers.get('retry-after'))).to.be.greaterThan(0);
      expect((await stage.request('GET', '/livez')).status).to.equal(200);
      cables.database.restore();
      await eventually(async () => (await ready()) === 200, 'the service is ready again');
      const callId = await talkers.place();
      const atCarrier = await carrier.incoming();
      await carrier.reject(atCarrier);
      expect(await stage.over(callId)).to.include({ status: 'missed', disposition: 'busy' });
    });
  });

  describe('Redis', () => {
    it('interrupts nothing, and webhooks are still delivered', async () => {
      const callId = await talkers.place();
      const atCarrier = await carrier.incoming();
      await carrier.answer(atCarrier);
      cables.redis.cut();
      const { atAgent } = await talkers.pickUp(atCarrier);
      await carrier.hangup(atCarrier);
      await agent.closed(atAgent);
      const ended = Date.now();
      await expectReported(callId, ended);
      cables.redis.restore();
      const next = await talkers.place();
      await carrier.reject(await carrier.incoming());
      expect(await stage.over(next)).to.include({ status: 'missed', disposition: 'busy' });
    });
  });
});
