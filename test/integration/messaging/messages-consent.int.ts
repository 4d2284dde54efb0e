import { expect } from 'chai';
import { localTime, RIYADH } from '../../../core/model/calendar/local.js';
import { eventually } from '../../support/eventually.js';
import { stageOnce } from '../../support/each.js';
import { MessageStage, type Writer } from '../../support/stages/messaging/message-stage.js';

const NUMBER = '+966501234577';
const HOUR_MS = 3_600_000;

/** The time of the day in Riyadh, in some hours. */
function inHours(hours: number): string {
  const { hour } = localTime(new Date(Date.now() + hours * HOUR_MS), RIYADH);
  return `${String(hour).padStart(2, '0')}:00`;
}

describe('messages and what people want', function () {
  this.timeout(60_000);
  let stage: MessageStage;
  let writer: Writer;
  stageOnce(
    (database) =>
      MessageStage.start(database, { MESSAGE_HOURS: `awareness always ${inHours(3)}-${inHours(5)} a test` }),
    (made) => (stage = made),
  );
  beforeEach(async () => {
    stage.smsc.respond = (_, count) => ({ status: 0, id: `${writer.projectId}-${count}` });
    writer = await stage.writer();
  });

  const sms = (more: object): object => ({ channel: 'sms', to: NUMBER, text: 'Hello', ...more });

  it('are refused after a person wrote STOP, except those of the class service', async () => {
    const { live } = writer;
    const id = await stage.sms(live, { to: NUMBER, class: 'personal' });
    await stage.reaches(live, id, 'sent');
    stage.smsc.deliver({ source: NUMBER.slice(1), destination: 'HATIF', body: Buffer.from(' Stop. ') });
    await stage.smsc.until(() => stage.smsc.acknowledged.length > 0);
    expect(await stage.refused(live, 'POST', '/messages', sms({ class: 'personal' }))).to.equal(
      '403 RECIPIENT_OPTED_OUT',
    );
    expect((await stage.request(live, 'POST', '/messages', sms({ class: 'service' }))).status).to.equal(202);
    const texts = async (): Promise<unknown[]> => {
      const { data } = await stage.good(live, 'GET', '/messages?direction=outbound');
      return (data as Record<string, unknown>[]).map(({ text }) => text);
    };
    const confirmations = async (): Promise<number> =>
      (await texts()).filter((text) => String(text).startsWith('You will get no more offers')).length;
    await eventually(async () => (await confirmations()) === 1, 'the opt-out is confirmed');
    const known = stage.smsc.acknowledged.length;
    stage.smsc.deliver({ source: NUMBER.slice(1), destination: 'HATIF', body: Buffer.from('STOP') });
    await stage.smsc.until(() => stage.smsc.acknowledged.length > known);
    expect(await confirmations()).to.equal(1);
  });

  it('wait for their hours, unless they are scheduled', async () => {
    const { live } = writer;
    const to = '+966501234588';
    expect(await stage.refused(live, 'POST', '/messages', sms({ to, class: 'awareness' }))).to.equal(
      '409 QUIET_HOURS_ACTIVE',
    );
    const scheduled_at = new Date(Date.now() + 4 * HOUR_MS).toISOString();
    const later = await stage.request(live, 'POST', '/messages', sms({ to, class: 'awareness', scheduled_at }));
    expect(later.status, later.text).to.equal(202);
    expect((await stage.request(live, 'POST', '/messages', sms({ to, class: 'service' }))).status).to.equal(202);
  });

  it('that were scheduled are checked again when they are due', async () => {
    const { live } = writer;
    const { db } = stage.database;
    const scheduled_at = new Date(Date.now() + 4 * HOUR_MS).toISOString();
    const [out, early] = [
      await stage.sms(live, { to: '+966501234599', class: 'personal', scheduled_at }),
      await stage.sms(live, { to: '+966501234600', class: 'awareness', scheduled_at }),
    ];
    const { id } = await stage.good(live, 'POST', '/contacts', { phone: '+966501234599' });
    const wish = { status: 'opted_out', classes: ['personal'] };
    await stage.good(live, 'POST', `/contacts/${String(id)}/consents`, wish);
    const submitted = stage.smsc.submitted.length;
    await db.query(`UPDATE messages SET due_at = now() WHERE id = ANY ($1::uuid[])`, [[out, early]]);
    const failed = await stage.reaches(live, out, 'failed');
    expect(failed.error).to.deep.equal({ reason: 'opted_out', provider_code: null });
    await eventually(async () => {
      const [row] = await db.query<{ due_at: Date | null }>(`SELECT due_at FROM messages WHERE id = $1`, [early]);
      return row?.due_at !== null && (row?.due_at.getTime() ?? 0) > Date.now() + HOUR_MS;
    }, 'it waits until its hours begin');
    expect(await stage.good(live, 'GET', `/messages/${early}`)).to.include({ status: 'queued' });
    expect(stage.smsc.submitted).to.have.length(submitted);
  });
});
