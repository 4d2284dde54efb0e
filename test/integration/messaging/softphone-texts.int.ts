import { expect } from 'chai';
import { SoftphoneTextTable } from '../../../core/data/repositories/messaging/softphone-texts.js';
import { newId } from '../../../core/model/ids.js';
import { textRow } from '../../../core/services/messaging/softphone-texts/take-texts.js';
import { eventually } from '../../support/eventually.js';
import { testDatabase } from '../../support/platform/database.js';
import { MessageStage, type Writer } from '../../support/stages/messaging/message-stage.js';
import { rungAgentOf } from '../../support/stages/messaging/softphones.js';

const CUSTOMER = '+966501234517';

describe('texts of softphones', () => {
  let stage: MessageStage;
  let texts: SoftphoneTextTable;
  let writer: Writer;
  let reem: Awaited<ReturnType<typeof rungAgentOf>>;

  before(async () => {
    stage = await MessageStage.start(await testDatabase());
    texts = new SoftphoneTextTable(stage.stores.db);
  });
  after(() => stage.close());
  beforeEach(async () => {
    writer = await stage.writer();
    reem = await rungAgentOf(stage.stores, writer);
    stage.softphones.sent.length = 0;
    stage.softphones.outcome = () => ({ result: 'delivered' });
    stage.smsc.submitted.length = 0;
  });

  let requests = 0;
  /** As the edge or an engine stores it. @returns its id, which the message has, too */
  const writes = async (target: string, body: string, aor = reem.aor): Promise<string> => {
    const row = textRow({ aor, target, body, callId: `call-${++requests}` }, new Date());
    await texts.add(row);
    return row.id;
  };
  const task = () => stage.messaging.tasks.find(({ name }) => name === 'texts of softphones')!;
  const taken = (): Promise<unknown> => task().run();
  const waiting = async (): Promise<number> => (await stage.stores.db.query(`SELECT FROM softphone_texts`)).length;
  const approve = (number: string) => stage.good(writer.live, 'POST', '/messages/senders', { sender: number });

  it('go to a customer as SMS from the number of the agent', async () => {
    await approve(reem.number);
    const id = await writes('0501234517', 'أنا في الطريق');
    await taken();
    const message = await stage.reaches(writer.live, id, 'sent');
    expect(message).to.deep.include({ to: CUSTOMER, from: reem.number, class: 'personal', text: 'أنا في الطريق' });
    expect(stage.smsc.submitted).to.have.length(1);
    expect(await waiting()).to.equal(0);
    const thread = await stage.good(writer.live, 'GET', `/messages/threads/${String(message.thread_id)}`);
    expect(thread).to.include({ agent: reem.agent, with: CUSTOMER });
    expect(stage.softphones.sent).to.deep.equal([]);
  });

  it('go to a colleague by extension or number, from the number that rings the agent', async () => {
    const sami = await rungAgentOf(stage.stores, writer);
    const ids = [await writes(sami.agent, 'Lunch?'), await writes(sami.number, 'Now?')];
    await taken();
    for (const id of ids) await stage.reaches(writer.live, id, 'delivered');
    expect(stage.softphones.sent).to.have.deep.members([
      { aor: sami.aor, from: reem.number, body: 'Lunch?' },
      { aor: sami.aor, from: reem.number, body: 'Now?' },
    ]);
    // Another colleague may write to the same person.
    const lina = await rungAgentOf(stage.stores, writer);
    const third = await writes(sami.agent, 'Me too', lina.aor);
    await taken();
    await stage.reaches(writer.live, third, 'delivered');
    expect(stage.smsc.submitted).to.deep.equal([]);
  });

  it('do not reach softphones of other projects', async () => {
    await approve(reem.number);
    const stranger = await rungAgentOf(stage.stores, await stage.writer());
    await writes(stranger.agent, 'Hello');
    const byNumber = await writes(stranger.number, 'Hello');
    await taken();
    await stage.reaches(writer.live, byNumber, 'sent');
    expect(stage.smsc.submitted).to.have.length(1);
    await eventually(() => stage.softphones.sent.length === 1, 'the notice');
    expect(stage.softphones.sent.map(({ aor }) => aor)).to.deep.equal([reem.aor]);
  });

  it('tell the phone why they are refused, in the language of the text', async () => {
    await writes(CUSTOMER, 'Hello');
    await writes('nobody', 'مرحبًا');
    await writes('911', 'Help');
    await writes('+12125550123', 'Hello');
    await writes(CUSTOMER, '');
    await taken();
    const notices = stage.softphones.sent;
    await eventually(() => notices.length === 5, 'all notices');
    expect(notices.map(({ aor }) => aor)).to.deep.equal(Array<string>(5).fill(reem.aor));
    expect(notices.map(({ from }) => from)).to.deep.equal([CUSTOMER, 'nobody', '911', '+12125550123', CUSTOMER]);
    expect(notices[0]!.body).to.include(`Your message to ${CUSTOMER} was not sent`).and.include('sender');
    expect(notices[1]!.body).to.match(/^لم تُرسل رسالتك إلى nobody: /);
    expect(notices[3]!.body).to.include('destination class');
    expect(notices[4]!.body).to.include('text');
    expect(stage.smsc.submitted).to.deep.equal([]);
    expect(await waiting()).to.equal(0);
  });

  it('tell a phone that answers every text by itself ten times a minute', async () => {
    for (let count = 0; count < 12; count++) await writes('nobody', 'I am not here');
    await taken();
    await eventually(() => stage.softphones.sent.length === 10, 'the notices');
    expect(await waiting()).to.equal(0);
  });

  it('need the right to call out', async () => {
    await approve(reem.number);
    await stage.stores.db.query(`UPDATE agents SET may_call_out = false WHERE aor = $1`, [reem.aor]);
    stage.stores.directory.invalidate();
    await writes(CUSTOMER, 'Hello');
    await taken();
    await eventually(() => stage.softphones.sent.length === 1, 'the notice');
    expect(stage.softphones.sent[0]!.body).to.include('destination class');
    expect(stage.smsc.submitted).to.deep.equal([]);
  });

  it('are sent once, although a process died after it sent them, and several work on them', async () => {
    await approve(reem.number);
    const row = textRow({ aor: reem.aor, target: CUSTOMER, body: 'Once', callId: 'again' }, new Date());
    await texts.add(row);
    // The same request again.
    await texts.add({ ...row, id: newId() });
    expect(await waiting()).to.equal(1);
    await taken();
    await texts.add(row);
    await Promise.all([taken(), taken()]);
    expect(await waiting()).to.equal(0);
    await stage.reaches(writer.live, row.id, 'sent');
    await eventually(() => stage.smsc.submitted.length > 0, 'the message is submitted');
    expect(stage.smsc.submitted).to.have.length(1);
    expect(stage.softphones.sent).to.deep.equal([]);
  });

  it('are answered by an SMS, which the softphone shows, too', async () => {
    await approve(reem.number);
    await stage.reaches(writer.live, await said(await writes(CUSTOMER, 'Where are you?')), 'sent');
    const answer = { source: CUSTOMER.slice(1), destination: reem.number.slice(1), dataCoding: 8 };
    stage.smsc.deliver({ ...answer, body: Buffer.from('في المكتب', 'utf16le').swap16() });
    await eventually(() => stage.softphones.sent.length === 1, 'the answer is on the softphone');
    expect(stage.softphones.sent).to.deep.equal([{ aor: reem.aor, from: CUSTOMER, body: 'في المكتب' }]);
    const { data } = await stage.good(writer.live, 'GET', '/messages');
    // The copy is no message of the project.
    expect((data as { direction: string }[]).map(({ direction }) => direction)).to.deep.equal(['inbound', 'outbound']);
    await eventually(async () => (await kept()).length === 1, 'the copy is delivered');
    expect(await kept()).to.deep.equal([{ status: 'delivered', body: null }]);
  });

  const said = async (id: string): Promise<string> => {
    await taken();
    return id;
  };
  const kept = () =>
    stage.stores.db.query(
      `SELECT status, body FROM messages WHERE project_id = $1 AND is_system AND status = 'delivered'`,
      [writer.projectId],
    );

  it('of browsers and of agents who are gone are dropped', async () => {
    await writes(CUSTOMER, 'Hello', `web.${'0'.repeat(32)}`);
    await writes(CUSTOMER, 'Hello', 'gone');
    await taken();
    expect(await waiting()).to.equal(0);
    expect(stage.softphones.sent).to.deep.equal([]);
  });
});
