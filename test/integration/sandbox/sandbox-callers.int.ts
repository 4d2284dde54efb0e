import { expect } from 'chai';
import { ask, type Answer } from '../../support/api.js';
import { eventually } from '../../support/eventually.js';
import { SandboxStage } from '../../support/stages/sandbox-stage.js';

const PATH = '/v1/sandbox/calls';
const CALLER = '+966501234570';
const MENU = {
  ask: { type: 'auth_menu', prompt: { text: 'One.', language: 'en' }, choices: { '7': 'end' }, invalid: 'end' },
  end: { type: 'hangup' },
};

describe('simulated callers', function () {
  this.timeout(120_000);
  let stage: SandboxStage;
  let last = 0;

  before(async () => {
    stage = await SandboxStage.open();
  });
  after(() => stage.close());

  /** A number of the sandbox, bound to this. */
  const bound = async (binding: object): Promise<{ id: string; number: string }> => {
    const number = `+9661123457${String((last += 1)).padStart(2, '0')}`;
    const id = await stage.sandboxNumber(number);
    await stage.sandbox('PUT', `/v1/numbers/${id}/binding`, binding);
    return { id, number };
  };
  const callIn = async (json: object): Promise<string> => String((await stage.sandbox('POST', PATH, json)).call_id);
  const code = (json: object, key = stage.sandboxKey): Promise<string> => stage.code(key, 'POST', PATH, json);

  it('reach the flow of the number, and press digits', async () => {
    const { number } = await bound({ type: 'callflow', target: await stage.sandboxFlow(MENU) });
    const metadata = { order: '42' };
    const callId = await callIn({ to: number, from: CALLER, digits: 'ww7', metadata });
    const call = await stage.untilStatus(callId, 'ended');
    expect(call).to.deep.include({
      kind: 'inbound',
      direction: 'inbound',
      sandbox: true,
      line_number: number,
      metadata,
    });
    expect(call.customer_number_masked).to.equal('+96650••••70');
    expect(await stage.eventTypes(callId)).to.include.members(['call.initiated', 'call.answered', 'call.input']);
    const charges = await stage.bare.database.db.query('SELECT 1 AS one FROM charges WHERE call_id = $1', [callId]);
    expect(charges).to.deep.equal([]);
  });

  it('talk with a simulated agent until they hang up', async () => {
    await stage.live('POST', '/v1/agents', { agent: '1001' });
    const { number } = await bound({ type: 'agent', target: '1001' });
    const callId = await callIn({ to: number, hang_up_after_seconds: 3 });
    const call = await stage.untilStatus(callId, 'ended');
    expect(call).to.include({ disposition: 'answered' });
    expect((call.legs as { leg: string }[]).map(({ leg }) => leg)).to.deep.equal(['customer', 'agent']);
  });

  it('leave a message in the box of the number', async () => {
    const { id, number } = await bound({ type: 'voicemail', target: null });
    const greeting = { text: 'Hi', language: 'en' };
    await stage.sandbox('PUT', `/v1/numbers/${id}/voicemail`, { enabled: true, greeting });
    const callId = await callIn({ to: number, from: CALLER, hang_up_after_seconds: 60 });
    // A recording below one second is no message.
    const isLongEnough = `SELECT 1 AS one FROM recordings
       WHERE call_id = $1 AND started_at < clock_timestamp() - interval '2 s'`;
    await eventually(
      async () => (await stage.bare.database.db.query(isLongEnough, [callId]))[0],
      'two seconds of the message',
    );
    await stage.sandbox('POST', `/v1/calls/${callId}/hangup`);
    const message = await eventually(
      async () => (await stage.list(stage.sandboxKey, '/v1/voicemails'))[0],
      'the message',
    );
    expect(message).to.include({ number, from: CALLER });
  });

  it('leave no message if they hang up before the tone, and the timeline says why', async () => {
    const { id, number } = await bound({ type: 'voicemail', target: null });
    const greeting = { text: 'Nobody is here now. Please call again tomorrow morning. '.repeat(4), language: 'en' };
    await stage.sandbox('PUT', `/v1/numbers/${id}/voicemail`, { enabled: true, greeting });
    const callId = await callIn({ to: number, from: CALLER, hang_up_after_seconds: 2 });
    expect(await stage.untilStatus(callId, 'ended')).to.include({ disposition: 'answered' });
    const { data } = await stage.sandbox('GET', `/v1/calls/${callId}/timeline`);
    const notes = (data as { type: string; data: object }[]).filter(({ type }) => type.startsWith('voicemail.'));
    expect(notes.map((note) => [note.type, note.data])).to.deep.equal([
      ['voicemail.not_recorded', { reason: 'caller_hung_up_before_tone' }],
    ]);
    expect(await stage.list(stage.sandboxKey, `/v1/voicemails?number=${encodeURIComponent(number)}`)).to.deep.equal([]);
  });

  it('are refused by a number that takes no calls, and by numbers that are not of the sandbox', async () => {
    const number = '+966112345790';
    await stage.sandboxNumber(number);
    expect(await code({ to: number })).to.equal('400 VALIDATION_ERROR');
    const { e164 } = await stage.live('POST', '/v1/numbers', { prefix: '+96611555' });
    expect(await code({ to: e164 })).to.equal('400 VALIDATION_ERROR');
    expect(await code({ to: number, digits: 'abc' })).to.equal('400 VALIDATION_ERROR');
    expect(await code({ to: number }, await SandboxStage.neighbour(stage))).to.equal('400 VALIDATION_ERROR');
    expect(await code({ to: number }, stage.liveKey)).to.equal('403 INSUFFICIENT_PERMISSIONS');
  });

  it('are refused if the sandbox blocks them, whatever the live list says', async () => {
    const { number } = await bound({ type: 'echo', target: null });
    const from = '+966501234571';
    const entry = { kind: 'exact', number: from };
    await stage.live('POST', '/v1/blocked-callers', entry);
    await callIn({ to: number, from, hang_up_after_seconds: 1 });
    const { id } = await stage.sandbox('POST', '/v1/blocked-callers', entry);
    const { status, text } = await stage.request(stage.sandboxKey, 'POST', PATH, { to: number, from });
    expect(status).to.equal(400);
    expect(text).to.include('"from"').and.include('block list');
    await stage.sandbox('DELETE', `/v1/blocked-callers/${String(id)}`);
    await callIn({ to: number, from, hang_up_after_seconds: 1 });
  });

  it('never reach a live flow that the number was bound to by other means', async () => {
    const flow = { name: 'live', kind: 'graph', definition: { start: 'end', nodes: { end: { type: 'hangup' } } } };
    const { id: live } = await stage.live('POST', '/v1/callflows', flow);
    const { id, number } = await bound({ type: 'echo', target: null });
    const { db } = stage.bare.database;
    await db.query(`UPDATE callflows SET status = 'active' WHERE id = $1`, [live]);
    await db.query(`UPDATE numbers SET binding = $2 WHERE id = $1`, [
      id,
      JSON.stringify({ type: 'callflow', target: live }),
    ]);
    expect(await code({ to: number })).to.equal('400 VALIDATION_ERROR');
  });

  describe('with a key that sees full numbers', () => {
    let key: string;
    before(async () => {
      const { projectId } = stage.ground;
      const { keys } = stage.bare.platform.management;
      ({ key } = await keys.create({ projectId, name: 'crm', kind: 'sandbox', scopes: ['calls:write', 'pii:read'] }));
    });
    const place = (to: string, headers: Record<string, string> = {}): Promise<Answer> =>
      ask(stage.bare.platform.api?.url ?? '', 'POST', PATH, { key, json: { to, from: CALLER }, headers });

    it('show them in the answer and in its idempotent repeat, and the stored answer has none', async () => {
      const { number } = await bound({ type: 'echo', target: null });
      const headers = { 'Idempotency-Key': 'order-1' };
      const [first, repeat] = [await place(number, headers), await place(number, headers)];
      for (const answer of [first, repeat]) expect(answer.body, answer.text).to.include({ customer_number: CALLER });
      expect(repeat.headers.get('idempotent-replayed')).to.equal('true');
      expect(repeat.body?.call_id).to.equal(first.body?.call_id);
      const kept = await stage.bare.database.db.query<{ response: object }>('SELECT response FROM idempotency_keys');
      expect(kept).to.have.lengthOf(1);
      expect(JSON.stringify(kept)).to.not.contain(CALLER);
    });

    it('are placed all the same if the audit log cannot be written, and stay masked', async () => {
      const { number } = await bound({ type: 'echo', target: null });
      const { db } = stage.bare.database;
      await db.query('ALTER TABLE audit_log RENAME TO audit_log_away');
      try {
        const answer = await place(number);
        expect([answer.status, answer.body?.customer_number_masked]).to.deep.equal([202, '+96650••••70']);
        expect(answer.text).to.not.contain(CALLER);
      } finally {
        await db.query('ALTER TABLE audit_log_away RENAME TO audit_log');
      }
    });
  });
});
