import { expect } from 'chai';
import { addMember } from '../../support/rows/members.js';
import { codeOf, detailsOf } from '../../support/judges/outcome.js';
import { TEST_CIPHER } from '../../support/cipher.js';
import { webCallingEach, type WebCallingStage } from '../../support/stages/web-calling/web-calling-stage.js';

const DAY_SECONDS = 86_400;

describe('Web calling sessions', function () {
  this.timeout(60_000);
  let stage: WebCallingStage;
  webCallingEach((made) => (stage = made));

  const addAgent = (agent: string): Promise<unknown> =>
    stage.database.db.query(
      `INSERT INTO agents (id, project_id, organization_id, agent, aor, display_name, sip_password, may_call_out,
         destination_classes, record_calls, priority, skills, created_at)
       VALUES (gen_random_uuid(), $1, $2, $3::text, $3::text || $4, 'Reem', $5, true, '{}', false, 5, '{}', now())`,
      [stage.owner.projectId, stage.owner.organizationId, agent, stage.owner.projectId, TEST_CIPHER.seal('secret')],
    );

  it('are made with what the browser may do, and their token is shown once', async () => {
    await addAgent('1001');
    const allow = { incoming: true, outgoing: ['number', 'queue'], numbers: ['+9665*'], caller_id_number: null };
    const body = { identity: 'reem', agent: '1001', display_name: 'Reem A.', allow, ttl_seconds: 600 };
    const made = await stage.ask('POST', '/sessions', { ...body, metadata: { order: '17' } });
    expect(made.status, made.text).to.equal(201);
    const { session_id: id, token, ws_url, ice_servers, ...shown } = made.body!;
    expect(token).to.match(/^wcs_[0-9A-Za-z]{49}$/);
    expect(ws_url).to.equal(`${stage.api.url.replace('http', 'ws')}/v1/web-calling/ws?session=${String(id)}`);
    expect(shown).to.deep.include({ status: 'pending', identity: 'reem', agent: '1001', allow, sandbox: false });
    expect(shown).to.deep.include({ display_name: 'Reem A.', metadata: { order: '17' }, connected_at: null });
    const [stun, turn] = ice_servers as { urls: string[]; username?: string; credential?: string }[];
    expect(stun).to.deep.equal({ urls: ['stun:stun.example.com'] });
    expect(turn?.username).to.match(/^\d{10}:reem$/);
    expect(turn?.credential).to.match(/^[\w+/]{27}=$/);
    const read = await stage.ask('GET', `/sessions/${String(id)}`);
    expect(read.body).to.deep.equal({ session_id: id, ...shown });
    expect((await stage.ask('GET', '/sessions?identity=reem')).body?.data).to.deep.equal([read.body]);
    expect((await stage.ask('GET', '/sessions?identity=huda')).body?.data).to.deep.equal([]);
    const audit = JSON.stringify(await stage.database.db.query('SELECT * FROM audit_log'));
    expect(audit).to.not.include(String(token));
  });

  it('allow nothing that is not named', async () => {
    const made = await stage.ask('POST', '/sessions', { identity: 'reem' });
    const allow = { incoming: false, outgoing: [], numbers: null, caller_id_number: null };
    expect(made.body).to.deep.include({ allow, agent: null, display_name: 'reem' });
  });

  it('are refused for a bad body, an unknown agent, and the number of somebody else', async () => {
    const of = async (body: object): Promise<string | undefined> =>
      detailsOf(await stage.ask('POST', '/sessions', { identity: 'reem', ...body }))[0]?.path;
    expect(await of({ identity: 'a b' })).to.equal('identity');
    expect(await of({ ttl_seconds: 59 })).to.equal('ttl_seconds');
    expect(await of({ ttl_seconds: DAY_SECONDS + 1 })).to.equal('ttl_seconds');
    expect(await of({ allow: { outgoing: ['anything'] } })).to.equal('allow.outgoing[0]');
    expect(await of({ allow: { numbers: ['966*'] } })).to.equal('allow.numbers[0]');
    expect(await of({ agent: '1009' })).to.equal('agent');
    const foreign = { allow: { caller_id_number: '+966112345699' } };
    expect(codeOf(await stage.ask('POST', '/sessions', { identity: 'reem', ...foreign }))).to.equal(
      '403 CLI_NOT_OWNED',
    );
    const wrong = { allow: { caller_id_number: 'reem' } };
    expect(codeOf(await stage.ask('POST', '/sessions', { identity: 'reem', ...wrong }))).to.equal(
      '400 INVALID_PHONE_NUMBER',
    );
  });

  it('are limited for each identity and each project, whatever is asked at once', async () => {
    const many = (identity: string) =>
      Promise.all(Array.from({ length: 4 }, () => stage.ask('POST', '/sessions', { identity })));
    const codes = (await many('reem')).map(codeOf).sort();
    const refused = '429 WEBRTC_CONCURRENCY_LIMIT';
    expect(codes).to.deep.equal(['201', '201', refused, refused]);
    await many('huda');
    expect(codeOf(await stage.ask('POST', '/sessions', { identity: 'noura' }))).to.equal(refused);
    const { data } = (await stage.ask('GET', '/sessions')).body as { data: { session_id: string }[] };
    expect(data).to.have.lengthOf(4);
    // What is revoked or expired does not count, and neither does the sandbox.
    expect((await stage.ask('DELETE', `/sessions/${data[0]!.session_id}`)).status).to.equal(204);
    expect(codeOf(await stage.ask('POST', '/sessions', { identity: 'noura' }))).to.equal('201');
    expect(codeOf(await stage.ask('POST', '/sessions', { identity: 'reem' }, stage.sandboxKey))).to.equal('201');
    stage.pass(3_600_000);
    expect(codeOf(await stage.ask('POST', '/sessions', { identity: 'reem' }))).to.equal('201');
  });

  it('are extended with a new token, which keeps the SIP account', async () => {
    const { id, token } = await stage.session({ ttl_seconds: 600 });
    const sip = (await stage.connect(token)).body?.sip;
    stage.pass(300_000);
    const renewed = await stage.ask('POST', `/sessions/${id}/refresh`, {});
    expect(renewed.status, renewed.text).to.equal(200);
    expect(renewed.body?.status).to.equal('active');
    const again = await stage.connect(String(renewed.body?.token));
    expect(again.body?.sip).to.deep.equal(sip);
    const unused = await stage.ask('POST', `/sessions/${id}/refresh`, { ttl_seconds: 60 });
    await stage.ask('POST', `/sessions/${id}/refresh`, {});
    expect(codeOf(await stage.connect(String(unused.body?.token)))).to.equal('404 WCS_NOT_FOUND');
  });

  it('are not extended when they are over', async () => {
    const [expired, revoked] = [await stage.session({ ttl_seconds: 60 }), await stage.session()];
    await stage.ask('DELETE', `/sessions/${revoked.id}`);
    stage.pass(60_000);
    expect(codeOf(await stage.ask('POST', `/sessions/${expired.id}/refresh`, {}))).to.equal('401 WCS_EXPIRED');
    expect(codeOf(await stage.ask('POST', `/sessions/${revoked.id}/refresh`, {}))).to.equal('401 WCS_REVOKED');
    expect((await stage.ask('GET', `/sessions/${expired.id}`)).body?.status).to.equal('expired');
    await stage.sweep.run();
    expect((await stage.ask('GET', `/sessions/${expired.id}`)).body?.status).to.equal('expired');
    expect((await stage.ask('GET', `/sessions/${revoked.id}`)).body?.status).to.equal('revoked');
    stage.pass(31 * DAY_SECONDS * 1000);
    await stage.sweep.run();
    await stage.sweep.run();
    expect((await stage.ask('GET', '/sessions')).body?.data).to.deep.equal([]);
  });

  it('belong to their project and kind of key', async () => {
    const [live, sandbox] = [await stage.session(), await stage.session({}, stage.sandboxKey)];
    const { key: other } = await stage.api.key();
    const seen = async (id: string, key: string): Promise<string> =>
      codeOf(await stage.ask('GET', `/sessions/${id}`, undefined, key));
    expect(await seen(live.id, stage.sandboxKey)).to.equal('404 WCS_NOT_FOUND');
    expect(await seen(sandbox.id, stage.sandboxKey)).to.equal('200');
    expect(await seen(sandbox.id, stage.key)).to.equal('200');
    expect(await seen(live.id, other)).to.equal('404 WCS_NOT_FOUND');
    for (const [method, path] of [
      ['POST', '/refresh'],
      ['DELETE', ''],
    ] as const) {
      expect(codeOf(await stage.ask(method, `/sessions/${live.id}${path}`, {}, other))).to.equal('404 WCS_NOT_FOUND');
    }
    expect((await stage.ask('GET', `/sessions/${live.id}`)).body?.status).to.equal('pending');
  });

  it('need the scope and the feature', async () => {
    const { key } = await stage.api.key({ projectId: stage.owner.projectId, scopes: ['calls:write'] });
    expect(codeOf(await stage.ask('POST', '/sessions', { identity: 'reem' }, key))).to.equal(
      '403 INSUFFICIENT_PERMISSIONS',
    );
    const { token } = await stage.session();
    await stage.database.db.query(`UPDATE organizations SET flags = '{"web_calling": false}'`);
    stage.api.authenticator.clearCache();
    expect(codeOf(await stage.ask('GET', '/sessions'))).to.equal('503 WEB_CALLING_DISABLED');
    expect(codeOf(await stage.connect(token))).to.equal('503 WEB_CALLING_DISABLED');
  });

  it('of a member with the role agent are those of the own agent, whatever the body says', async () => {
    await addAgent('1001');
    await addAgent('1002');
    const { organizationId } = stage.owner;
    const agent = await addMember(stage.database.db, organizationId, { role: 'agent', agent: '1001' });
    const without = await addMember(stage.database.db, organizationId, { role: 'agent', agent: null });
    const body = { identity: 'boss', agent: '1002', allow: { incoming: true, caller_id_number: '+966112345678' } };
    const made = await stage.ask('POST', '/sessions', body, agent.token);
    expect(made.body).to.deep.include({ identity: '1001', agent: '1001' });
    expect(made.body?.allow).to.deep.include({ incoming: true, caller_id_number: null });
    const other = await stage.session({ agent: '1002' });
    expect(codeOf(await stage.ask('GET', `/sessions/${other.id}`, undefined, agent.token))).to.equal(
      '404 WCS_NOT_FOUND',
    );
    const { data } = (await stage.ask('GET', '/sessions', undefined, agent.token)).body as { data: unknown[] };
    expect(data).to.have.lengthOf(1);
    expect(codeOf(await stage.ask('POST', '/sessions', body, without.token))).to.equal('400 VALIDATION_ERROR');
    const viewer = await addMember(stage.database.db, organizationId, { role: 'viewer' });
    expect(codeOf(await stage.ask('POST', '/sessions', body, viewer.token))).to.equal('403 INSUFFICIENT_ROLE');
  });

  it('end with their agent', async () => {
    await addAgent('1001');
    const { id } = await stage.session({ agent: '1001' });
    const { agents } = stage.stores;
    expect(await agents.removeUnlessOnCall(stage.owner.projectId, '1001')).to.equal(true);
    expect((await stage.ask('GET', `/sessions/${id}`)).body?.status).to.equal('revoked');
  });
});
