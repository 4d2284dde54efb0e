import { expect } from 'chai';
import { stageOnce } from '../../support/each.js';
import { BroadcastDesk } from '../../support/stages/messaging/broadcasts.js';
import { MessageStage, type Writer } from '../../support/stages/messaging/message-stage.js';

const LIMIT = 5;
const SMS = { channel: 'sms', to: '+966501234517', text: 'Hello' };

describe('a limit of messages in an hour', function () {
  this.timeout(60_000);
  let stage: MessageStage;
  let writer: Writer;
  stageOnce(
    (database) => MessageStage.start(database, { MESSAGES_PER_HOUR: LIMIT }),
    (made) => (stage = made),
  );
  beforeEach(async () => {
    writer = await stage.writer();
    stage.smsc.submitted.length = 0;
    stage.smsc.respond = (_, count) => ({ status: 0, id: `${writer.projectId}-${count}` });
  });

  /** Lets the time pass for what was counted so far. */
  const anHourLater = () =>
    stage.database.db.query(
      `UPDATE message_minutes SET minute = minute - interval '62 minutes' WHERE project_id = $1`,
      [writer.projectId],
    );

  it('holds for requests at the same moment, and ends by itself', async () => {
    const { live, sandbox } = writer;
    const answers = await Promise.all(
      Array.from({ length: LIMIT + 4 }, () => stage.request(live, 'POST', '/messages', SMS)),
    );
    const accepted = answers.filter(({ status }) => status === 202);
    const refused = answers.filter(({ status }) => status === 429);
    expect([accepted.length, refused.length]).to.deep.equal([LIMIT, 4]);
    expect(refused[0]?.body).to.include({ error_code: 'MESSAGE_VELOCITY_EXCEEDED' });
    expect(Number(refused[0]?.headers.get('retry-after'))).to.be.within(3_500, 3_660);
    const { checks } = await stage.good(live, 'GET', '/messages/explain?channel=sms&to=%2B966501234517');
    const check = (checks as { rule: string; until: unknown }[]).find(({ rule }) => rule === 'velocity');
    expect(check).to.include({ passed: false, source: 'platform', error_code: 'MESSAGE_VELOCITY_EXCEEDED' });
    expect(new Date(String(check?.until)).getTime()).to.be.above(Date.now());
    // Others are not concerned, nor is the sandbox.
    const other = await stage.writer();
    expect((await stage.request(other.live, 'POST', '/messages', SMS)).status).to.equal(202);
    for (let n = 0; n <= LIMIT; n++) await stage.sms(sandbox, { to: '+966500000001' });
    await anHourLater();
    expect((await stage.request(live, 'POST', '/messages', SMS)).status).to.equal(202);
  });

  it('lets a broadcast wait, and then continue', async () => {
    const desk = new BroadcastDesk(stage, writer.live);
    const template = await desk.template('news', 'x');
    const lines = Array.from({ length: LIMIT + 2 }, (_, n) => `050123970${n}`);
    const id = await desk.withFile({ template }, ['phone', ...lines]);
    await desk.step(id, 'start');
    await desk.counted(id, ({ sent }) => sent === LIMIT);
    expect(await desk.get(id)).to.include({ status: 'running', problem: null });
    expect(await stage.refused(writer.live, 'POST', '/messages', SMS)).to.equal('429 MESSAGE_VELOCITY_EXCEEDED');
    await anHourLater();
    const done = await desk.reaches(id, 'completed');
    expect(done.counts).to.include({ total: LIMIT + 2, sent: LIMIT + 2, skipped: 0 });
    expect(new Set(stage.smsc.submitted.map(({ destination }) => destination)).size).to.equal(LIMIT + 2);
    expect(stage.smsc.submitted).to.have.length(LIMIT + 2);
  });
});
