import { expect } from 'chai';
import { eventually } from '../../support/eventually.js';
import { rungAgentOf } from '../../support/stages/messaging/softphones.js';
import { MessageStage, type Writer } from '../../support/stages/messaging/message-stage.js';
import { testDatabase } from '../../support/platform/database.js';

const until = (isSo: () => boolean | Promise<boolean>): Promise<true> => eventually(isSo, 'a change of the message');
const ARABIC = 'مرحبًا، طلبك رقم 4711 في الطريق إليك. 🚚';

describe('messages to softphones', () => {
  let stage: MessageStage;
  let writer: Writer;
  let reem: Awaited<ReturnType<typeof rungAgentOf>>;

  before(async () => {
    stage = await MessageStage.start(await testDatabase());
  });
  after(() => stage.close());
  beforeEach(async () => {
    writer = await stage.writer();
    reem = await rungAgentOf(stage.stores, writer);
    stage.softphones.sent.length = 0;
    stage.softphones.outcome = () => ({ result: 'delivered' });
    stage.smsc.submitted.length = 0;
  });

  const priced = async (): Promise<number> => {
    const { db } = stage.stores;
    const rows = await db.query<{ amount: number }>(
      `SELECT coalesce(sum(amount), 0)::int AS amount FROM usage_events WHERE project_id = $1`,
      [writer.projectId],
    );
    return rows[0]?.amount ?? -1;
  };

  it('reach the agent by number or extension, are free, and no carrier has them', async () => {
    for (const to of [reem.number, reem.agent]) {
      const id = await stage.sms(writer.live, { to, text: ARABIC });
      const message = await stage.reaches(writer.live, id, 'delivered');
      expect(message).to.deep.include({ channel: 'sms', to, from: 'HATIF', segments: 1, error: null, text: ARABIC });
      expect(await stage.events(id)).to.deep.equal(['queued', 'sent', 'delivered']);
    }
    expect(stage.softphones.sent).to.deep.equal([
      { aor: reem.aor, from: 'HATIF', body: ARABIC },
      { aor: reem.aor, from: 'HATIF', body: ARABIC },
    ]);
    expect(stage.smsc.submitted).to.deep.equal([]);
    expect(await priced()).to.equal(0);
    const { checks } = await stage.good(writer.live, 'GET', `/messages/explain?channel=sms&to=${reem.agent}`);
    expect((checks as { passed: boolean }[]).every(({ passed }) => passed)).to.equal(true);
  });

  it('are sent if the engine does not report the answer of the phone', async () => {
    stage.softphones.outcome = () => ({ result: 'passed_on' });
    const id = await stage.sms(writer.live, { to: reem.agent });
    await stage.reaches(writer.live, id, 'sent');
    expect(await stage.events(id)).to.deep.equal(['queued', 'sent']);
  });

  it('fail for the reason of the phone', async () => {
    stage.softphones.outcome = () => ({ result: 'refused', status: 603 });
    const refused = await stage.sms(writer.live, { to: reem.agent });
    expect((await stage.reaches(writer.live, refused, 'failed')).error).to.deep.equal({
      ...{ reason: 'blocked', provider_code: '603' },
    });
    stage.softphones.outcome = () => ({ result: 'refused', status: null });
    const unanswered = await stage.sms(writer.live, { to: reem.agent });
    expect((await stage.reaches(writer.live, unanswered, 'failed')).error).to.deep.equal({
      ...{ reason: 'unreachable', provider_code: null },
    });
  });

  it('wait until a phone is registered', async () => {
    let tries = 0;
    stage.softphones.outcome = () => {
      tries++;
      return { result: tries === 1 ? 'not_registered' : 'delivered' };
    };
    const id = await stage.sms(writer.live, { to: reem.agent });
    await until(() => tries === 1);
    // It is due again in ten seconds.
    await until(async () => (await dueIn(id)) > 5_000);
    await stage.stores.db.query(`UPDATE messages SET due_at = now() WHERE id = $1`, [id]);
    await stage.reaches(writer.live, id, 'delivered');
    expect(tries).to.equal(2);
  });

  const dueIn = async (id: string): Promise<number> => {
    const [row] = await stage.stores.db.query<{ due_at: Date | null }>(`SELECT due_at FROM messages WHERE id = $1`, [
      id,
    ]);
    return (row?.due_at?.getTime() ?? 0) - Date.now();
  };

  it('expire without a phone', async () => {
    stage.softphones.outcome = () => ({ result: 'not_registered' });
    const valid_until = new Date(Date.now() + 1_000).toISOString();
    const id = await stage.sms(writer.live, { to: reem.agent, valid_until });
    await until(async () => (await dueIn(id)) > 5_000);
    await stage.stores.db.query(`UPDATE messages SET due_at = valid_until WHERE id = $1`, [id]);
    expect((await stage.reaches(writer.live, id, 'failed')).error).to.deep.include({ reason: 'expired' });
    expect(stage.softphones.sent).to.deep.equal([]);
  });

  it('are not sent again if the answer was lost', async () => {
    stage.softphones.outcome = () => ({ result: 'unknown' });
    const id = await stage.sms(writer.live, { to: reem.agent });
    await until(async () => {
      const rows = await stage.stores.db.query(
        `SELECT FROM message_parts WHERE message_id = $1 AND state = 'unknown'`,
        [id],
      );
      return rows.length === 1;
    });
    expect(await stage.good(writer.live, 'GET', `/messages/${id}`)).to.include({ status: 'queued' });
    expect(await dueIn(id)).to.be.below(0);
    expect(stage.softphones.sent).to.have.length(1);
  });

  it('have parts, which are delivered together', async () => {
    const text = `${'كلمة '.repeat(120)}.`;
    const id = await stage.sms(writer.live, { to: reem.agent, text });
    await stage.reaches(writer.live, id, 'delivered');
    const bodies = stage.softphones.sent.map(({ body }) => body);
    expect(bodies).to.have.length(2);
    expect(bodies.join('')).to.equal(text);
  });

  it('need no carrier', async () => {
    const other = await MessageStage.start(await testDatabase(), { SMPP_URLS: [] });
    try {
      const alone = await other.writer([]);
      const agent = await rungAgentOf(other.stores, alone);
      await other.good(alone.live, 'POST', '/messages/senders', { sender: agent.number });
      const name = await other.refused(alone.live, 'POST', '/messages/senders', { sender: 'HATIF' });
      expect(name).to.equal('422 CHANNEL_NOT_CONFIGURED');
      other.softphones.outcome = () => ({ result: 'delivered' });
      await other.reaches(alone.live, await other.sms(alone.live, { to: agent.number }), 'delivered');
      const outside = { channel: 'sms', to: '+966501234517', text: 'Hello' };
      expect(await other.refused(alone.live, 'POST', '/messages', outside)).to.equal('422 CHANNEL_NOT_CONFIGURED');
    } finally {
      await other.close();
    }
  });

  it('reach the softphones of their own project only', async () => {
    const stranger = await stage.writer();
    const body = { channel: 'sms', to: reem.agent, text: 'Hello' };
    const refused = await stage.refused(stranger.live, 'POST', '/messages', body);
    expect(refused).to.match(/^400 INVALID_PHONE_NUMBER/);
    // The number of another project is one like any other: a carrier has it.
    await stage.reaches(stranger.live, await stage.sms(stranger.live, { to: reem.number }), 'sent');
    expect(stage.smsc.submitted).to.have.length(1);
    expect(stage.softphones.sent).to.deep.equal([]);
  });

  it('do not reach another softphone that has got the name since', async () => {
    stage.softphones.outcome = () => ({ result: 'not_registered' });
    const id = await stage.sms(writer.live, { to: reem.agent });
    await until(async () => (await dueIn(id)) > 5_000);
    const stranger = await stage.writer();
    stage.softphones.outcome = () => ({ result: 'delivered' });
    const { db, directory } = stage.stores;
    await db.query(`UPDATE agents SET project_id = $2, organization_id = $3 WHERE aor = $1`, [
      ...[reem.aor, stranger.projectId, stranger.organizationId],
    ]);
    directory.invalidate();
    await db.query(`UPDATE messages SET due_at = now() WHERE id = $1`, [id]);
    expect((await stage.reaches(writer.live, id, 'failed')).error).to.deep.include({ reason: 'invalid_recipient' });
    expect(stage.softphones.sent).to.deep.equal([]);
  });

  it('do not take the messages of a number that the customer brought along', async () => {
    const brought = await rungAgentOf(stage.stores, writer, 'own');
    await stage.reaches(writer.live, await stage.sms(writer.live, { to: brought.number }), 'sent');
    expect(stage.smsc.submitted).to.have.length(1);
    expect(stage.softphones.sent).to.deep.equal([]);
  });

  it('are refused in the sandbox, on other channels and with further channels', async () => {
    const body = { channel: 'sms', to: reem.agent, text: 'Hello' };
    const refused = (key: string, change: object = {}): Promise<string> =>
      stage.refused(key, 'POST', '/messages', { ...body, ...change });
    expect(await refused(writer.sandbox)).to.equal('403 SANDBOX_DESTINATION_NOT_ALLOWED');
    expect(await refused(writer.live, { to: 'nobody' })).to.match(/^400 INVALID_PHONE_NUMBER/);
    expect(await refused(writer.live, { channel: 'chatapp' })).to.match(/^400 INVALID_PHONE_NUMBER/);
    expect(await refused(writer.live, { channel: 'email', subject: 'x' })).to.match(/^400 INVALID_PHONE_NUMBER/);
    expect(await refused(writer.live, { fallback: ['voice'] })).to.equal('400 VALIDATION_ERROR fallback');
    expect(await refused(writer.live, { from: 'OTHER' })).to.equal('400 VALIDATION_ERROR from');
    expect(stage.softphones.sent).to.deep.equal([]);
  });
});
