import { expect } from 'chai';
import type { CallStatus } from '../../../core/model/call/call.js';
import { eventually } from '../../support/eventually.js';
import type { Baresip } from '../../support/phones/index.js';
import type { TestPlatform } from '../../support/platform/platform.js';
import { CUSTOMER, TrunkTalkers } from '../../support/calls/trunk-talkers.js';
import { withPlatform } from '../../support/platform/with-platform.js';

const BUSY = '+966500000003';
const RINGS_ON = '+966500000006';

describe('callbacks on the running platform', () => {
  let stage: TestPlatform;

  withPlatform((made) => void (stage = made));

  /** Requests a callback; retries because the engine may not have executed its earlier commands yet. */
  async function callBack(to: string, key = stage.demo.liveKey): Promise<string> {
    return eventually(async () => {
      const { status, body } = await stage.request('POST', '/v1/callback', { key, json: { to } });
      return status === 202 && String(body?.callback_id);
    }, 'a callback is accepted');
  }
  const statusOf = async (id: string): Promise<CallStatus> => (await stage.read(id)).status;
  const reached = (id: string, status: CallStatus): Promise<true> =>
    eventually(async () => (await statusOf(id)) === status, `${id} ${status}`);

  describe('with a live key', () => {
    let talkers: TrunkTalkers;
    let agent: Baresip;
    let carrier: Baresip;

    before(async () => {
      talkers = await TrunkTalkers.at(stage);
      ({ agent, carrier } = talkers);
    });

    it('connect the customer to the default destination; both hear each other', async () => {
      const callId = await callBack(CUSTOMER);
      const id = await carrier.incoming();
      expect(carrier.call(id).peer).to.contain(stage.demo.lineNumber);
      await carrier.answer(id);
      const ringing = await agent.incoming();
      await agent.answer(ringing);
      await talkers.talk({ atCarrier: id, atAgent: ringing });
      await carrier.hangup(id);
      await agent.closed(ringing);
      expect(await stage.over(callId)).to.include({ kind: 'callback', status: 'ended', agent: '1001', sandbox: false });
    });

    it('are cancelled while the customer’s phone rings; it stops ringing', async () => {
      const callId = await callBack(CUSTOMER);
      const id = await carrier.incoming();
      await reached(callId, 'ringing');
      const { status, body } = await stage.request('DELETE', `/v1/callbacks/${callId}`);
      expect([status, body?.status, body?.disposition]).to.deep.equal([200, 'cancelled', 'cancelled']);
      await carrier.closed(id);
      expect(await stage.over(callId)).to.include({ status: 'cancelled' });
    });
  });

  describe('with a sandbox key', () => {
    before(() => stage.listenToSandbox());

    it('are simulated, and notify the webhooks', async () => {
      const callId = await callBack(BUSY, stage.demo.sandboxKey);
      expect(await stage.over(callId)).to.include({
        kind: 'callback',
        status: 'missed',
        disposition: 'busy',
        sandbox: true,
      });
    });

    it('are cancelled', async () => {
      const callId = await callBack(RINGS_ON, stage.demo.sandboxKey);
      await reached(callId, 'ringing');
      const { status, body } = await stage.request('DELETE', `/v1/callbacks/${callId}`, {
        key: stage.demo.sandboxKey,
      });
      expect([status, body?.status]).to.deep.equal([200, 'cancelled']);
      expect(await stage.over(callId)).to.include({ status: 'cancelled', sandbox: true });
    });

    it('do not outlive the application', async () => {
      const callId = await callBack(RINGS_ON, stage.demo.sandboxKey);
      await reached(callId, 'ringing');
      await stage.halt();
      await stage.resume();
      expect(await stage.over(callId)).to.include({ status: 'failed', disposition: 'failed' });
      await callBack(BUSY, stage.demo.sandboxKey);
    });

    it('do not add their simulated engine to the health report', async () => {
      const { body } = await stage.request('GET', '/v1/health');
      const { engines } = body?.checks as { engines: { kind: string }[] };
      expect(engines.map(({ kind }) => kind)).to.deep.equal(['asterisk']);
      const rows = await stage.platform.stores.engines.list();
      expect(rows.map(({ kind, leased }) => `${kind} ${leased}`)).to.deep.equal(['asterisk true', 'simulator true']);
    });
  });
});
