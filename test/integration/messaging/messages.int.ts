import { expect } from 'chai';
import { addMember } from '../../support/rows/members.js';
import type { MessageStage, Writer } from '../../support/stages/messaging/message-stage.js';
import { writerEach } from '../../support/stages/messaging/writer-each.js';

const NUMBER = '+966501234517';

describe('messages over SMS', function () {
  this.timeout(60_000);
  let stage: MessageStage;
  let writer: Writer;
  writerEach((...made) => void ([stage, writer] = made));

  it('are accepted, submitted once, and delivered when the receipt comes', async () => {
    const { live, projectId } = writer;
    const answer = await stage.request(live, 'POST', '/messages', {
      ...{ channel: 'sms', to: '0501234517', text: 'طلبك في الطريق', metadata: { order: '4711' } },
    });
    expect(answer.status, answer.text).to.equal(202);
    expect(answer.body).to.deep.include({
      ...{ channel: 'sms', direction: 'outbound', to: NUMBER, from: 'HATIF', status: 'queued', class: 'service' },
      ...{ segments: 1, error: null, sandbox: false, metadata: { order: '4711' }, text: 'طلبك في الطريق' },
    });
    const id = String(answer.body?.message_id);
    await stage.reaches(live, id, 'sent');
    const [submitted] = stage.smsc.submitted;
    expect(submitted).to.include({ source: 'HATIF', sourceTon: 5, destination: '966501234517', dataCoding: 8 });
    expect(submitted?.body.toString('hex')).to.equal(Buffer.from('طلبك في الطريق', 'utf16le').swap16().toString('hex'));
    stage.smsc.receipt(`${projectId}-1`, 'DELIVRD', submitted!);
    const delivered = await stage.reaches(live, id, 'delivered');
    expect(delivered.sent_at).to.be.a('string');
    expect(delivered.delivered_at).to.be.a('string');
    expect(await stage.events(id)).to.deep.equal(['queued', 'sent', 'delivered']);
    expect(stage.smsc.submitted).to.have.length(1);
    expect(stage.smsc.acknowledged.at(-1)).to.equal(0);
  });

  it('in several parts are delivered when all parts are, whatever the order of the receipts', async () => {
    const { live, projectId } = writer;
    const { smsc } = stage;
    // The receipt of the first part comes before the response to its submission.
    smsc.respond = (submitted, count) => {
      const id = `${projectId}-${count}`;
      if (count === 1) smsc.receipt(id, 'DELIVRD', submitted);
      return { status: 0, id };
    };
    const id = await stage.sms(live, { text: `${'a'.repeat(153)}${'b'.repeat(20)}` });
    await stage.reaches(live, id, 'sent');
    const [first, second] = smsc.submitted;
    expect([first?.esmClass, second?.esmClass]).to.deep.equal([0x40, 0x40]);
    expect([...first!.body.subarray(0, 6)]).to.deep.equal([5, 0, 3, first!.body[3], 2, 1]);
    expect([...second!.body.subarray(0, 6)]).to.deep.equal([5, 0, 3, first!.body[3], 2, 2]);
    expect(second!.body.subarray(6).toString('latin1')).to.equal('b'.repeat(20));
    smsc.receipt(`${projectId}-2`, 'DELIVRD', second!);
    expect(await stage.reaches(live, id, 'delivered')).to.include({ segments: 2 });
  });

  it('fail with the reason of the carrier, at the submission or by a receipt', async () => {
    const { live, projectId } = writer;
    stage.smsc.respond = () => ({ status: 0x0b, id: '' });
    const refused = await stage.reaches(live, await stage.sms(live), 'failed');
    expect(refused.error).to.deep.equal({ reason: 'invalid_recipient', provider_code: '0x0000000b' });
    stage.smsc.respond = (_, count) => ({ status: 0, id: `${projectId}-${count}` });
    const id = await stage.sms(live);
    await stage.reaches(live, id, 'sent');
    stage.smsc.receipt(`${projectId}-2`, 'UNDELIV', stage.smsc.submitted[1]!, '027');
    const failed = await stage.reaches(live, id, 'failed');
    expect(failed.error).to.deep.equal({ reason: 'unreachable', provider_code: '027' });
    expect(await stage.events(id)).to.deep.equal(['queued', 'sent', 'failed']);
  });

  it('are submitted again when the SMSC asks to slow down, and never when the response was lost', async () => {
    const { live, projectId } = writer;
    stage.smsc.respond = (_, count) =>
      count === 1 ? { status: 0x58, id: '' } : { status: 0, id: `${projectId}-${count}` };
    await stage.reaches(live, await stage.sms(live, { text: 'slow' }), 'sent');
    expect(stage.smsc.submitted.map(({ body }) => body.toString('latin1'))).to.deep.equal(['slow', 'slow']);

    stage.smsc.submitted.length = 0;
    const binds = stage.smsc.binds;
    stage.smsc.respond = () => null;
    const lost = await stage.sms(live, { text: 'lost' });
    await stage.smsc.until(() => stage.smsc.submitted.length === 1);
    const [submitted] = stage.smsc.submitted;
    stage.smsc.cut();
    stage.smsc.respond = (_, count) => ({ status: 0, id: `${projectId}-n${count}` });
    await stage.smsc.until(() => stage.smsc.binds > binds);
    await stage.reaches(live, await stage.sms(live, { to: '+966501234518', text: 'next' }), 'sent');
    expect(await stage.good(live, 'GET', `/messages/${lost}`)).to.include({ status: 'queued' });
    expect(stage.smsc.submitted.map(({ body }) => body.toString('latin1'))).to.deep.equal(['lost', 'next']);

    // A receipt proves that it was sent after all: its addresses leave no doubt.
    stage.smsc.receipt(`${projectId}-unseen`, 'DELIVRD', submitted!);
    const { db } = stage.database;
    await stage.smsc.until(() => stage.smsc.acknowledged.length > 0);
    await waitForReceipt(`${projectId}-unseen`);
    await db.query(`UPDATE messages SET claimed_at = claimed_at - interval '1 hour' WHERE id = $1`, [lost]);
    await db.query(`UPDATE message_receipts SET received_at = received_at - interval '10 minutes'`);
    for (const task of stage.messaging.tasks) await task.run();
    await stage.reaches(live, lost, 'delivered');
    expect(await stage.events(lost)).to.deep.equal(['queued', 'sent', 'delivered']);
  });

  it('without an outcome fail after a day', async () => {
    const { live } = writer;
    stage.smsc.respond = () => null;
    const id = await stage.sms(live);
    await stage.smsc.until(() => stage.smsc.submitted.length === 1);
    await stage.database.db.query(`UPDATE messages SET claimed_at = claimed_at - interval '25 hours' WHERE id = $1`, [
      id,
    ]);
    for (const task of stage.messaging.tasks) await task.run();
    const failed = await stage.reaches(live, id, 'failed');
    expect(failed.error).to.deep.equal({ reason: 'outcome_unknown', provider_code: null });
  });

  it('come in, also in several parts in any order, and belong to the conversation', async () => {
    const { live } = writer;
    const id = await stage.sms(live);
    const { thread_id } = await stage.reaches(live, id, 'sent');
    const part = (number: number, text: string) =>
      stage.smsc.deliver({
        ...{ source: '966501234517', destination: 'HATIF', esmClass: 0x40, dataCoding: 8 },
        body: Buffer.concat([Buffer.from([5, 0, 3, 77, 2, number]), Buffer.from(text, 'utf16le').swap16()]),
      });
    part(2, 'الطلب');
    part(1, 'وصل ');
    let received: Record<string, unknown>[] = [];
    while (received.length === 0) {
      const list = await stage.good(live, 'GET', `/messages?direction=inbound&thread_id=${String(thread_id)}`);
      received = list.data as Record<string, unknown>[];
    }
    expect(received[0]).to.deep.include({
      ...{ text: 'وصل الطلب', from: NUMBER, to: 'HATIF', status: 'received', thread_id, class: null },
    });
    expect(await stage.events(String(received[0]?.message_id))).to.deep.equal(['received']);
    const threads = await stage.good(live, 'GET', `/messages/threads?with=${encodeURIComponent(NUMBER)}`);
    expect(threads.data).to.have.length(1);
    stage.smsc.deliver({ source: '966501234517', destination: 'NOBODY', body: Buffer.from('x') });
    await stage.smsc.until(() => stage.smsc.acknowledged.length >= 3);
    expect(stage.smsc.acknowledged.slice(-3)).to.deep.equal([0, 0, 0]);
  });

  it('are scheduled, and can be cancelled until they are due', async () => {
    const { live } = writer;
    const soon = new Date(Date.now() + 3_600_000).toISOString();
    const id = await stage.sms(live, { scheduled_at: soon });
    expect(await stage.good(live, 'POST', `/messages/${id}/cancel`)).to.include({ status: 'cancelled' });
    expect(await stage.good(live, 'POST', `/messages/${id}/cancel`)).to.include({ status: 'cancelled' });
    const sent = await stage.sms(live);
    expect(await stage.refused(live, 'POST', `/messages/${sent}/cancel`)).to.equal('409 MESSAGE_NOT_CANCELLABLE');
    await stage.reaches(live, sent, 'sent');
    const past = new Date(Date.now() - 1000).toISOString();
    const body = { channel: 'sms', to: NUMBER, text: 'x' };
    for (const [times, path] of [
      [{ scheduled_at: past }, 'scheduled_at'],
      [{ valid_until: past }, 'valid_until'],
    ] as const)
      expect(await stage.refused(live, 'POST', '/messages', { ...body, ...times })).to.equal(
        `400 VALIDATION_ERROR ${path}`,
      );
    expect(stage.smsc.submitted).to.have.length(1);
  });

  it('are made from approved templates, whose category is their class', async () => {
    const { live } = await stage.writer(['HATIF', 'HATIF-AD']);
    const offer = { channel: 'sms', name: 'offer', language: 'ar', category: 'MARKETING' };
    await stage.good(live, 'POST', '/messages/templates', { ...offer, body: 'خصم {{1}}', variables: ['20%'] });
    const template = { name: 'offer', language: 'ar', variables: ['30%'] };
    const body = { channel: 'sms', to: NUMBER, template };
    expect(await stage.refused(live, 'POST', '/messages', body)).to.equal('400 VALIDATION_ERROR template');
    for (const task of stage.messaging.tasks) await task.run();
    const made = await stage.good(live, 'POST', '/messages', body);
    expect(made).to.deep.include({
      ...{ text: 'خصم 30%', class: 'promotional', from: 'HATIF-AD', template: { name: 'offer', language: 'ar' } },
    });
    for (const [change, path] of [
      [{ class: 'service' }, 'class'],
      [{ from: 'HATIF' }, 'from'],
      [{ template: { ...template, variables: [] } }, 'template.variables'],
      [{ template: { ...template, language: 'en' } }, 'template'],
    ] as const) {
      const refused = await stage.refused(live, 'POST', '/messages', { ...body, ...change });
      expect(refused, path).to.equal(`400 VALIDATION_ERROR ${path}`);
    }
    await stage.reaches(live, String(made.message_id), 'sent');
  });

  it('in the sandbox leave nothing, and their numbers decide about the outcome', async () => {
    const { sandbox, live } = writer;
    const send = (to: string, more: object = {}) => ({ channel: 'sms', to, text: 'Hello', ...more });
    const delivered = await stage.sms(sandbox, { to: '+966500000001' });
    const failed = await stage.sms(sandbox, { to: '+966500000002' });
    expect(await stage.reaches(sandbox, delivered, 'delivered')).to.include({ sandbox: true, from: null });
    expect((await stage.reaches(sandbox, failed, 'failed')).error).to.deep.equal({
      reason: 'unreachable',
      provider_code: null,
    });
    const out = send('+966500000003', { class: 'promotional' });
    expect(await stage.refused(sandbox, 'POST', '/messages', out)).to.equal('403 RECIPIENT_OPTED_OUT');
    expect(await stage.refused(sandbox, 'POST', '/messages', send(NUMBER))).to.equal(
      '403 SANDBOX_DESTINATION_NOT_ALLOWED',
    );
    expect(await stage.good(live, 'GET', `/messages/${delivered}`)).to.include({ sandbox: true });
    expect(await stage.refused(sandbox, 'GET', `/messages/${await stage.sms(live)}`)).to.equal('404 NOT_FOUND');
    await stage.smsc.until(() => stage.smsc.submitted.length === 1);
  });

  it('are refused with the first reason', async () => {
    const { live } = writer;
    const good = { channel: 'sms', to: NUMBER, text: 'x' };
    for (const [change, refusal] of [
      [{ to: '123' }, '400 INVALID_PHONE_NUMBER'],
      [{ to: 'reem@example.com' }, '400 INVALID_PHONE_NUMBER'],
      [{ to: '911' }, '400 INVALID_PHONE_NUMBER'],
      [{ text: undefined }, '400 VALIDATION_ERROR '],
      [{ text: 'a'.repeat(1531) }, '400 VALIDATION_ERROR text'],
      [{ channel: 'chatapp' }, '403 INSUFFICIENT_PERMISSIONS'],
      [{ channel: 'email', to: 'reem@example.com', subject: 'x' }, '422 CHANNEL_NOT_CONFIGURED'],
      [{ from: 'OTHER' }, '400 VALIDATION_ERROR from'],
      [{ class: 'promotional' }, '400 VALIDATION_ERROR from'],
      [{ to: '+12125550123' }, '403 INSUFFICIENT_PERMISSIONS'],
    ] as const) {
      const refused = await stage.refused(live, 'POST', '/messages', { ...good, ...change });
      expect(refused.startsWith(refusal), `${JSON.stringify(change)}: ${refused}`).to.equal(true);
    }
    const { projectId } = writer;
    const reader = (await stage.api.key({ projectId, scopes: ['messages:read'] })).key;
    expect(await stage.refused(reader, 'POST', '/messages', good)).to.equal('403 INSUFFICIENT_PERMISSIONS');
    expect(stage.smsc.submitted).to.deep.equal([]);
  });

  it('are explained by every check, and not sent', async () => {
    const { live, sandbox } = writer;
    const explain = async (key: string, query: string) => {
      const { allowed, checks } = await stage.good(key, 'GET', `/messages/explain?${query}`);
      const verdicts = (checks as { rule: string; passed: boolean; error_code: string | null }[]).map(
        ({ rule, passed, error_code }) => `${rule} ${passed ? 'passed' : String(error_code)}`,
      );
      return [allowed, ...verdicts];
    };
    expect(await explain(live, 'channel=sms&to=0501234517')).to.deep.equal([
      ...[true, 'channel passed', 'sender passed', 'sandbox_destination passed', 'consent passed'],
      ...[
        'message_hours passed',
        'destination_class passed',
        'unsubscribing passed',
        'conversation_window passed',
        'visitor passed',
        'velocity passed',
        'balance passed',
      ],
    ]);
    expect(await explain(live, 'channel=sms&to=%2B12125550123&class=promotional&template=x&language=ar')).to.deep.equal(
      [
        ...[
          false,
          'channel passed',
          'template VALIDATION_ERROR',
          'sender VALIDATION_ERROR',
          'sandbox_destination passed',
        ],
        ...['consent passed', 'message_hours passed', 'destination_class INSUFFICIENT_PERMISSIONS'],
        ...[
          'unsubscribing passed',
          'conversation_window passed',
          'visitor passed',
          'velocity passed',
          'balance passed',
        ],
      ],
    );
    expect(await explain(sandbox, 'channel=chatapp&to=%2B966500000003&class=awareness')).to.include.members([
      'channel INSUFFICIENT_PERMISSIONS',
      'consent RECIPIENT_OPTED_OUT',
    ]);
    expect(await stage.refused(live, 'GET', '/messages/explain?channel=sms&to=0501234517&template=x')).to.equal(
      '400 VALIDATION_ERROR template',
    );
    expect(stage.smsc.submitted).to.deep.equal([]);
  });

  it('are seen and written by an agent only in own conversations', async () => {
    const { live, organizationId, projectId } = writer;
    const { db } = stage.database;
    const agent = (extension: string) =>
      addMember(db, organizationId, { role: 'agent', name: extension, agent: extension, project_ids: [projectId] });
    const [sara, omar] = [(await agent('1001')).token, (await agent('1002')).token];
    const id = await stage.sms(sara, { to: NUMBER });
    const { thread_id } = await stage.good(live, 'GET', `/messages/${id}`);
    expect(await stage.good(sara, 'GET', `/messages/threads/${String(thread_id)}`)).to.include({ agent: '1001' });
    expect(await stage.refused(omar, 'GET', `/messages/${id}`)).to.equal('404 NOT_FOUND');
    expect((await stage.good(omar, 'GET', '/messages')).data).to.deep.equal([]);
    expect(await stage.refused(omar, 'POST', '/messages', { channel: 'sms', to: NUMBER, text: 'x' })).to.equal(
      '403 INSUFFICIENT_PERMISSIONS',
    );
    expect(await stage.refused(live, 'PATCH', `/messages/threads/${String(thread_id)}`, { agent: '1009' })).to.equal(
      '400 VALIDATION_ERROR agent',
    );
    await stage.good(live, 'PATCH', `/messages/threads/${String(thread_id)}`, { agent: null });
    expect((await stage.good(sara, 'GET', '/messages/threads')).data).to.deep.equal([]);
    expect(await stage.refused((await stage.writer()).live, 'GET', `/messages/${id}`)).to.equal('404 NOT_FOUND');
  });

  async function waitForReceipt(providerId: string): Promise<void> {
    for (;;) {
      const rows = await stage.database.db.query(`SELECT FROM message_receipts WHERE provider_id = $1`, [providerId]);
      if (rows.length > 0) return;
    }
  }
});
