import { expect } from 'chai';
import { eventually } from '../../support/eventually.js';
import { ChatappStage } from '../../support/stages/messaging/chatapp-stage.js';

let last = 100;
/** A person who has not written yet. */
const somebody = (): string => `+96650123${String(4000 + last++)}`;

describe('messages over the chat application', function () {
  this.timeout(60_000);
  let stage: ChatappStage;

  before(async () => {
    stage = await ChatappStage.start();
  });
  after(() => stage.close());

  const status = (...args: Parameters<typeof stage.provider.status>) => {
    const { provider } = stage;
    return stage.notify(provider.notice({ statuses: [provider.status(...args)] }));
  };
  /** A person who has just written. */
  async function writer(): Promise<string> {
    const person = somebody();
    await stage.writes(person);
    return person;
  }
  const inbound = async (person: string, key = stage.writer.live): Promise<Record<string, unknown>[]> => {
    const { data } = await stage.messages.good(key, 'GET', '/messages?direction=inbound&channel=chatapp&limit=100');
    return (data as Record<string, unknown>[]).filter(({ from }) => from === person);
  };

  const outbound = async (person: string): Promise<Record<string, unknown>[]> => {
    const query = `?direction=outbound&channel=chatapp&to=${encodeURIComponent(person)}`;
    return (await stage.messages.good(stage.writer.live, 'GET', `/messages${query}`)).data as Record<string, unknown>[];
  };

  it('are sent, delivered and read, each reported once, whatever the order of the notices', async () => {
    const to = await writer();
    const id = await stage.send(to, { text: 'مرحبًا، طلبك في الطريق' });
    const taken = await stage.provider.messageTo(to);
    expect(taken.body).to.deep.include({ type: 'text', text: { body: 'مرحبًا، طلبك في الطريق', preview_url: true } });
    await stage.reaches(id, 'sent');
    for (const one of ['read', 'delivered', 'sent', 'read']) expect((await status(taken, one)).status).to.equal(204);
    const read = await stage.reaches(id, 'read');
    expect(read).to.include({ from: stage.provider.number, segments: 1 });
    expect(await stage.messages.events(id)).to.deep.equal(['queued', 'sent', 'read']);

    const second = await stage.send(to, { text: 'وصل الطلب' });
    await stage.reaches(second, 'sent');
    const other = await stage.provider.messageTo(to);
    for (const one of ['sent', 'delivered', 'read']) await status(other, one);
    await stage.reaches(second, 'read');
    expect(await stage.messages.events(second)).to.deep.equal(['queued', 'sent', 'delivered', 'read']);
  });

  it('have files, buttons, lists and reactions', async () => {
    const to = await writer();
    const url = 'https://files.example.com/invoice.pdf';
    const media = [{ kind: 'document', url, caption: 'Your invoice', file_name: 'invoice.pdf' }];
    const id = await stage.send(to, { media });
    const sent = await stage.reaches(id, 'sent');
    expect(sent.content).to.deep.include({
      media: { ...media[0], media_id: null, media_type: null },
      interactive: null,
    });
    expect((await stage.provider.messageTo(to)).body.document).to.deep.equal({
      ...{ link: url, caption: 'Your invoice', filename: 'invoice.pdf' },
    });

    const buttons = [{ id: 'yes', title: 'Yes' }, { id: 'no', title: 'No' }]; // prettier-ignore
    await stage.reaches(await stage.send(to, { text: 'Shall we come?', interactive: { buttons } }), 'sent');
    expect((await stage.provider.messageTo(to)).body.interactive).to.deep.equal({
      type: 'button',
      body: { text: 'Shall we come?' },
      action: { buttons: buttons.map((reply) => ({ type: 'reply', reply })) },
    });
    const list = { button: 'Times', sections: [{ rows: [{ id: '9', title: '09:00', description: 'Morning' }] }] };
    await stage.reaches(await stage.send(to, { text: 'When?', interactive: { header: 'Visit', list } }), 'sent');
    expect((await stage.provider.messageTo(to)).body.interactive).to.deep.include({
      type: 'list',
      header: { type: 'text', text: 'Visit' },
      action: list,
    });

    const [first] = await inbound(to);
    const reaction = { message_id: first?.message_id, emoji: '👍' };
    await stage.reaches(await stage.send(to, { reaction }), 'sent');
    const { body } = await stage.provider.messageTo(to);
    expect(body.reaction).to.have.property('emoji', '👍');
    expect((body.reaction as { message_id: string }).message_id).to.match(/^wamid\.in-/);
    const foreign = { message_id: id, emoji: '👍' };
    expect(await stage.refused(await writer(), { reaction: foreign })).to.equal(
      '400 VALIDATION_ERROR reaction.message_id',
    );
  });

  it('are templates only, unless the person has written within 24 hours', async () => {
    const to = somebody();
    expect(await stage.refused(to, { text: 'Hello' })).to.equal('422 CHANNEL_VERB_UNSUPPORTED');
    const explained = await stage.messages.good(
      stage.writer.live,
      'GET',
      `/messages/explain?channel=chatapp&to=${encodeURIComponent(to)}`,
    );
    expect(explained.checks).to.deep.include({
      ...{ rule: 'conversation_window', source: 'platform', passed: false },
      ...{ error_code: 'CHANNEL_VERB_UNSUPPORTED', until: null },
    });
    await stage.writes(to);
    await stage.reaches(await stage.send(to, { text: 'Hello' }), 'sent');
    await stage.database.db.query(
      `UPDATE messages SET created_at = created_at - interval '24 hours' WHERE sender = $1 AND direction = 'inbound'`,
      [to],
    );
    expect(await stage.refused(to, { text: 'Hello' })).to.equal('422 CHANNEL_VERB_UNSUPPORTED');
  });

  it('fail with the reason of the provider, at the submission or by a status', async () => {
    const to = await writer();
    for (const [code, reason] of [
      [131_047, 'window_closed'],
      [131_026, 'unreachable'],
      [131_050, 'opted_out'],
      [190, 'provider_account'],
      [132_015, 'content_refused'],
      [131_000, 'provider_fault'],
    ] as const) {
      stage.provider.faults.push({ status: 400, code });
      const failed = await stage.reaches(await stage.send(to, { text: 'Hello' }), 'failed');
      expect(failed.error).to.deep.equal({ reason, provider_code: String(code) });
    }
    const id = await stage.send(to, { text: 'Late' });
    await stage.reaches(id, 'sent');
    await status(await stage.provider.messageTo(to), 'failed', 131_049);
    expect((await stage.reaches(id, 'failed')).error).to.deep.equal({ reason: 'blocked', provider_code: '131049' });
    expect(await stage.messages.events(id)).to.deep.equal(['queued', 'sent', 'failed']);
  });

  it('wait while the provider asks to slow down', async () => {
    const to = await writer();
    stage.provider.faults.push(
      { status: 400, code: 130_429 },
      { status: 429, code: 4 },
      { status: 503, code: 131_016 },
    );
    const before = stage.provider.taken.length;
    const id = await stage.send(to, { text: 'Patience' });
    await stage.reaches(id, 'sent');
    expect(stage.provider.faults).to.deep.equal([]);
    expect(stage.provider.taken.length).to.equal(before + 1);
    expect(await stage.messages.events(id)).to.deep.equal(['queued', 'sent']);
  });

  it('are never submitted twice, and a status makes up for a lost response', async () => {
    for (const fault of ['lost', 'garbled'] as const) {
      const to = await writer();
      stage.provider.faults.push(fault);
      const id = await stage.send(to, { text: 'Once' });
      const taken = await stage.provider.messageTo(to);
      await eventually(async () => {
        const rows = await stage.database.db.query('SELECT FROM message_parts WHERE message_id = $1', [id]);
        return rows.length === 1;
      }, 'the lost response is stored');
      expect(await stage.messages.events(id)).to.deep.equal(['queued']);
      await status(taken, 'delivered');
      await stage.reaches(id, 'delivered');
      expect(await stage.messages.events(id)).to.deep.equal(['queued', 'sent', 'delivered']);
      expect(stage.provider.taken.filter(({ body }) => body.to === to.slice(1))).to.have.length(1);
    }
  });

  it('come in once, with files, choices, reactions and places', async () => {
    const from = somebody();
    const { provider } = stage;
    const once = provider.notice(provider.incoming(from, { type: 'text', text: { body: 'Is it open?' } }));
    for (let round = 0; round < 3; round++) expect((await stage.notify(once)).status).to.equal(204);
    await Promise.all([stage.notify(once), stage.notify(once)]);
    const [question, ...others] = await inbound(from);
    expect(others).to.deep.equal([]);
    expect(question).to.deep.include({ to: provider.number, text: 'Is it open?', content: null, status: 'received' });
    expect(await stage.messages.events(String(question?.message_id))).to.deep.equal(['received']);

    const answer = await stage.send(from, { text: 'Yes' });
    await stage.reaches(answer, 'sent');
    const { id } = await provider.messageTo(from);
    for (const content of [
      { type: 'reaction', reaction: { message_id: id, emoji: '❤️' } },
      { type: 'interactive', interactive: { type: 'button_reply', button_reply: { id: 'yes', title: 'Yes' } } },
      { type: 'button', button: { text: 'Stop promotions', payload: 'stop' } },
      { type: 'image', image: { id: '2754', mime_type: 'image/jpeg', sha256: 'x', caption: 'My door' } },
      { type: 'location', location: { latitude: 24.7, longitude: 46.7, name: 'Home' } },
      { type: 'unsupported', errors: [{ code: 131_051 }] },
    ]) {
      await stage.notify(provider.notice(provider.incoming(from, content)));
    }
    const came = (await inbound(from)).reverse().slice(1);
    expect(came.map(({ text }) => text)).to.deep.equal([
      '❤️',
      'Yes',
      'Stop promotions',
      'My door',
      'Home\n24.7, 46.7',
      '',
    ]);
    expect(came[0]?.content).to.deep.include({ reaction: { message_id: answer, emoji: '❤️' } });
    expect(came[1]?.content).to.deep.include({ reply: { id: 'yes', title: 'Yes' } });
    expect(came[3]?.content).to.deep.include({
      media: {
        ...{ kind: 'image', url: null, media_id: '2754', caption: 'My door' },
        file_name: null,
        media_type: 'image/jpeg',
      },
    });
  });

  it('are reported as read to the person who wrote them', async () => {
    const from = await writer();
    const [message] = await inbound(from);
    const path = `/messages/${String(message?.message_id)}/read`;
    const read = await stage.messages.good(stage.writer.live, 'POST', path, {});
    expect(read.read_at).to.be.a('string');
    expect(stage.provider.read).to.have.length(1);
    expect((await stage.messages.good(stage.writer.live, 'POST', path, {})).read_at).to.equal(read.read_at);
    expect(stage.provider.read).to.have.length(1);
    const own = await stage.send(from, { text: 'Hello' });
    expect(await stage.messages.refused(stage.writer.live, 'POST', `/messages/${own}/read`, {})).to.equal(
      '404 NOT_FOUND',
    );
    const stranger = await stage.messages.writer([], { chatapp: true });
    expect(await stage.messages.refused(stranger.live, 'POST', path, {})).to.equal('404 NOT_FOUND');
  });

  it('end with STOP, in any language', async () => {
    const from = await writer();
    // The provider repeats a notice that it thinks was lost, and the person repeats the wish.
    const notice = stage.provider.notice(stage.provider.incoming(from, { type: 'text', text: { body: 'إيقاف' } }));
    for (let round = 0; round < 2; round++) await stage.notify(notice);
    await stage.writes(from, 'stop');
    expect(await stage.refused(from, { text: 'Offer', class: 'promotional' })).to.equal('403 RECIPIENT_OPTED_OUT');
    const { body } = await stage.provider.messageTo(from);
    expect((body.text as { body: string }).body).to.match(/^لن تصلك عروضنا وأخبارنا هنا بعد الآن/);
    const answers = await outbound(from);
    expect(answers.map(({ class: of, from: sender }) => [of, sender])).to.deep.equal([
      ['service', stage.provider.number],
    ]);
    await stage.reaches(await stage.send(from, { text: 'Your code' }), 'sent');
    await stage.writes(from, 'اشتراك');
    await stage.reaches(await stage.send(from, { text: 'Offer', class: 'promotional' }), 'sent');
  });

  it('leave nothing in the sandbox', async () => {
    const before = stage.provider.requests;
    const { sandbox } = stage.writer;
    const body = { channel: 'chatapp', to: '+966500000001', text: 'Hello' };
    const { message_id } = await stage.messages.good(sandbox, 'POST', '/messages', body);
    await stage.messages.reaches(sandbox, String(message_id), 'delivered');
    expect(stage.provider.requests).to.equal(before);
  });

  it('are refused with what is wrong in them', async () => {
    const to = await writer();
    const url = 'https://files.example.com/a.png';
    for (const [json, path] of [
      [{ text: 'a', media: [{ kind: 'image', url }] }, ''],
      [{ media: [{ kind: 'image', url: 'http://files.example.com/a.png' }] }, ' media[0].url'],
      [{ media: [{ kind: 'image' }] }, ' media[0]'],
      [{ text: 'a', interactive: {} }, ' interactive'],
      [{ interactive: { buttons: [{ id: 'a', title: 'A' }] } }, ''],
      [{ text: 'a', from: '+966500000099' }, ' from'],
    ] as const) {
      expect(await stage.refused(to, json)).to.match(
        new RegExp(`^400 VALIDATION_ERROR${path.replace(/[[\].]/g, '\\$&')}`),
      );
    }
    const sms = { channel: 'sms', to, media: [{ kind: 'image', url }] };
    expect(await stage.messages.refused(stage.writer.live, 'POST', '/messages', sms)).to.equal(
      '422 CHANNEL_VERB_UNSUPPORTED',
    );
  });
});
