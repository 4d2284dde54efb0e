import { expect } from 'chai';
import { eventually } from '../../support/eventually.js';
import { ChatappStage } from '../../support/stages/messaging/chatapp-stage.js';

const PATH = '/messages/templates';

describe('templates of the chat application', function () {
  this.timeout(60_000);
  let stage: ChatappStage;

  before(async () => {
    stage = await ChatappStage.start();
  });
  after(() => stage.close());

  const order = {
    ...{ name: 'order_update', language: 'ar', category: 'UTILITY', header: 'طلب {{1}}', footer: 'متجر' },
    ...{ body: 'مرحبًا {{2}}، طلبك {{1}} في الطريق', variables: ['17', 'ريم'] },
    buttons: [{ type: 'QUICK_REPLY', text: 'شكرًا' }],
  };
  const create = (json: object) => stage.messages.good(stage.writer.live, 'POST', PATH, json);
  const read = (name = 'order_update', language = 'ar') =>
    stage.messages.good(stage.writer.live, 'GET', `${PATH}/${name}?language=${language}`);
  const decided = (id: unknown, event: string) => {
    const value = { event, message_template_id: Number(id), message_template_name: 'x', reason: 'NONE' };
    return stage.notify(stage.provider.notice(value, { field: 'message_template_status_update' }));
  };
  const known = (id: unknown) => stage.provider.templates.get(String(id))!;
  const updates = async (): Promise<unknown[]> => {
    const rows = await stage.database.db.query<{ status: string }>(
      `SELECT data->>'status' AS status FROM events WHERE type = 'template.updated' ORDER BY id`,
    );
    return rows.map(({ status }) => status);
  };

  it('are submitted, and approved when the provider says so', async () => {
    const made = await create(order);
    expect(made).to.include({ status: 'pending' });
    const { providerId } = made;
    // Each component numbers its placeholders from 1.
    expect(known(providerId).components).to.deep.equal([
      { type: 'HEADER', format: 'TEXT', text: 'طلب {{1}}', example: { header_text: ['17'] } },
      { type: 'BODY', text: 'مرحبًا {{2}}، طلبك {{1}} في الطريق', example: { body_text: [['17', 'ريم']] } },
      { type: 'FOOTER', text: 'متجر' },
      { type: 'BUTTONS', buttons: [{ type: 'QUICK_REPLY', text: 'شكرًا' }] },
    ]);
    // A notice alone approves nothing: what the provider says now counts.
    expect((await decided(providerId, 'APPROVED')).status).to.equal(204);
    expect(await read()).to.include({ status: 'pending' });
    known(providerId).status = 'APPROVED';
    for (let round = 0; round < 2; round++) await decided(providerId, 'APPROVED');
    expect(await read()).to.include({ status: 'approved' });
    expect(await updates()).to.deep.equal(['approved']);

    const template = { name: 'order_update', language: 'ar', variables: ['42', 'عمر'] };
    const id = await stage.send('+966501230001', { template });
    const sent = await stage.reaches(id, 'sent');
    expect(sent).to.include({ text: 'طلب 42\nمرحبًا عمر، طلبك 42 في الطريق\nمتجر', content: null, class: 'service' });
    expect((await stage.provider.messageTo('+966501230001')).body.template).to.deep.equal({
      ...{ name: 'order_update', language: { code: 'ar' } },
      components: [
        { type: 'header', parameters: [{ type: 'text', text: '42' }] },
        { type: 'body', parameters: [{ type: 'text', text: '42' }, { type: 'text', text: 'عمر' }] }, // prettier-ignore
      ],
    });
  });

  it('are reviewed again after a change, and asked for if a notice was lost', async () => {
    const changed = await stage.messages.good(stage.writer.live, 'PUT', `${PATH}/order_update?language=ar`, {
      ...{ body: 'طلبك {{1}} وصل', variables: ['17'] },
    });
    expect(changed).to.include({ status: 'pending' });
    expect(known(changed.providerId)).to.deep.include({ status: 'PENDING' });
    Object.assign(known(changed.providerId), { status: 'REJECTED', rejected_reason: 'INVALID_FORMAT' });
    const reviews = stage.messages.messaging.tasks.find(({ name }) => name === 'reviews of message templates');
    await reviews?.run();
    expect(await read()).to.include({ status: 'rejected', rejection_reason: 'INVALID_FORMAT' });
    const template = { name: 'order_update', language: 'ar', variables: ['42'] };
    expect(await stage.refused('+966501230001', { template })).to.equal('400 VALIDATION_ERROR template');
  });

  it('have the category that the provider chose', async () => {
    const { providerId } = await create({ ...order, name: 'offer' });
    Object.assign(known(providerId), { status: 'APPROVED', category: 'MARKETING' });
    await stage.notify(
      stage.provider.notice({ message_template_id: String(providerId) }, { field: 'template_category_update' }),
    );
    await eventually(async () => (await read('offer')).status === 'approved', 'the template is approved');
    expect(await read('offer')).to.include({ category: 'MARKETING' });
  });

  it('of codes have a button that copies the code', async () => {
    const code = {
      name: 'code',
      language: 'en',
      category: 'AUTHENTICATION',
      body: 'Your code is {{1}}',
      variables: ['123456'],
    };
    const { providerId } = await create({ ...code, otpButton: true });
    expect(known(providerId).components).to.deep.equal([
      { type: 'BODY', add_security_recommendation: true },
      { type: 'BUTTONS', buttons: [{ type: 'OTP', otp_type: 'COPY_CODE' }] },
    ]);
    known(providerId).status = 'APPROVED';
    expect((await decided(providerId, 'APPROVED')).status).to.equal(204);
    await stage.send('+966501230002', { template: { name: 'code', language: 'en', variables: ['918273'] } });
    const { body } = await stage.provider.messageTo('+966501230002');
    const parameters = [{ type: 'text', text: '918273' }];
    expect((body.template as { components: object[] }).components).to.deep.equal([
      { type: 'body', parameters },
      { type: 'button', sub_type: 'url', index: '0', parameters },
    ]);
  });

  it('are what the provider has, also after a process died before it was stored', async () => {
    const { providerId } = await create({ ...order, name: 'twice' });
    await stage.database.db.query(`DELETE FROM message_templates WHERE name = 'twice'`);
    const again = await create({ ...order, name: 'twice' });
    expect(again).to.include({ providerId });
    const taken = await stage.messages.refused(stage.writer.live, 'POST', PATH, { ...order, name: 'twice' });
    expect(taken).to.equal('400 VALIDATION_ERROR name');
  });

  it('are deleted at the provider, too', async () => {
    const { providerId } = await create({ ...order, name: 'gone' });
    await stage.messages.good(stage.writer.live, 'DELETE', `${PATH}?name=gone&channel=chatapp&language=ar`);
    expect(stage.provider.templates.has(String(providerId))).to.equal(false);
  });

  it('are refused in the words of the provider, and answer 502 while it is away', async () => {
    const other = await ChatappStage.start();
    const { live } = other.writer;
    const refused = await other.messages.request(live, 'POST', PATH, {
      ...{ ...order, category: 'AUTHENTICATION', header: null, name: 'odd', body: 'Code {{1}} {{2}}' },
    });
    expect(refused.status, refused.text).to.equal(201);
    await other.provider.close();
    expect(await other.messages.refused(live, 'POST', PATH, { ...order, name: 'later' })).to.equal(
      '502 INTERNAL_ERROR',
    );
    const put = await other.messages.refused(live, 'PUT', `${PATH}/odd?language=ar`, { body: 'x' });
    expect(put).to.equal('502 INTERNAL_ERROR');
    expect(await other.messages.good(live, 'GET', `${PATH}/odd?language=ar`)).to.include({ body: 'Code {{1}} {{2}}' });
    await other.messages.close();
    await other.database.close();
  });
});
