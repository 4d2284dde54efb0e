import { expect } from 'chai';
import type { MessageStage, Writer } from '../../support/stages/messaging/message-stage.js';
import { writerEach } from '../../support/stages/messaging/writer-each.js';

const SAR = 1_000_000;

describe('the price of messages', function () {
  this.timeout(60_000);
  let stage: MessageStage;
  let writer: Writer;
  writerEach(async (...made) => {
    [stage, writer] = made;
    const { plans, balances } = stage.billing;
    const { organizationId, projectId } = writer;
    const rates = [
      { channel: 'sms', prefix: '', perSegment: SAR },
      { channel: 'sms', prefix: '9665', perSegment: SAR / 10 },
    ] as const;
    await plans.add(projectId, [], new Date(0), undefined, [], rates);
    await plans.assign(organizationId, projectId);
    await plans.setMode(organizationId, 'prepaid');
    await balances.topUp(organizationId, SAR, projectId, null);
    await balances.allocate(organizationId, projectId, SAR / 2);
  });

  const balance = () => stage.billing.balances.project(writer.organizationId, writer.projectId);
  const held = () => stage.stores.callHolds.sum(writer.projectId);

  it('is held until they are sent, and charged once for each segment', async () => {
    const { live, projectId } = writer;
    const soon = new Date(Date.now() + 3_600_000).toISOString();
    const scheduled = await stage.sms(live, { scheduled_at: soon, text: 'ب'.repeat(71) });
    expect([await held(), await balance()]).to.deep.equal([SAR / 5, SAR / 2]);
    const id = await stage.sms(live);
    await stage.reaches(live, id, 'sent');
    stage.smsc.receipt(`${projectId}-1`, 'DELIVRD', stage.smsc.submitted[0]!);
    await stage.reaches(live, id, 'delivered');
    expect([await held(), await balance()]).to.deep.equal([SAR / 5, (SAR * 4) / 10]);
    await stage.good(live, 'POST', `/messages/${scheduled}/cancel`);
    expect([await held(), await balance()]).to.deep.equal([0, (SAR * 4) / 10]);
    const usage = await stage.database.db.query(
      'SELECT type, quantity, amount FROM usage_events WHERE project_id = $1',
      [projectId],
    );
    expect(usage).to.deep.equal([{ type: 'message.sms', quantity: 1, amount: SAR / 10 }]);
  });

  it('lets more requests at once through than there are connections to the database', async () => {
    const { live, organizationId, projectId } = writer;
    const { balances } = stage.billing;
    await balances.topUp(organizationId, 5 * SAR, `${projectId} more`, null);
    await balances.allocate(organizationId, projectId, 5 * SAR);
    const sms = { channel: 'sms', to: '+966501234517', text: 'Hello' };
    const answers = await Promise.all(Array.from({ length: 30 }, () => stage.request(live, 'POST', '/messages', sms)));
    expect(answers.map(({ status }) => status)).to.deep.equal(answers.map(() => 202));
  });

  it('of a scheduled one is that of its acceptance, also if the prices have changed when it is due', async () => {
    const { live, organizationId, projectId } = writer;
    const soon = new Date(Date.now() + 3_600_000).toISOString();
    const id = await stage.sms(live, { scheduled_at: soon });
    const { plans } = stage.billing;
    await plans.add(
      `${projectId}-dearer`,
      [],
      new Date(0),
      undefined,
      [],
      [{ channel: 'sms', prefix: '', perSegment: SAR / 5 }],
    );
    await plans.assign(organizationId, `${projectId}-dearer`);
    expect(await held()).to.equal(SAR / 10);
    await stage.database.db.query(`UPDATE messages SET due_at = now() WHERE id = $1`, [id]);
    await stage.reaches(live, id, 'sent');
    expect([await held(), await balance()]).to.deep.equal([0, (SAR * 4) / 10]);
    await stage.reaches(live, await stage.sms(live), 'sent');
    expect(await balance()).to.equal((SAR * 2) / 10);
  });

  it('is not charged for those that fail, and must be in the balance', async () => {
    const { live } = writer;
    stage.smsc.respond = () => ({ status: 0x0b, id: '' });
    await stage.reaches(live, await stage.sms(live), 'failed');
    expect([await held(), await balance()]).to.deep.equal([0, SAR / 2]);
    const long = { channel: 'sms', to: '+966501234517', text: 'ب'.repeat(67 * 6) };
    expect(await stage.refused(live, 'POST', '/messages', long)).to.equal('402 INSUFFICIENT_CREDITS');
    const soon = new Date(Date.now() + 3_600_000).toISOString();
    await Promise.all(
      Array.from({ length: 8 }, () =>
        stage.request(live, 'POST', '/messages', { ...long, text: 'x', scheduled_at: soon }),
      ),
    );
    // Requests at the same moment do not spend the same money.
    expect(await held()).to.equal(SAR / 2);
    expect(await stage.refused(live, 'POST', '/messages', { ...long, text: 'x' })).to.equal('402 INSUFFICIENT_CREDITS');
  });
});
