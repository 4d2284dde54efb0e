import { expect } from 'chai';
import { toneWav } from '../../support/judges/audio.js';
import { letterForm, SandboxStage } from '../../support/stages/sandbox-stage.js';

const END = { end: { type: 'hangup' } };

describe('numbers and audio of the sandbox', function () {
  this.timeout(120_000);
  let stage: SandboxStage;

  before(async () => {
    stage = await SandboxStage.open();
  });
  after(() => stage.close());

  const numbersOf = async (key: string): Promise<unknown[]> =>
    (await stage.list(key, '/v1/numbers')).map(({ e164 }) => e164);

  it('are apart from live numbers, in both directions', async () => {
    const ordered = await stage.live('POST', '/v1/numbers', { prefix: '+96611555' });
    const liveId = String(ordered.id);
    const liveNumber = String(ordered.e164);
    // The same number can exist in the sandbox.
    const id = await stage.sandboxNumber(liveNumber);
    expect(id).not.to.equal(liveId);
    expect(await stage.live('GET', `/v1/numbers/${liveId}`)).to.include({ status: 'assigned', source: 'operator' });
    for (const [key, own, other] of [
      [stage.sandboxKey, id, liveId],
      [stage.liveKey, liveId, id],
    ] as const) {
      expect((await stage.list(key, '/v1/numbers')).map((row) => row.id)).to.deep.equal([own]);
      expect(await stage.code(key, 'PATCH', `/v1/numbers/${own}`, { label: own })).to.equal('200');
      expect(await stage.code(key, 'PUT', `/v1/numbers/${own}/voicemail`, { enabled: true })).to.equal('200');
      for (const [method, path, json] of [
        ['GET', '', undefined],
        ['PATCH', '', { label: 'mine' }],
        ['DELETE', '', undefined],
        ['PUT', '/binding', { type: 'echo', target: null }],
        ['GET', '/voicemail', undefined],
        ['PUT', '/voicemail', { enabled: false }],
      ] as const) {
        const answer = await stage.code(key, method, `/v1/numbers/${other}${path}`, json);
        expect(answer, `${method} ${path}`).to.equal('404 NUMBER_NOT_FOUND');
      }
    }
    const events = await stage.bare.database.db.query<{ sandbox: boolean; data: { id: string } }>(
      `SELECT sandbox, data FROM events WHERE type = 'number.assigned'`,
    );
    expect(events.map(({ sandbox, data }) => [data.id, sandbox])).to.have.deep.members([
      [liveId, false],
      [id, true],
    ]);
    const [project] = await stage.bare.database.db.query<{ main_number: string }>(
      'SELECT main_number FROM projects WHERE id = $1',
      [stage.ground.projectId],
    );
    expect(project?.main_number).to.equal(liveNumber);
    expect(await stage.code(stage.sandboxKey, 'DELETE', `/v1/numbers/${id}`)).to.equal('204');
    expect(await numbersOf(stage.sandboxKey)).to.deep.equal([]);
    expect(await numbersOf(stage.liveKey)).to.deep.equal([liveNumber]);
    // It can be claimed again, and is no number that anybody could order.
    await stage.sandboxNumber(liveNumber);
    expect(await stage.list(stage.liveKey, '/v1/numbers/available')).not.to.deep.include({ e164: liveNumber });
  });

  it('are proved by a simulated call, whose code is known', async () => {
    const claim = { number: '+966500000001', method: 'call' };
    const { id, status } = await stage.sandbox('POST', '/v1/numbers/own-did', claim);
    expect(status).to.equal('pending');
    const path = `/v1/numbers/own-did/${String(id)}`;
    expect(await stage.code(stage.liveKey, 'GET', path)).to.equal('404 NOT_FOUND');
    expect(await stage.code(stage.liveKey, 'POST', `${path}/verify`, { code: '000000' })).to.equal('404 NOT_FOUND');
    expect(await stage.list(stage.liveKey, '/v1/numbers/own-did')).to.deep.equal([]);
    const verified = await stage.sandbox('POST', `${path}/verify`, { code: '000000' });
    expect(await stage.sandbox('GET', `/v1/numbers/${String(verified.number_id)}`)).to.include({ source: 'own' });
    const again = await stage.code(stage.sandboxKey, 'POST', '/v1/numbers/own-did', claim);
    expect(again).to.equal('409 NUMBER_ALREADY_ASSIGNED');
    const real = { number: '+966501234567', method: 'call' };
    const refused = await stage.code(stage.sandboxKey, 'POST', '/v1/numbers/own-did', real);
    expect(refused).to.equal('403 SANDBOX_DESTINATION_NOT_ALLOWED');
  });

  it('are ported at once', async () => {
    const wanted = { numbers: ['+966112223344'], carrier: 'Other', account_name: 'Reem' };
    const { id } = await stage.sandbox('POST', '/v1/porting-requests', wanted);
    const path = `/v1/porting-requests/${String(id)}`;
    expect(await stage.code(stage.liveKey, 'GET', path)).to.equal('404 PORTING_NOT_FOUND');
    expect(await stage.list(stage.liveKey, '/v1/porting-requests')).to.deep.equal([]);
    await stage.sandbox('POST', `${path}/documents`, letterForm({ kind: 'authorization' }));
    expect(await stage.sandbox('POST', `${path}/submit`, {})).to.include({ status: 'completed' });
    const [number] = (await stage.list(stage.sandboxKey, '/v1/numbers')).filter(({ source }) => source === 'ported');
    expect(number).to.include({ e164: '+966112223344', status: 'assigned' });
    expect(await numbersOf(stage.liveKey)).not.to.include('+966112223344');
    expect(await stage.code(stage.sandboxKey, 'DELETE', `/v1/numbers/${String(number?.id)}`)).to.equal('204');
    const cases = await stage.bare.platform.management.numbering.administration.portings(null);
    expect(cases, 'the operator sees no requests of the sandbox').to.deep.equal([]);
  });

  it('are bound to flows of their own kind', async () => {
    const flow = { name: 'flow', kind: 'graph', definition: { start: 'end', nodes: END } };
    const live = String((await stage.live('POST', '/v1/callflows', flow)).id);
    const own = await stage.sandboxFlow(END);
    const id = await stage.sandboxNumber('+966112345670');
    const bind = (target: string): Promise<string> =>
      stage.code(stage.sandboxKey, 'PUT', `/v1/numbers/${id}/binding`, { type: 'callflow', target });
    expect(await bind(live)).to.equal('400 VALIDATION_ERROR');
    expect(await bind(own)).to.equal('200');
    expect((await stage.sandbox('GET', `/v1/callflows/${own}`)).bound_numbers).to.deep.equal(['+966112345670']);
    const calling = { start: 'on', nodes: { on: { type: 'subflow', callflow_id: live, next: 'end' }, ...END } };
    const { id: caller } = await stage.sandbox('POST', '/v1/callflows', { ...flow, definition: calling });
    await stage.live('POST', `/v1/callflows/${live}/activate`);
    const activated = await stage.code(stage.sandboxKey, 'POST', `/v1/callflows/${String(caller)}/activate`);
    expect(activated, 'a flow of the sandbox uses no live flow').to.equal('400 VALIDATION_ERROR');
  });

  it('have audio that live keys neither see nor delete, and the other way round', async () => {
    const upload = (seconds: number): FormData => {
      const form = new FormData();
      form.append('file', new Blob([new Uint8Array(toneWav({ hz: 440, seconds }))]), 'tone.wav');
      return form;
    };
    const path = '/v1/callflows/audio';
    const [live, own] = [await stage.live('POST', path, upload(0.5)), await stage.sandbox('POST', path, upload(1))];
    expect((await stage.list(stage.liveKey, path)).map(({ id }) => id)).to.deep.equal([live.id]);
    expect((await stage.list(stage.sandboxKey, path)).map(({ id }) => id)).to.deep.equal([own.id]);
    // The two files have lengths of their own, so a kind that counted the other's would show.
    expect(await stage.live('GET', `${path}/usage`)).to.include({ files: 1, bytes_used: 24_000 });
    expect(await stage.sandbox('GET', `${path}/usage`)).to.include({ files: 1, bytes_used: 48_000 });
    expect(await stage.code(stage.sandboxKey, 'DELETE', `${path}/${String(live.id)}`)).to.equal('404 NOT_FOUND');
    expect(await stage.code(stage.liveKey, 'DELETE', `${path}/${String(own.id)}`)).to.equal('404 NOT_FOUND');
    const nodes = { play: { type: 'play', audio_id: live.id, next: 'end' }, ...END };
    const flow = { name: 'flow', kind: 'graph', definition: { start: 'play', nodes } };
    const { id } = await stage.sandbox('POST', '/v1/callflows', flow);
    const activated = await stage.code(stage.sandboxKey, 'POST', `/v1/callflows/${String(id)}/activate`);
    expect(activated).to.equal('400 VALIDATION_ERROR');
    expect(await stage.code(stage.sandboxKey, 'DELETE', `${path}/${String(own.id)}`)).to.equal('204');
  });
});
