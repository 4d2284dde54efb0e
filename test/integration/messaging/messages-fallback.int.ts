import { expect } from 'chai';
import type { MessageRow } from '../../../core/data/rows.js';
import { HatifError } from '../../../core/model/errors/index.js';
import type { PeriodicTask } from '../../../core/services/runtime/periodic-task.js';
import { eventually } from '../../support/eventually.js';
import { ChatappStage } from '../../support/stages/messaging/chatapp-stage.js';

const BAD_NUMBER = 0x0b;
let last = 100;

describe('messages that do not arrive', function () {
  this.timeout(60_000);
  let stage: ChatappStage;
  let task: PeriodicTask;
  let isVoiceAway = false;
  const called: MessageRow[] = [];

  before(async () => {
    stage = await ChatappStage.start();
    const { messages, writer } = stage;
    const { id } = await messages.good(writer.live, 'POST', '/messages/senders', { sender: 'HATIF' });
    await messages.review.approve(String(id));
    task = messages.messaging.fallBack((message) => {
      if (isVoiceAway) return Promise.reject(new HatifError('CALL_FAILED', { reason: 'x' }));
      called.push(message);
      return Promise.resolve();
    });
  });
  beforeEach(() => {
    stage.messages.smsc.respond = (_, count) => ({ status: 0, id: `fb-${count}` });
    isVoiceAway = false;
    called.length = 0;
  });
  after(() => stage.close());

  /** A person who has just written; the chat application does not deliver the next message. */
  async function unreached(): Promise<string> {
    const person = `+96650124${String(4000 + last++)}`;
    await stage.writes(person);
    stage.provider.faults.push({ status: 400, code: 131_026 });
    return person;
  }
  const read = (id: string) => stage.messages.good(stage.writer.live, 'GET', `/messages/${id}`);
  const fallbackOf = async (id: string) => (await read(id)).fallback as Record<string, unknown>;

  it('go over the next channel, which then has the rest of the chain', async () => {
    const to = await unreached();
    const id = await stage.send(to, {
      text: 'Your order is here',
      fallback: ['sms', 'voice'],
      metadata: { order: '7' },
    });
    expect(await fallbackOf(id)).to.deep.include({ channels: ['sms', 'voice'], message_id: null, of: null });
    await stage.reaches(id, 'failed');
    await Promise.all([task.run(), task.run()]);
    const { message_id: next } = await fallbackOf(id);
    const sms = await stage.reaches(String(next), 'sent');
    expect(sms).to.deep.include({
      channel: 'sms',
      to,
      from: 'HATIF',
      text: 'Your order is here',
      metadata: { order: '7' },
    });
    expect(sms.fallback).to.deep.include({ channels: ['voice'], of: id });
    expect(await stage.messages.events(id)).to.deep.equal(['queued', 'failed']);
    await task.run();
    expect(called).to.deep.equal([]);
  });

  it('are spoken at last, once', async () => {
    const to = await unreached();
    stage.messages.smsc.respond = () => ({ status: BAD_NUMBER, id: '' });
    const id = await stage.send(to, { text: 'وصل طلبك', fallback: ['sms', 'voice'] });
    await stage.reaches(id, 'failed');
    await task.run();
    const next = String((await fallbackOf(id)).message_id);
    await stage.reaches(next, 'failed');
    await Promise.all([task.run(), task.run()]);
    await task.run();
    expect(called.map(({ recipient, body }) => [recipient, body])).to.deep.equal([[to, 'وصل طلبك']]);
    expect(await fallbackOf(next)).to.deep.include({ called: true, channels: [], error_code: null });
  });

  it('pass over a channel that refuses, and say so', async () => {
    const to = await unreached();
    isVoiceAway = true;
    const id = await stage.send(to, { text: 'Hello', fallback: ['voice'] });
    await stage.reaches(id, 'failed');
    await task.run();
    expect(await fallbackOf(id)).to.deep.include({ called: false, channels: [], error_code: 'CALL_FAILED' });
    const other = await stage.messages.writer([], { chatapp: true });
    expect(other.live).to.be.a('string');
  });

  it('may also be those that nobody reports as delivered in time', async () => {
    const to = await unreached();
    stage.provider.faults.length = 0;
    const json = { text: 'Hello', fallback: ['sms'], fallback_after_seconds: 60 };
    const [late, early] = [await stage.send(to, json), await stage.send(to, json)];
    for (const id of [late, early]) await stage.reaches(id, 'sent');
    const [, taken] = stage.provider.taken.filter(({ body }) => body.to === to.slice(1));
    const { provider } = stage;
    await stage.notify(provider.notice({ statuses: [provider.status(taken!, 'delivered')] }));
    await eventually(
      async () => (await Promise.all([late, early].map(read))).some(({ status }) => status === 'delivered'),
      'one of them is delivered',
    );
    await task.run();
    expect((await fallbackOf(late)).message_id).to.equal(null);
    await stage.database.db.query(`UPDATE messages SET fallback_at = now() WHERE fallback_at IS NOT NULL`);
    await task.run();
    const taking = await Promise.all([late, early].map(async (id) => (await fallbackOf(id)).message_id));
    expect(taking.filter((id) => id !== null)).to.have.length(1);
  });

  it('go out once on each channel, even if a process dies before it notes that', async () => {
    const to = await unreached();
    const id = await stage.send(to, { text: 'Once', fallback: ['sms'] });
    await stage.reaches(id, 'failed');
    await task.run();
    const before = await fallbackOf(id);
    await stage.database.db.query(
      `UPDATE messages SET fallback_at = now(), fallback = '{"channels":["sms"],"after_seconds":null,"message_id":null,"is_called":false,"error_code":null}' WHERE id = $1`,
      [id],
    );
    await task.run();
    expect((await fallbackOf(id)).message_id).to.equal(before.message_id);
    await eventually(
      () => stage.messages.smsc.submitted.some(({ destination }) => to.endsWith(destination)),
      'the SMS is submitted',
    );
    expect(stage.messages.smsc.submitted.filter(({ destination }) => to.endsWith(destination))).to.have.length(1);
  });

  it('are refused with a chain that makes no sense', async () => {
    for (const json of [
      { text: 'x', fallback: ['chatapp'] },
      { text: 'x', fallback: ['sms', 'sms'] },
      { text: 'x', fallback: ['voice', 'sms'] },
      { media: [{ kind: 'image', url: 'https://example.com/a.png' }], fallback: ['sms'] },
      { text: 'x', fallback: ['email'] },
    ]) {
      expect(await stage.refused('+966501234517', json)).to.match(/^400 VALIDATION_ERROR fallback/);
    }
    const alone = { text: 'x', fallback_after_seconds: 60 };
    expect(await stage.refused('+966501234517', alone)).to.equal('400 VALIDATION_ERROR fallback_after_seconds');
  });
});
