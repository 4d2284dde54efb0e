import { expect } from 'chai';
import { eventually } from '../../support/eventually.js';
import { BroadcastDesk } from '../../support/stages/messaging/broadcasts.js';
import type { MessageStage, Writer } from '../../support/stages/messaging/message-stage.js';
import { writerEach } from '../../support/stages/messaging/writer-each.js';

describe('broadcasts', function () {
  this.timeout(60_000);
  let stage: MessageStage;
  let writer: Writer;
  let desk: BroadcastDesk;
  writerEach((...made) => {
    [stage, writer] = made;
    desk = new BroadcastDesk(stage, writer.live);
  });

  const texts = (): string[] =>
    stage.smsc.submitted.map(({ destination, body, dataCoding }) => {
      const text = dataCoding === 8 ? Buffer.from(body).swap16().toString('utf16le') : body.toString('latin1');
      return `${destination} ${text}`;
    });

  it('send a template to a group with what each contact has, and report each outcome', async () => {
    const template = await desk.template('greeting', 'مرحبًا {{1}} من {{2}}، {{3}}');
    const group_id = await desk.group([
      { phone: '+966501230001', name_ar: 'ريم', custom_fields: { city: 'جدة' } },
      { phone: '+966501230002', name_ar: 'سعد' },
      { phone: '+966501230003' },
      { email: 'nobody@example.com', name_ar: 'بلا رقم' },
    ]);
    const variables = [{ field: 'name' }, { field: 'custom.city', default: 'الرياض' }, { value: 'أهلًا' }];
    const id = await desk.draft({ group_id, template: { ...template, variables }, metadata: { campaign: '7' } });
    expect(await desk.get(id)).to.deep.include({ status: 'draft', class: 'service', source: 'group', group_id });
    stage.smsc.respond = ({ destination }, count) =>
      destination === '966501230002' ? { status: 0x0b, id: '' } : { status: 0, id: `${writer.projectId}-${count}` };
    expect(await desk.step(id, 'start')).to.include({ status: 'running' });
    const done = await desk.reaches(id, 'completed');
    expect(done.counts).to.deep.equal({
      ...{ total: 4, waiting: 0, queued: 0, sent: 1, delivered: 0, read: 0, failed: 1, skipped: 2, cancelled: 0 },
    });
    expect(done.failures).to.deep.equal([{ reason: 'invalid_recipient', count: 1 }]);
    expect(done.skips).to.deep.equal([
      { reason: 'missing_variable', count: 1 },
      { reason: 'no_address', count: 1 },
    ]);
    expect(texts().sort()).to.deep.equal([
      '966501230001 مرحبًا ريم من جدة، أهلًا',
      '966501230002 مرحبًا سعد من الرياض، أهلًا',
    ]);
    const place = stage.smsc.submitted.findIndex(({ destination }) => destination === '966501230001');
    stage.smsc.receipt(`${writer.projectId}-${place + 1}`, 'DELIVRD', stage.smsc.submitted[place]!);
    await desk.counted(id, ({ delivered }) => delivered === 1);
    const recipients = await desk.recipients(id);
    expect(recipients.map(({ number, to, status, skip_reason }) => [number, to, status, skip_reason])).to.deep.equal([
      [1, '+966501230001', 'delivered', null],
      [2, '+966501230002', 'failed', null],
      [3, '+966501230003', 'skipped', 'missing_variable'],
      [4, null, 'skipped', 'no_address'],
    ]);
    expect(recipients[1]?.error).to.deep.equal({ reason: 'invalid_recipient', provider_code: '0x0000000b' });
    expect(await desk.recipients(id, '?status=skipped&skip_reason=no_address')).to.have.length(1);
    const message = await stage.good(writer.live, 'GET', `/messages/${String(recipients[0]?.message_id)}`);
    expect(message).to.deep.include({ broadcast_id: id, metadata: { campaign: '7' }, status: 'delivered' });
    expect(await desk.events(id)).to.deep.equal(['started', 'completed']);
    expect(await stage.events(String(recipients[0]?.message_id))).to.deep.equal(['queued', 'sent', 'delivered']);
  });

  it('send to the lines of a file, of which each number gets one message', async () => {
    const template = await desk.template('code', 'رمزك {{1}}');
    const id = await desk.draft({ template: { ...template, variables: [{ field: 'custom.code' }] } });
    expect(await stage.refused(writer.live, 'POST', `/broadcasts/${id}/start`)).to.equal('409 BROADCAST_INVALID_STATE');
    const file = ['phone,custom.code', '0501230011,11', '٠٥٠١٢٣٠٠١٢,12', '0501230011,again', '123,x', '0501230013,'];
    const first = await desk.upload(id, 'phone\n0501230099');
    expect(first.body?.counts).to.include({ total: 1 });
    const { body } = await desk.upload(id, file.join('\n'));
    expect(body?.counts).to.include({ total: 5, waiting: 3, skipped: 2 });
    await desk.step(id, 'start');
    const done = await desk.reaches(id, 'completed');
    expect(done.counts).to.include({ total: 5, sent: 2, skipped: 3 });
    expect(texts().sort()).to.deep.equal(['966501230011 رمزك 11', '966501230012 رمزك 12']);
    expect((await desk.recipients(id)).map(({ number, skip_reason }) => [number, skip_reason])).to.deep.equal([
      [2, null],
      [3, null],
      [4, 'duplicate'],
      [5, 'invalid_address'],
      [6, 'missing_variable'],
    ]);
    const report = await stage.request(writer.live, 'GET', `/broadcasts/${id}/report`);
    expect(report.headers.get('content-type')).to.contain('text/csv');
    const lines = report.text.trim().split('\r\n');
    expect(lines[0]).to.match(/^number,to,contact_id,variant,status,skip_reason/);
    expect(lines[1]).to.match(/^2,\+966501230011,,A,sent,,,,1,/);
    expect(lines[3]).to.match(/^4,,,,skipped,duplicate,/);
    expect(lines).to.have.length(6);
    for (const [text, path] of [
      ['phone,tags\n0501230011,vip', 'file'],
      ['name\nReem', 'file'],
      ['phone\n', 'file'],
    ] as const) {
      const other = await desk.draft({ template: { ...template, variables: [{ value: 'x' }] } });
      const refused = await desk.upload(other, text);
      expect([refused.status, refused.body?.error_code], text).to.deep.equal([400, 'VALIDATION_ERROR']);
      expect((refused.body?.details as { path: string }[])[0]?.path).to.equal(path);
    }
    expect((await desk.upload(id, file.join('\n'))).body?.error_code).to.equal('BROADCAST_INVALID_STATE');
  });

  it('keep the template that they began with, at a rate, through a pause', async () => {
    const template = await desk.template('news', 'قديم');
    const lines = Array.from({ length: 40 }, (_, n) => `05012301${String(n).padStart(2, '0')}`);
    const id = await desk.withFile({ template, rate_per_minute: 600 }, ['phone', ...lines]);
    await desk.step(id, 'start');
    await stage.smsc.until(() => stage.smsc.submitted.length >= 5);
    // The progress is reported every five seconds.
    await stage.database.db.query(
      `UPDATE broadcasts SET started_at = started_at - interval '5 seconds' WHERE id = $1`,
      [id],
    );
    await stage.good(writer.live, 'PUT', '/messages/templates/news?channel=sms&language=ar', { body: 'جديد' });
    const paused = await desk.step(id, 'pause');
    expect(paused).to.include({ status: 'paused', problem: null });
    expect((await desk.step(id, 'pause')).status).to.equal('paused');
    // What is on its way at the pause still goes out: at most the window of the account.
    const atPause = stage.smsc.submitted.length;
    await desk.counted(id, ({ queued = 0, sent = 0 }) => sent + queued > 0 && stage.smsc.submitted.length === sent);
    expect(stage.smsc.submitted.length).to.be.within(atPause, atPause + 10);
    expect(stage.smsc.submitted.length).to.be.below(40);
    await desk.step(id, 'resume');
    const done = await desk.reaches(id, 'completed');
    expect(done.counts).to.include({ total: 40, sent: 40 });
    expect(new Set(texts().map((text) => text.split(' ')[1]))).to.deep.equal(new Set(['قديم']));
    expect(new Set(stage.smsc.submitted.map(({ destination }) => destination)).size).to.equal(40);
    // Forty messages at ten a second.
    const [first] = await stage.database.db.query<{ ms: number }>(
      `SELECT extract(epoch FROM max(sent_at) - min(sent_at))::float8 * 1000 AS ms FROM messages WHERE broadcast_id = $1`,
      [id],
    );
    expect(first?.ms).to.be.at.least(3_000);
    const events = await desk.events(id);
    expect(events).to.include('progress');
    expect(events.filter((name) => name !== 'progress')).to.deep.equal([
      ...['started', 'paused', 'resumed', 'completed'],
    ]);
  });

  it('are cancelled for good', async () => {
    const template = await desk.template('stop', 'x');
    const lines = Array.from({ length: 60 }, (_, n) => `05012302${String(n).padStart(2, '0')}`);
    const id = await desk.withFile({ template, rate_per_minute: 300 }, ['phone', ...lines]);
    for (const step of ['pause', 'resume', 'retry'])
      expect(await stage.refused(writer.live, 'POST', `/broadcasts/${id}/${step}`)).to.equal(
        '409 BROADCAST_INVALID_STATE',
      );
    await desk.step(id, 'start');
    await stage.smsc.until(() => stage.smsc.submitted.length >= 2);
    await desk.step(id, 'cancel');
    const counts = await desk.counted(id, ({ queued }) => queued === 0);
    expect(counts).to.include({ total: 60, waiting: 0, failed: 0, skipped: 0 });
    expect(Number(counts.sent) + Number(counts.cancelled)).to.equal(60);
    expect(counts.sent).to.equal(stage.smsc.submitted.length);
    expect(await desk.recipients(id, '?status=cancelled&limit=1')).to.have.length(1);
    expect((await desk.step(id, 'cancel')).status).to.equal('cancelled');
    for (const step of ['start', 'pause', 'resume', 'retry'])
      expect(await stage.refused(writer.live, 'POST', `/broadcasts/${id}/${step}`)).to.equal(
        '409 BROADCAST_INVALID_STATE',
      );
    expect((await desk.events(id)).at(-1)).to.equal('cancelled');
  });

  it('send again what failed, but nothing that may have arrived', async () => {
    const template = await desk.template('again', 'x');
    const id = await desk.withFile({ template }, ['phone', '0501230301', '0501230302', '0501230303']);
    stage.smsc.respond = ({ destination }, count) => {
      const statuses: Record<string, number> = { '966501230301': 0x0a, '966501230302': 0x0b };
      return { status: statuses[destination] ?? 0, id: `${writer.projectId}-${count}` };
    };
    await desk.step(id, 'start');
    const done = await desk.reaches(id, 'completed');
    expect(done.counts).to.include({ sent: 1, failed: 2 });
    await stage.database.db.query(
      `UPDATE messages SET error_reason = 'outcome_unknown' WHERE broadcast_id = $1 AND recipient = '+966501230302'`,
      [id],
    );
    stage.smsc.respond = (_, count) => ({ status: 0, id: `${writer.projectId}-${count}` });
    await desk.step(id, 'retry');
    const again = await desk.reaches(id, 'completed');
    expect(again.counts).to.include({ total: 3, sent: 2, failed: 1 });
    expect(
      texts()
        .map((text) => text.split(' ')[0])
        .sort(),
    ).to.deep.equal([...['966501230301', '966501230301', '966501230302', '966501230303']]);
    const [first] = await desk.recipients(id);
    expect(first).to.include({ status: 'sent', attempts: 2 });
    expect((await desk.step(id, 'retry')).status).to.equal('completed');
    expect((await desk.events(id)).filter((name) => name !== 'progress')).to.deep.equal([
      ...['started', 'completed', 'resumed', 'completed'],
    ]);
  });

  it('compare variants by their shares', async () => {
    const [a, b] = [await desk.template('a', 'أ {{1}}'), await desk.template('b', 'ب')];
    const lines = Array.from({ length: 40 }, (_, n) => `05012304${String(n).padStart(2, '0')},${n}`);
    const variants = [
      { template: { ...a, variables: [{ field: 'custom.n' }] }, weight: 3 },
      { template: b, weight: 1 },
    ];
    const id = await desk.withFile({ variants }, ['phone,custom.n', ...lines]);
    await desk.step(id, 'start');
    const done = await desk.reaches(id, 'completed');
    const shares = (done.variants as { key: string; counts: { sent: number } }[]).map(({ key, counts }) => ({
      ...{ key, sent: counts.sent },
    }));
    // Consecutive numbers are dealt out evenly: at most one away from the exact share.
    expect(shares.map(({ key }) => key)).to.deep.equal(['A', 'B']);
    expect(shares[0]?.sent).to.be.within(29, 31);
    expect(shares[1]?.sent).to.equal(40 - Number(shares[0]?.sent));
    expect(texts().filter((text) => text.endsWith(' ب'))).to.have.length(shares[1]?.sent ?? 0);
  });

  it('begin at their time, also by the clock of each recipient', async () => {
    const template = await desk.template('later', 'x');
    const body = { template };
    const soon = new Date(Date.now() + 3_600_000).toISOString();
    const scheduled = await desk.withFile({ ...body, scheduled_at: soon }, ['phone', '0501230501']);
    expect(await desk.step(scheduled, 'start')).to.include({ status: 'scheduled', scheduled_at: soon });
    expect((await desk.step(scheduled, 'start')).status).to.equal('scheduled');
    await stage.database.db.query(`UPDATE broadcasts SET due_at = now() WHERE id = $1`, [scheduled]);
    await desk.reaches(scheduled, 'completed');

    // Two hours ago in Riyadh, which is still to come in New York.
    const wall = new Date(Date.now() + 3_600_000).toISOString().slice(0, 16);
    const local = await desk.withFile({ ...body, local_time: wall }, [
      ...['phone,time_zone', '0501230502,Asia/Riyadh', '0501230503,America/New_York'],
    ]);
    expect(await desk.step(local, 'start')).to.include({ status: 'running', local_time: wall });
    await desk.counted(local, ({ sent }) => sent === 1);
    const [riyadh, newYork] = await desk.recipients(local);
    expect(riyadh).to.include({ status: 'sent', due_at: null });
    expect(newYork).to.include({ status: 'waiting' });
    const ahead = (Date.parse(String(newYork?.due_at)) - Date.now()) / 3_600_000;
    expect(ahead).to.be.within(4.9, 6.1);
    await desk.step(local, 'cancel');
    for (const [times, path] of [
      [{ scheduled_at: soon, local_time: wall }, 'local_time'],
      [{ local_time: '2026-02-30T10:00' }, 'local_time'],
      [{ scheduled_at: new Date(Date.now() - 1000).toISOString() }, 'scheduled_at'],
    ] as const)
      expect(
        await stage.refused(writer.live, 'POST', '/broadcasts', { name: 'x', channel: 'sms', ...body, ...times }),
      ).to.equal(`400 VALIDATION_ERROR ${path}`);
  });

  it('in the sandbox leave nothing', async () => {
    const sandbox = new BroadcastDesk(stage, writer.sandbox);
    const template = await sandbox.template('trial', 'x', { category: 'MARKETING' });
    const id = await sandbox.withFile({ template }, [
      ...['phone', '+966500000001', '+966500000002', '+966500000003', '0501230601'],
    ]);
    await sandbox.step(id, 'start');
    await sandbox.reaches(id, 'completed');
    const counts = await sandbox.counted(id, ({ delivered, failed }) => delivered === 1 && failed === 1);
    expect(counts).to.include({ total: 4, sent: 1, failed: 1, skipped: 2 });
    expect((await sandbox.recipients(id)).map(({ skip_reason }) => skip_reason)).to.deep.equal([
      ...[null, null, 'opted_out', 'sandbox_destination'],
    ]);
    expect(stage.smsc.submitted).to.deep.equal([]);
    expect(await desk.get(id)).to.include({ sandbox: true });
    expect(await stage.refused(writer.live, 'POST', `/broadcasts/${id}/cancel`)).to.equal('404 NOT_FOUND');
    expect((await stage.good(writer.sandbox, 'GET', '/broadcasts')).data).to.have.length(1);
  });

  it('are refused with the first reason, and belong to their project', async () => {
    const template = await desk.template('t', 'x {{1}}');
    const good = { name: 'Offer', channel: 'sms', template: { ...template, variables: [{ value: 'y' }] } };
    for (const [change, refusal] of [
      [{ name: '' }, '400 VALIDATION_ERROR name'],
      [{ template: undefined }, '400 VALIDATION_ERROR '],
      [{ template: { ...template, variables: [{ field: 'shoe_size' }] } }, '400 VALIDATION_ERROR template.variables'],
      [{ template: { ...template, variables: [{}] } }, '400 VALIDATION_ERROR template.variables'],
      [{ template }, '400 VALIDATION_ERROR variants[0].variables'],
      [{ template: { ...good.template, language: 'en' } }, '400 VALIDATION_ERROR variants[0].template'],
      [{ class: 'promotional' }, '400 VALIDATION_ERROR class'],
      [{ from: 'OTHER' }, '400 VALIDATION_ERROR from'],
      [{ group_id: writer.projectId }, '400 VALIDATION_ERROR group_id'],
      [{ channel: 'webchat' }, '422 CHANNEL_VERB_UNSUPPORTED'],
      [{ channel: 'email' }, '422 CHANNEL_NOT_CONFIGURED'],
      [{ channel: 'chatapp' }, '403 INSUFFICIENT_PERMISSIONS'],
    ] as const) {
      const refused = await stage.refused(writer.live, 'POST', '/broadcasts', { ...good, ...change });
      expect(refused.startsWith(refusal), `${JSON.stringify(change)}: ${refused}`).to.equal(true);
    }
    const id = await desk.draft(good);
    const { projectId } = writer;
    const reader = (await stage.api.key({ projectId, scopes: ['broadcasts:read'] })).key;
    const other = (await stage.writer()).live;
    expect((await stage.good(reader, 'GET', `/broadcasts?status=draft`)).data).to.have.length(1);
    expect(await stage.refused(reader, 'POST', `/broadcasts/${id}/cancel`)).to.equal('403 INSUFFICIENT_PERMISSIONS');
    for (const [method, path] of [
      ...([
        ['GET', ''],
        ['GET', '/recipients'],
        ['GET', '/report'],
        ['POST', '/start'],
        ['POST', '/retry'],
      ] as const),
    ])
      expect(await stage.refused(other, method, `/broadcasts/${id}${path}`), path).to.equal('404 NOT_FOUND');
    expect((await desk.upload(id, 'phone\n0501230701', other)).status).to.equal(404);
    const off = await stage.api.owner({ messages: false });
    const offKey = (await stage.api.key({ projectId: off.projectId })).key;
    expect(await stage.refused(offKey, 'GET', '/broadcasts')).to.equal('503 MESSAGES_DISABLED');
    expect(await stage.refused(offKey, 'POST', '/broadcasts', good)).to.equal('503 MESSAGES_DISABLED');
  });

  it('are limited in number until they are finished', async () => {
    const template = await desk.template('many', 'x');
    const { organizationId, projectId, live } = writer;
    const id = await desk.draft({ template });
    await stage.database.db.query(
      `INSERT INTO broadcasts SELECT (jsonb_populate_record(own, jsonb_build_object('id', uuid_v7()))).*
       FROM broadcasts AS own CROSS JOIN generate_series(1, 99) WHERE own.id = $1 AND organization_id = $2 AND project_id = $3`,
      [id, organizationId, projectId],
    );
    const body = { name: 'x', channel: 'sms', template };
    expect(await stage.refused(live, 'POST', '/broadcasts', body)).to.equal('409 BROADCAST_LIMIT_EXCEEDED');
    await desk.step(id, 'cancel');
    await eventually(
      async () => (await stage.request(live, 'POST', '/broadcasts', body)).status === 201,
      'there is room',
    );
  });
});
