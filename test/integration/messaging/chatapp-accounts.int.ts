import { expect } from 'chai';
import { codeOf } from '../../support/judges/outcome.js';
import { ChatappStage } from '../../support/stages/messaging/chatapp-stage.js';

const PATH = '/messages/chatapp-accounts';

describe('numbers of the chat application', function () {
  this.timeout(60_000);
  let stage: ChatappStage;

  before(async () => {
    stage = await ChatappStage.start();
  });
  after(() => stage.close());

  it('are proved at the provider, whose application then gets its notices', async () => {
    const { messages, provider, writer } = stage;
    expect(provider.isSubscribed).to.equal(true);
    const { data } = await messages.good(writer.live, 'GET', PATH);
    const [account] = data as Record<string, unknown>[];
    expect(account).to.include({ id: stage.accountId, phone_number: provider.number, sandbox: false });
    expect(JSON.stringify(account)).not.to.contain(provider.token).and.not.to.contain(provider.appSecret);
    const { data: senders } = await messages.good(writer.live, 'GET', '/messages/senders?channel=chatapp');
    expect(senders).to.have.nested.property('[0].sender', provider.number);
  });

  it('keep their credentials sealed', async () => {
    const rows = await stage.database.db.query<{ text: string }>(
      'SELECT row_to_json(a)::text AS text FROM chatapp_accounts a',
    );
    expect(rows).to.have.length(1);
    expect(rows[0]?.text).not.to.contain(stage.provider.token).and.not.to.contain(stage.provider.appSecret);
    const audit = await stage.database.db.query<{ text: string }>(
      'SELECT row_to_json(a)::text AS text FROM audit_log a',
    );
    expect(audit.map(({ text }) => text).join()).not.to.contain(stage.provider.token);
  });

  it('are refused with a wrong token, another number, and when the provider is away', async () => {
    const { messages, provider } = stage;
    const other = await messages.writer([], { chatapp: true });
    const refused = (json: object, key = other.live) =>
      messages.refused(key, 'POST', PATH, { ...provider.account, ...json });
    expect(await refused({ access_token: 'something else' })).to.equal('400 VALIDATION_ERROR access_token');
    expect(await refused({ phone_number_id: '12' })).to.equal('400 VALIDATION_ERROR phone_number_id');
    expect(await refused({ phone_number: '+966112345670' })).to.equal('400 VALIDATION_ERROR phone_number');
    expect(await refused({})).to.equal('400 VALIDATION_ERROR phone_number_id');
    expect(await refused({ phone_number_id: 'x' })).to.equal('400 VALIDATION_ERROR phone_number_id');
    const without = await messages.writer([]);
    expect(await refused({}, without.live)).to.equal('403 INSUFFICIENT_PERMISSIONS');
    const text = { channel: 'chatapp', to: '+966501234517', text: 'Hello' };
    expect(await messages.refused(without.live, 'POST', '/messages', text)).to.equal('403 INSUFFICIENT_PERMISSIONS');
    expect(await messages.refused(other.live, 'POST', '/messages', text)).to.equal('422 CHANNEL_NOT_CONFIGURED');

    const away = await ChatappStage.start();
    const { live } = away.writer;
    await away.provider.close();
    const change = { access_token: 'a new token' };
    expect(await away.messages.refused(live, 'PATCH', `${PATH}/${away.accountId}`, change)).to.equal(
      '502 INTERNAL_ERROR',
    );
    // The peer is closed already.
    await away.messages.close();
    await away.database.close();
  });

  it('belong to their project and kind', async () => {
    const { messages, writer, provider } = stage;
    const other = await messages.writer([], { chatapp: true });
    for (const method of ['PATCH', 'DELETE']) {
      const path = `${PATH}/${stage.accountId}`;
      expect(await messages.refused(other.live, method, path, {})).to.equal('404 NOT_FOUND');
      expect(await messages.refused(writer.sandbox, method, path, {})).to.equal('404 NOT_FOUND');
    }
    expect((await messages.good(other.live, 'GET', PATH)).data).to.deep.equal([]);
    // The sandbox asks nobody.
    const made = await messages.good(writer.sandbox, 'POST', PATH, { ...provider.account, access_token: 'any token' });
    expect(made).to.include({ sandbox: true });
    await messages.good(writer.sandbox, 'DELETE', `${PATH}/${String(made.id)}`);
    const changed = await messages.good(writer.live, 'PATCH', `${PATH}/${stage.accountId}`, {
      app_secret: provider.appSecret,
    });
    expect(changed).to.include({ id: stage.accountId });
  });

  it('confirm the address of notices to the provider only', async () => {
    const { data } = await stage.messages.good(stage.writer.live, 'GET', PATH);
    const token = String((data as { verify_token: string }[])[0]?.verify_token);
    const query = { 'hub.mode': 'subscribe', 'hub.verify_token': token, 'hub.challenge': '1158201444' };
    const confirmed = await stage.confirm(query);
    expect(confirmed.status, confirmed.text).to.equal(200);
    expect(confirmed.text).to.equal('1158201444');
    expect(confirmed.headers.get('content-type')).to.equal('text/plain; charset=utf-8');
    expect(codeOf(await stage.confirm({ ...query, 'hub.verify_token': `${token}x` }))).to.equal(
      '401 WEBHOOK_UNAUTHORIZED',
    );
    expect(codeOf(await stage.confirm({ ...query, 'hub.mode': 'other' }))).to.equal('401 WEBHOOK_UNAUTHORIZED');
    expect(codeOf(await stage.confirm({}))).to.equal('401 WEBHOOK_UNAUTHORIZED');
    const script = { ...query, 'hub.challenge': '<script>' };
    expect(codeOf(await stage.confirm(script))).to.equal('400 WEBHOOK_PAYLOAD_INVALID');
    const unknown = await stage.messages.api.request('GET', '/v1/messages/providers/email/notices');
    expect(codeOf(unknown)).to.equal('404 NOT_FOUND');
  });

  it('take notices that the secret of their application signs, and that can be read', async () => {
    const { provider } = stage;
    const value = provider.incoming('+966501239999', { type: 'text', text: { body: 'Hello' } });
    const good = provider.notice(value);
    const forged = { ...good, headers: { ...good.headers, 'x-hub-signature-256': `sha256=${'0'.repeat(64)}` } };
    for (const wrong of [
      provider.notice(value, { secret: 'another secret' }),
      forged,
      { raw: good.raw, headers: { 'content-type': 'application/json' } as typeof good.headers },
      { raw: good.raw.replace('Hello', 'Hallo'), headers: good.headers },
      provider.notice(value, { business: '999' }),
      provider.signed('not JSON'),
    ]) {
      expect(codeOf(await stage.notify(wrong))).to.equal('401 WEBHOOK_UNAUTHORIZED');
    }
    for (const unreadable of [
      provider.signed(JSON.stringify({ object: 'page', entry: [{ id: provider.businessId, changes: [] }] })),
      provider.notice({ messages: [{ id: '', from: 'x' }] }),
      provider.notice({}, { field: 'message_template_status_update' }),
    ]) {
      expect(codeOf(await stage.notify(unreadable))).to.equal('400 WEBHOOK_PAYLOAD_INVALID');
    }
    expect((await stage.notify(provider.notice({ anything: 1 }, { field: 'account_update' }))).status).to.equal(204);
  });

  it('never let one organization report about the messages of another one', async () => {
    const { messages, provider, writer } = stage;
    const person = '+966501238888';
    await stage.writes(person);
    const id = await stage.send(person, { text: 'Hello' });
    await stage.reaches(id, 'sent');
    const taken = await provider.messageTo(person);
    // Another tenant who knows the ids of the account and of the message, but signs with an own secret.
    const other = await messages.writer([], { chatapp: true });
    const account = { ...provider.account, app_secret: 'the secret of the other tenant' };
    await messages.good(other.sandbox, 'POST', PATH, account);
    const read = provider.status(taken, 'read');
    const own = provider.notice({ statuses: [read] }, { secret: 'the secret of the other tenant' });
    expect(codeOf(await stage.notify(own))).to.equal('401 WEBHOOK_UNAUTHORIZED');
    await stage.database.db.query(
      `INSERT INTO chatapp_accounts SELECT (jsonb_populate_record(account, jsonb_build_object(
         'id', account.id, 'phone_number_id', '777', 'sandbox', false))).* FROM chatapp_accounts AS account
       WHERE project_id = $1 ON CONFLICT (id) DO UPDATE SET phone_number_id = '777', sandbox = false`,
      [other.projectId],
    );
    expect((await stage.notify(own)).status).to.equal(204);
    expect(await messages.good(writer.live, 'GET', `/messages/${id}`)).to.include({ status: 'sent' });
  });

  it('are disconnected with their sender', async () => {
    const { messages, writer } = stage;
    await messages.good(writer.live, 'DELETE', `${PATH}/${stage.accountId}`);
    expect(await stage.refused('+966501238888', { text: 'Hello' })).to.equal('422 CHANNEL_NOT_CONFIGURED');
    expect(codeOf(await stage.notify(stage.provider.notice({ statuses: [] })))).to.equal('401 WEBHOOK_UNAUTHORIZED');
    const { data } = await messages.good(writer.live, 'GET', '/messages/senders?channel=chatapp');
    expect((data as { sandbox: boolean }[]).filter(({ sandbox }) => !sandbox)).to.deep.equal([]);
  });
});
