import { expect } from 'chai';
import { eventually } from '../../support/eventually.js';
import { insertRows, numberRow } from '../../support/rows/rows.js';
import { SandboxStage } from '../../support/stages/sandbox-stage.js';

/** Answers, and hangs up after five seconds. */
const BRIEF = '+966500000001';
/** Answers, and presses 1 every five seconds. */
const PRESSING = '+966500000009';

const END = { end: { type: 'hangup' } };
const MENU = {
  ask: { type: 'auth_menu', prompt: { text: 'Press one.', language: 'en' }, choices: { '1': 'end' }, invalid: 'end' },
  ...END,
};

describe('sandbox calls', function () {
  this.timeout(120_000);
  let stage: SandboxStage;

  before(async () => {
    stage = await SandboxStage.open();
  });
  after(() => stage.close());

  const callback = async (json: object): Promise<string> =>
    String((await stage.sandbox('POST', '/v1/callback', json)).call_id);
  const code = (json: object): Promise<string> => stage.code(stage.sandboxKey, 'POST', '/v1/callback', json);
  const inputsOf = async (callId: string): Promise<unknown[]> => {
    const sql = `SELECT data->'input' AS input FROM events WHERE call_id = $1 AND type = 'call.input'`;
    return (await stage.bare.database.db.query<{ input: unknown }>(sql, [callId])).map(({ input }) => input);
  };

  it('reach the number that their owner has verified, and nobody else’s', async () => {
    const [own, ordered] = ['+966501234561', '+966112345611'];
    const { id } = await stage.live('POST', '/v1/numbers/own-did', { number: own, method: 'letter' });
    expect(await code({ to: own })).to.equal('403 SANDBOX_DESTINATION_NOT_ALLOWED');
    await stage.bare.platform.management.numbering.administration.approveClaim(String(id));
    const callId = await callback({ to: own });
    await stage.untilStatus(callId, 'answered');
    await stage.sandbox('POST', `/v1/calls/${callId}/hangup`);
    await stage.untilStatus(callId, 'ended');
    const challenge = await stage.sandbox('POST', '/v1/voice-auth/challenges', { to: own });
    await eventually(async () => {
      const read = await stage.sandbox('GET', `/v1/voice-auth/challenges/${String(challenge.challenge_id)}`);
      return read.state === 'approved';
    }, 'the owner approves');
    await insertRows(stage.bare.database.db, 'numbers', [numberRow(stage.ground, ordered)]);
    expect(await code({ to: ordered })).to.equal('403 SANDBOX_DESTINATION_NOT_ALLOWED');
    const elsewhere = await SandboxStage.neighbour(stage);
    const theirs = await stage.code(elsewhere, 'POST', '/v1/callback', { to: own });
    expect(theirs, 'another organization').to.equal('403 SANDBOX_DESTINATION_NOT_ALLOWED');
  });

  it('go to a flow, whose menu hears the caller’s digits', async () => {
    const callflow_id = await stage.sandboxFlow(MENU);
    const callId = await callback({ to: PRESSING, callflow_id });
    const call = await stage.untilStatus(callId, 'ended');
    expect(call).to.include({ sandbox: true, kind: 'callback', callflow_id });
    expect(await inputsOf(callId)).to.deep.equal([{ node: 'ask', choice: '1', digits_count: 1 }]);
    expect(await stage.eventTypes(callId)).to.include.members(['call.answered', 'call.input', 'call.ended']);
  });

  it('go to no live flow, and live callbacks to no flow of the sandbox', async () => {
    const flow = { name: 'live', kind: 'graph', definition: { start: 'end', nodes: END } };
    const live = String((await stage.live('POST', '/v1/callflows', flow)).id);
    await stage.bare.database.db.query(`UPDATE callflows SET status = 'active' WHERE id = $1`, [live]);
    expect(await code({ to: BRIEF, callflow_id: live })).to.equal('400 VALIDATION_ERROR');
    const sandboxFlow = await stage.sandboxFlow(END);
    const json = { to: '+966501234567', caller_id_number: '+966112345611', callflow_id: sandboxFlow };
    expect(await stage.code(stage.liveKey, 'POST', '/v1/callback', json)).to.equal('400 VALIDATION_ERROR');
    const { id: queue_id } = await stage.live('POST', '/v1/queues', { name: 'both' });
    expect(await code({ to: BRIEF, callflow_id: sandboxFlow, queue_id })).to.equal('400 VALIDATION_ERROR');
  });

  it('are transferred to a flow of the sandbox', async () => {
    const target = await stage.sandboxFlow(MENU);
    const callId = await callback({ to: PRESSING });
    await eventually(async () => {
      const { legs } = await stage.sandbox('GET', `/v1/calls/${callId}`);
      return (legs as { status: string }[]).filter(({ status }) => status === 'answered').length === 2;
    }, 'the simulated agent answers');
    const transfer = (to: string): Promise<string> =>
      stage.code(stage.sandboxKey, 'POST', `/v1/calls/${callId}/transfer`, {
        type: 'blind',
        to: { type: 'callflow', target: to },
      });
    const [row] = await stage.bare.database.db.query<{ id: string }>(`SELECT id FROM callflows WHERE NOT sandbox`);
    expect(await transfer(row?.id ?? '')).to.equal('422 TRANSFER_TARGET_INVALID');
    expect(await transfer(target)).to.equal('202');
    await stage.untilStatus(callId, 'ended');
    expect(await inputsOf(callId)).to.have.lengthOf(1);
  });

  it('leave voicemail in a box of the sandbox', async () => {
    const number = '+966112345680';
    const id = await stage.sandboxNumber(number);
    const greeting = { text: 'Hi', language: 'en' };
    await stage.sandbox('PUT', `/v1/numbers/${id}/voicemail`, { enabled: true, greeting });
    const callflow_id = await stage.sandboxFlow({ leave: { type: 'voicemail', number } });
    await callback({ to: BRIEF, callflow_id });
    const message = await eventually(async () => {
      const [first] = await stage.list(stage.sandboxKey, '/v1/voicemails');
      return first;
    }, 'the message');
    expect(message).to.include({ number, from: BRIEF });
    const { url } = await stage.sandbox('GET', `/v1/voicemails/${String(message.id)}/recording`);
    const audio = await fetch(String(url));
    expect([audio.status, audio.headers.get('content-type')]).to.deep.equal([200, 'audio/wav']);
  });

  it('meet a simulated agent in a queue: no real one is rung', async () => {
    await stage.live('POST', '/v1/agents', { agent: '1001' });
    const { id: queue_id } = await stage.live('POST', '/v1/queues', { name: 'support' });
    await stage.live('POST', '/v1/queues/agents/login', { agent: '1001', queue: 'support' });
    const callflow_id = await stage.sandboxFlow({ wait: { type: 'queue', queue_id } });
    const callId = await callback({ to: BRIEF, callflow_id });
    const call = await stage.untilStatus(callId, 'ended');
    expect((call.legs as { leg: string }[]).map(({ leg }) => leg)).to.deep.equal(['customer', 'agent']);
    expect(call).to.include({ agent: null, served_queue_id: null });
    const stats = await stage.live('GET', `/v1/queues/${String(queue_id)}/stats`);
    expect(stats).to.include({ offered: 0 });
  });
});
