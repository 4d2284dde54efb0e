import { expect } from 'chai';
import { localTime, RIYADH } from '../../../core/model/calendar/local.js';
import { stageOnce } from '../../support/each.js';
import { eventually } from '../../support/eventually.js';
import { BroadcastDesk } from '../../support/stages/messaging/broadcasts.js';
import { MessageStage, type Writer } from '../../support/stages/messaging/message-stage.js';

const SAR = 1_000_000;
const HOUR_MS = 3_600_000;

/** The time of the day in Riyadh, in some hours. */
function inHours(hours: number): string {
  const { hour } = localTime(new Date(Date.now() + hours * HOUR_MS), RIYADH);
  return `${String(hour).padStart(2, '0')}:00`;
}

describe('broadcasts and the gate of messages', function () {
  this.timeout(60_000);
  let stage: MessageStage;
  let writer: Writer;
  let desk: BroadcastDesk;
  stageOnce(
    // Promotional messages may be sent in Riyadh now, and not where it is ten hours later.
    (database) =>
      MessageStage.start(database, { MESSAGE_HOURS: `promotional always ${inHours(-1)}-${inHours(3)} a test` }),
    (made) => (stage = made),
  );
  beforeEach(async () => {
    stage.smsc.submitted.length = 0;
    stage.smsc.respond = (_, count) => ({ status: 0, id: `${writer.projectId}-${count}` });
    writer = await stage.writer(['HATIF', 'HATIF-AD']);
    desk = new BroadcastDesk(stage, writer.live);
  });

  const balance = () => stage.billing.balances.project(writer.organizationId, writer.projectId);
  const held = () => stage.stores.callHolds.sum(writer.projectId);

  /** Makes the project prepaid, with this amount. */
  async function pays(amount: number): Promise<void> {
    const { plans, balances } = stage.billing;
    const { organizationId, projectId } = writer;
    const rates = [{ channel: 'sms', prefix: '', perSegment: SAR / 10 }] as const;
    await plans.add(projectId, [], new Date(0), undefined, [], rates);
    await plans.assign(organizationId, projectId);
    await plans.setMode(organizationId, 'prepaid');
    await balances.topUp(organizationId, amount, projectId, null);
    await balances.allocate(organizationId, projectId, amount);
  }

  it('skip who opted out and where the project may not write, and wait for quiet hours to end', async () => {
    const template = await desk.template('offer', 'خصم', { category: 'MARKETING' });
    const group_id = await desk.group([
      { phone: '+966501231001' },
      { phone: '+966501231002' },
      { phone: '+966501231003', time_zone: 'Pacific/Auckland' },
      { phone: '+12125550123' },
    ]);
    const { data } = await stage.good(writer.live, 'GET', '/contacts?phone=%2B966501231002');
    const [contact] = data as { id: string }[];
    await stage.good(writer.live, 'POST', `/contacts/${contact?.id}/consents`, { status: 'opted_out' });
    const id = await desk.draft({ group_id, template });
    expect(await desk.step(id, 'start')).to.include({ class: 'promotional' });
    const counts = await desk.counted(id, ({ sent, skipped }) => sent === 1 && skipped === 2);
    expect(counts).to.include({ total: 4, waiting: 1, failed: 0 });
    const recipients = await desk.recipients(id);
    expect(recipients.map(({ status, skip_reason }) => [status, skip_reason])).to.deep.equal([
      ['sent', null],
      ['skipped', 'opted_out'],
      ['waiting', null],
      ['skipped', 'destination'],
    ]);
    expect(Date.parse(String(recipients[2]?.due_at))).to.be.above(Date.now() + HOUR_MS);
    expect(stage.smsc.submitted.map(({ source }) => source)).to.deep.equal(['HATIF-AD']);
    await desk.step(id, 'cancel');
  });

  it('are paid as messages are, and paused when the money ends', async () => {
    await pays(SAR / 2);
    const template = await desk.template('paid', 'x');
    const lines = Array.from({ length: 8 }, (_, n) => `050123110${n}`);
    const id = await desk.withFile({ template }, ['phone', ...lines]);
    await desk.step(id, 'start');
    const paused = await desk.reaches(id, 'paused');
    expect(paused.problem).to.equal('insufficient_credits');
    await desk.counted(id, ({ sent }) => sent === 5);
    expect([await balance(), await held()]).to.deep.equal([0, 0]);
    await stage.billing.balances.topUp(writer.organizationId, SAR, `${writer.projectId}-2`, null);
    await stage.billing.balances.allocate(writer.organizationId, writer.projectId, SAR);
    expect(await desk.step(id, 'resume')).to.include({ status: 'running', problem: null });
    const done = await desk.reaches(id, 'completed');
    expect(done.counts).to.include({ total: 8, sent: 8 });
    expect(await balance()).to.equal((SAR * 7) / 10);
    expect((await desk.events(id)).filter((name) => name !== 'progress')).to.deep.equal([
      ...['started', 'paused', 'resumed', 'completed'],
    ]);
    // Messages that are sent together are one row.
    const [usage] = await stage.database.db.query(
      `SELECT sum(quantity)::int AS quantity, sum(amount)::bigint AS amount, bool_and(amount = quantity * unit_price) AS fits
       FROM usage_events WHERE project_id = $1 AND type = 'message.sms'`,
      [writer.projectId],
    );
    expect(usage).to.deep.equal({ quantity: 8, amount: (SAR * 8) / 10, fits: true });
  });

  it('hold the price of what waits for the provider, and release it when they are cancelled', async () => {
    await pays(SAR);
    stage.smsc.respond = () => null;
    const template = await desk.template('held', 'x');
    const lines = Array.from({ length: 30 }, (_, n) => `05012312${String(n).padStart(2, '0')}`);
    const id = await desk.withFile({ template }, ['phone', ...lines]);
    await desk.step(id, 'start');
    await desk.reaches(id, 'paused');
    expect(await held()).to.equal(SAR);
    // The money suffices for ten, which the window of the account lets out at once.
    await eventually(() => stage.smsc.submitted.length === 10, 'all that are paid for are on their way');
    await desk.step(id, 'cancel');
    // What is on its way stays held until its outcome is known: the window of the account.
    expect(await held()).to.equal(SAR);
    stage.smsc.cut();
  });

  it('pause without a sender, and end without their group', async () => {
    const template = await desk.template('sender', 'x');
    const id = await desk.withFile({ template, from: 'HATIF' }, ['phone', '0501231301']);
    const { data } = await stage.good(writer.live, 'GET', '/messages/senders');
    const sender = (data as { id: string; sender: string }[]).find((one) => one.sender === 'HATIF');
    await stage.review.reject(String(sender?.id), 'a test');
    expect(await stage.refused(writer.live, 'POST', `/broadcasts/${id}/start`)).to.equal('409 BROADCAST_INVALID_STATE');
    const later = await desk.withFile({ template }, ['phone', '0501231301']);
    await desk.step(later, 'start');
    expect((await desk.reaches(later, 'paused')).problem).to.equal('no_sender');
    await stage.review.approve(String(sender?.id));
    await desk.step(later, 'resume');
    expect((await desk.reaches(later, 'completed')).counts).to.include({ sent: 1 });

    const soon = new Date(Date.now() + HOUR_MS).toISOString();
    const group_id = await desk.group([{ phone: '+966501231302' }]);
    const [gone, draft] = [
      await desk.draft({ group_id, template, scheduled_at: soon }),
      await desk.draft({ group_id, template }),
    ];
    await desk.step(gone, 'start');
    await stage.good(writer.live, 'DELETE', `/contact-groups/${group_id}`);
    await stage.database.db.query(`UPDATE broadcasts SET due_at = now() WHERE id = $1`, [gone]);
    expect((await desk.reaches(gone, 'cancelled')).problem).to.equal('group_deleted');
    expect(await desk.events(gone)).to.deep.equal(['started', 'cancelled']);
    expect(await stage.refused(writer.live, 'POST', `/broadcasts/${draft}/start`)).to.equal(
      '409 BROADCAST_INVALID_STATE',
    );
  });

  it('stand still while their organization is suspended', async () => {
    const template = await desk.template('suspended', 'x');
    const id = await desk.withFile({ template }, ['phone', '0501231401']);
    const { db } = stage.database;
    await db.query(`UPDATE organizations SET suspended_at = now() WHERE id = $1`, [writer.organizationId]);
    await db.query(
      `UPDATE broadcasts SET status = 'running', due_at = now(), started_at = now(), prepared_at = now(),
         variants = jsonb_set(variants, '{0,kept}', '{"body": "x", "header": null, "footer": null}') WHERE id = $1`,
      [id],
    );
    const dueAt = async () =>
      (await db.query<{ due_at: Date }>(`SELECT due_at FROM broadcasts WHERE id = $1`, [id]))[0]?.due_at ?? new Date(0);
    await eventually(async () => (await dueAt()).getTime() > Date.now() + 10_000, 'it is looked at later');
    expect(stage.smsc.submitted).to.deep.equal([]);
    await db.query(`UPDATE organizations SET suspended_at = NULL WHERE id = $1`, [writer.organizationId]);
    await db.query(`UPDATE broadcasts SET due_at = now() WHERE id = $1`, [id]);
    expect((await desk.reaches(id, 'completed')).counts).to.include({ sent: 1 });
  });
});
