import { expect } from 'chai';
import { localTime, RIYADH } from '../../../core/model/calendar/local.js';
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
});
