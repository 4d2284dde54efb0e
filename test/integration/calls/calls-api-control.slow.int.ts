import { expect } from 'chai';
import type { Answer, RequestOptions } from '../../support/api.js';
import { eventually } from '../../support/eventually.js';
import { Sipp } from '../../support/phones/index.js';
import type { TestPlatform } from '../../support/platform/platform.js';
import { withPlatform } from '../../support/platform/with-platform.js';
import { outcome } from '../../support/judges/outcome.js';

const CUSTOMER = '+966501234517';

describe('live calls and the API', function () {
  this.timeout(30_000);
  let stage: TestPlatform;

  withPlatform((made) => void (stage = made), { cables: true });

  const post = (json: object): Promise<Answer> =>
    stage.request('POST', '/v1/calls', { json: { to: CUSTOMER, ...json } });
  const get = (path: string): Promise<Answer> => stage.request('GET', path);

  describe('control', () => {
    let callId: string;

    beforeEach(async () => {
      await stage.sippCarrier({ scenario: 'uas-answer' });
      ({ call_id: callId } = await stage.call({ to: CUSTOMER }));
      await stage.receivedEvent(callId, 'call.answered');
    });

    const act = (action: string, json: object = {}, options: RequestOptions = {}): Promise<Answer> =>
      stage.request('POST', `/v1/calls/${callId}/${action}`, { json, ...options });

    it('is accepted, and refused once the call is over', async () => {
      const answer = await act('hangup', {}, { headers: { 'X-Request-Id': 'hang-up-1' } });
      expect(answer.body).to.deep.equal({
        call_id: callId,
        action: 'hangup',
        status: 'accepted',
        request_id: 'hang-up-1',
      });
      await stage.over(callId);
      expect(outcome(await act('hangup'))).to.equal('409 CALL_NOT_ACTIVE');
      const timeline = await stage.timeline(callId);
      expect(timeline.find(({ type }) => type === 'control.hangup')?.data).to.include({ request_id: 'hang-up-1' });
      expect(timeline.map(({ at }) => at)).to.deep.equal(timeline.map(({ at }) => at).sort());
    });

    it('reports the engine’s refusal', async () => {
      stage.cables?.ari.refuse(new RegExp(`^DELETE /ari/channels/`));
      expect(outcome(await act('hangup'))).to.equal('502 CALL_CONTROL_FAILED');
      await stage.hangup(callId);
      await stage.over(callId);
    });

    it('fails while the engine is lost; no call is placed meanwhile, and all works afterwards', async () => {
      stage.cables?.ari.cut();
      await eventually(() => stage.platform.engine?.isReady === false, 'the engine is lost');
      expect(outcome(await act('hangup'))).to.equal('409 CALL_NOT_CONTROLLABLE');
      await eventually(async () => outcome(await post({})) === '502 CALL_FAILED', 'no engine takes calls');
      expect((await stage.read(callId)).status).to.equal('answered');
      stage.cables?.ari.mend();
      await stage.engineIsUp();
      await stage.hangup(callId);
      await stage.over(callId);
    });

    it('requires a connected leg, an answered call, and a supported kind of call', async () => {
      expect(outcome(await act('hold', { leg: 'agent' }))).to.equal('409 AGENT_LEG_NOT_CONNECTED');
      await stage.hangup(callId);
      await stage.over(callId);
      await stage.sippCarrier({ scenario: 'uas-noanswer' });
      ({ call_id: callId } = await stage.call({ to: CUSTOMER }));
      await stage.receivedEvent(callId, 'call.ringing');
      expect(outcome(await act('mute'))).to.equal('409 CALL_NOT_ANSWERED');
      await stage.hangup(callId);
      await stage.over(callId);
      await stage.noCarrier();
      const incoming = await Sipp.start({
        scenario: 'uac-wait-bye',
        remote: `${stage.parts.sip.host}:${stage.parts.sip.port}`,
        port: stage.carrierPort,
        number: stage.demo.lineNumber,
        caller: CUSTOMER,
      });
      callId = await stage.incoming();
      await stage.receivedEvent(callId, 'call.answered');
      expect(outcome(await act('dtmf', { digits: '1' }))).to.equal('422 CALL_CONTROL_UNSUPPORTED');
      await stage.hangup(callId);
      expect(await incoming.done).to.include({ successful: 1 });
      await incoming.stop();
      await stage.over(callId);
    });
  });

  it('are stored when the database is back; until then requests that need it get 503', async () => {
    const carrier = await stage.carrier();
    const { call_id: callId } = await stage.call({ to: CUSTOMER });
    const id = await carrier.incoming();
    await carrier.answer(id);
    await stage.receivedEvent(callId, 'call.answered');
    stage.cables?.database.cut();
    const answer = await post({});
    expect(outcome(answer)).to.equal('503 INTERNAL_ERROR');
    expect(Number(answer.headers.get('retry-after'))).to.be.above(0);
    expect((await get('/readyz')).status).to.equal(503);
    await carrier.hangup(id);
    await carrier.closed(id);
    stage.cables?.database.restore();
    expect(await stage.over(callId)).to.include({ status: 'ended', disposition: 'answered' });
    await eventually(async () => (await get('/readyz')).status === 200, 'ready again');
    expect(await stage.charges(callId)).to.have.length(1);
  });
});
