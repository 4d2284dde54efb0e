import { expect } from 'chai';
import { BroadcastDesk } from '../../support/stages/messaging/broadcasts.js';
import { ChatappStage } from '../../support/stages/messaging/chatapp-stage.js';
import { MailStage, NOBODY_UNKNOWN } from '../../support/stages/messaging/mail-stage.js';

describe('broadcasts by e-mail', function () {
  this.timeout(60_000);
  let stage: MailStage;

  before(async () => {
    stage = await MailStage.start(NOBODY_UNKNOWN);
  });
  after(() => stage.close());

  it('have the subject and the words of the template for each contact, and leave out who has no address', async () => {
    const desk = new BroadcastDesk(stage.messages, stage.writer.live);
    const content = { channel: 'email', header: 'Order {{2}}' };
    const template = await desk.template('shipped', 'مرحبًا {{1}}، طلبك {{2}} في الطريق', content);
    const group_id = await desk.group([
      { email: 'reem@example.com', name_ar: 'ريم', custom_fields: { order: '17' } },
      { email: 'nobody@example.com', name_ar: 'عمر', custom_fields: { order: '18' } },
      { phone: '+966501230001', name_ar: 'سعد', custom_fields: { order: '19' } },
    ]);
    const variables = [{ field: 'name' }, { field: 'custom.order' }];
    const id = await desk.draft({ channel: 'email', group_id, template: { ...template, variables } });
    await desk.step(id, 'start');
    const done = await desk.reaches(id, 'completed');
    expect(done.counts).to.include({ total: 3, sent: 1, failed: 1, skipped: 1, waiting: 0, queued: 0 });
    expect(done.failures).to.deep.equal([{ reason: 'invalid_recipient', count: 1 }]);
    expect(done.skips).to.deep.equal([{ reason: 'no_address', count: 1 }]);
    const mail = await stage.mails.mailTo('reem@example.com');
    expect(mail.source).to.match(/^Subject: Order 17\r?$/m);
    expect(mail.text.trim()).to.equal('مرحبًا ريم، طلبك 17 في الطريق');
    const [first] = await desk.recipients(id, '?status=sent');
    expect(await stage.messages.events(String(first?.message_id))).to.deep.equal(['queued', 'sent']);
  });
});

describe('broadcasts over the chat application', function () {
  this.timeout(60_000);
  let stage: ChatappStage;

  before(async () => {
    stage = await ChatappStage.start();
  });
  after(() => stage.close());

  it('are filled by the provider from the values of each person, and report the outcome of each', async () => {
    const { messages, provider, writer } = stage;
    const desk = new BroadcastDesk(messages, writer.live);
    const content = { ...{ channel: 'chatapp', header: 'طلب {{1}}' }, variables: ['17', 'ريم'] };
    const template = await desk.template('on_its_way', 'مرحبًا {{2}}، طلبك {{1}} في الطريق', content);
    for (const known of provider.templates.values()) known.status = 'APPROVED';
    const value = { event: 'APPROVED', message_template_id: Number([...provider.templates.keys()][0]) };
    const field = 'message_template_status_update';
    await stage.notify(provider.notice({ ...value, message_template_name: 'x', reason: 'NONE' }, { field }));
    const lines = ['phone,custom.order,custom.who', '0501239001,17,ريم', '0501239002,18,سعد', '0501239003,,عمر'];
    const variables = [{ field: 'custom.order' }, { field: 'custom.who' }];
    const id = await desk.withFile({ channel: 'chatapp', template: { ...template, variables } }, lines);
    // Nobody has written: only templates go out, and a broadcast has nothing else.
    await desk.step(id, 'start');
    const done = await desk.reaches(id, 'completed');
    expect(done.counts).to.include({ total: 3, sent: 2, failed: 0, skipped: 1 });
    const taken = await provider.messageTo('+966501239002');
    expect(taken.body.template).to.deep.equal({
      ...{ name: 'on_its_way', language: { code: 'ar' } },
      components: [
        { type: 'header', parameters: [{ type: 'text', text: '18' }] },
        { type: 'body', parameters: [{ type: 'text', text: '18' }, { type: 'text', text: 'سعد' }] }, // prettier-ignore
      ],
    });
    const statuses = [provider.status(taken, 'delivered'), provider.status(taken, 'read')];
    await stage.notify(provider.notice({ statuses }));
    const counts = await desk.counted(id, ({ read }) => read === 1);
    expect(counts).to.include({ sent: 2, delivered: 1, read: 1 });
    const [reader] = await desk.recipients(id, '?status=read');
    expect(await messages.events(String(reader?.message_id))).to.deep.equal(['queued', 'sent', 'delivered', 'read']);
  });
});
