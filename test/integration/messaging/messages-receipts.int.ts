import { expect } from 'chai';
import type { MessageStage, Writer } from '../../support/stages/messaging/message-stage.js';
import { writerEach } from '../../support/stages/messaging/writer-each.js';

describe('receipts that come with the response', function () {
  this.timeout(60_000);
  let stage: MessageStage;
  let writer: Writer;
  writerEach((...made) => void ([stage, writer] = made));

  it('are one change of the message with the response, and both events', async () => {
    const { live, projectId } = writer;
    respondWith('DELIVRD');
    const id = await stage.sms(live);
    const delivered = await stage.reaches(live, id, 'delivered');
    expect(delivered.sent_at).to.be.a('string');
    expect(await stage.events(id)).to.deep.equal(['queued', 'sent', 'delivered']);
    expect(stage.smsc.acknowledged.at(-1)).to.equal(0);
    expect(await partsOf(id)).to.deep.equal([{ state: 'delivered', provider_id: `${projectId}-1` }]);
    expect(await receiptsOf(`${projectId}-1`)).to.equal(0);
    // The SMSC repeats itself: nothing changes.
    stage.smsc.receipt(`${projectId}-1`, 'DELIVRD', stage.smsc.submitted[0]!);
    stage.smsc.receipt(`${projectId}-1`, 'UNDELIV', stage.smsc.submitted[0]!);
    const count = stage.smsc.acknowledged.length;
    await stage.smsc.until(() => stage.smsc.acknowledged.length >= count + 2);
    await stage.reaches(live, await stage.sms(live), 'delivered');
    expect(await stage.good(live, 'GET', `/messages/${id}`)).to.deep.equal(delivered);
    expect(await stage.events(id)).to.deep.equal(['queued', 'sent', 'delivered']);
  });

  it('of a failure keep the reason of the carrier', async () => {
    const { live } = writer;
    respondWith('UNDELIV', '027');
    const id = await stage.sms(live);
    const failed = await stage.reaches(live, id, 'failed');
    expect(failed.error).to.deep.equal({ reason: 'unreachable', provider_code: '027' });
    expect(await stage.events(id)).to.deep.equal(['queued', 'sent', 'failed']);
  });

  it('count also if the process died before the status of the message followed them', async () => {
    const { live } = writer;
    const { db } = stage.database;
    const later = new Date(Date.now() + 3_600_000).toISOString();
    const [arrived, sent] = [
      await stage.sms(live, { scheduled_at: later }),
      await stage.sms(live, { scheduled_at: later }),
    ];
    await db.query(
      `UPDATE messages SET due_at = NULL, claimed_at = now() - interval '1 hour' WHERE id = ANY ($1::uuid[])`,
      [[arrived, sent]],
    );
    await db.query(
      `INSERT INTO message_parts (message_id, part, state, provider, provider_id)
       VALUES ($1, 1, 'delivered', 'smsc', $1::uuid::text), ($2, 1, 'sent', 'smsc', $2::uuid::text)`,
      [arrived, sent],
    );
    for (const round of [1, 2]) {
      for (const task of stage.messaging.tasks) await task.run();
      await stage.reaches(live, arrived, 'delivered');
      await stage.reaches(live, sent, 'sent');
      expect(await stage.events(arrived), `round ${round}`).to.deep.equal(['queued', 'sent', 'delivered']);
      expect(await stage.events(sent), `round ${round}`).to.deep.equal(['queued', 'sent']);
    }
    expect(stage.smsc.submitted).to.have.length(0);
  });

  /** Lets the SMSC send a receipt before each of its responses. */
  function respondWith(stat: string, err?: string): void {
    stage.smsc.respond = (submitted, count) => {
      const id = `${writer.projectId}-${count}`;
      stage.smsc.receipt(id, stat, submitted, err);
      return { status: 0, id };
    };
  }

  const partsOf = (id: string) =>
    stage.database.db.query(`SELECT state, provider_id FROM message_parts WHERE message_id = $1`, [id]);

  async function receiptsOf(providerId: string): Promise<number> {
    return (await stage.database.db.query(`SELECT FROM message_receipts WHERE provider_id = $1`, [providerId])).length;
  }
});
