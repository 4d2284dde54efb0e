import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import PostalMime from 'postal-mime';
import { ChatappStage } from '../../support/stages/messaging/chatapp-stage.js';
import { MailStage } from '../../support/stages/messaging/mail-stage.js';
import type { MessageStage } from '../../support/stages/messaging/message-stage.js';

const PNG = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.alloc(200, 7)]);
const PDF = Buffer.from('%PDF-1.7\nan invoice\n%%EOF');

/** Uploads a file. @returns the answer */
function upload(stage: MessageStage, key: string, bytes: Buffer, name = 'file.bin', type = 'application/octet-stream') {
  const form = new FormData();
  form.set('file', new Blob([new Uint8Array(bytes)], { type }), name);
  return stage.api.request('POST', '/v1/messages/media', { key, raw: form });
}

async function uploaded(stage: MessageStage, key: string, bytes: Buffer, name?: string): Promise<string> {
  const answer = await upload(stage, key, bytes, name);
  expect(answer.status, answer.text).to.equal(201);
  return String(answer.body?.media_id);
}

describe('files of e-mails', function () {
  this.timeout(60_000);
  let mailStage: MailStage;
  let stage: MessageStage;
  let live: string;
  let server: Server;
  let url: string;

  before(async () => {
    mailStage = await MailStage.start({ settings: { MAIL_FROM: 'shop@example.com' } });
    stage = mailStage.messages;
    ({ live } = mailStage.writer);
    server = createServer((req, res) => {
      if (req.url === '/away') res.writeHead(302, { location: '/invoice.pdf' }).end();
      else if (req.url?.startsWith('/page') === true) res.end('<!doctype html><script>alert(1)</script>');
      else res.end(PDF);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(async () => {
    server.close();
    await mailStage.close();
  });

  const mail = (media: readonly object[], more: object = {}) => ({
    ...{ channel: 'email', to: 'reem@example.com', subject: 'فاتورة', text: 'مرفقة', media, ...more },
  });

  it('are detected by their content, kept for a time, and deleted', async () => {
    const answer = await upload(stage, live, PNG, '../../صورة.exe', 'text/html');
    expect(answer.body).to.include({ name: 'صورة.png', media_type: 'image/png', bytes: PNG.length, sandbox: false });
    expect(answer.body?.kinds).to.deep.equal(['image', 'document']);
    const id = String(answer.body?.media_id);
    const content = await stage.api.request('GET', `/v1/messages/media/${id}/content`, { key: live });
    expect(content.headers.get('content-type')).to.equal('image/png');
    expect(content.headers.get('content-disposition')).to.match(/^attachment; filename\*=UTF-8''%D8%B5/);
    expect((await stage.good(live, 'GET', '/messages/media')).data).to.deep.include(answer.body);
    await stage.good(live, 'DELETE', `/messages/media/${id}`);
    expect(await stage.refused(live, 'GET', `/messages/media/${id}`)).to.equal('404 NOT_FOUND');
  });

  it('are refused if they are programs, pages, archives, empty or too large', async () => {
    for (const bytes of [
      Buffer.from('MZ\u0090\u0000'),
      Buffer.from('<html><body>'),
      Buffer.from('PK\u0003\u0004 an archive'),
      Buffer.from('<svg xmlns="http://www.w3.org/2000/svg">'),
      Buffer.alloc(0),
    ]) {
      const answer = await upload(stage, live, bytes, 'picture.png', 'image/png');
      expect(answer.body, answer.text).to.include({ error_code: 'VALIDATION_ERROR' });
    }
    const large = await upload(stage, live, Buffer.concat([PNG, Buffer.alloc(17 * 1024 * 1024)]));
    expect(large.body?.error_code).to.equal('PAYLOAD_TOO_LARGE');
  });

  it('arrive as attachments, from an upload and from an address', async () => {
    const media_id = await uploaded(stage, live, PNG, 'logo.png');
    const media = [
      { kind: 'image', media_id },
      { kind: 'document', url: `${url}/invoices/invoice%20.pdf`, file_name: 'فاتورة.pdf' },
    ];
    const made = await stage.good(live, 'POST', '/messages', mail(media));
    const { attachments } = made.content as { attachments: Record<string, unknown>[] };
    expect(attachments.map(({ file_name, media_type, url: from }) => [file_name, media_type, from])).to.deep.equal([
      ['logo.png', 'image/png', null],
      ['فاتورة.pdf', 'application/pdf', null],
    ]);
    await stage.reaches(live, String(made.message_id), 'sent');
    const { source } = await mailStage.mails.mailTo('reem@example.com');
    const parsed = await PostalMime.parse(source);
    expect(parsed.text?.trim()).to.equal('مرفقة');
    expect(parsed.attachments.map(({ filename, mimeType }) => [filename, mimeType])).to.deep.equal([
      ['logo.png', 'image/png'],
      ['فاتورة.pdf', 'application/pdf'],
    ]);
    expect(Buffer.from(parsed.attachments[0]!.content as ArrayBuffer)).to.deep.equal(PNG);
  });

  it('are not fetched from where the platform must not look, nor what they must not be', async () => {
    for (const bad of [
      'https://10.0.0.1/a.pdf',
      'https://169.254.169.254/latest/meta-data',
      `${url}/away`,
      `${url}/page`,
    ]) {
      const refusal = await stage.refused(live, 'POST', '/messages', mail([{ kind: 'document', url: bad }]));
      expect(refusal, bad).to.match(/^400 VALIDATION_ERROR media/);
    }
    expect((await stage.good(live, 'GET', '/messages?to=nobody@example.com')).data).to.deep.equal([]);
  });

  it('belong to their project and kind, and must suit what they are sent as', async () => {
    const media_id = await uploaded(stage, live, PDF, 'a.pdf');
    const stranger = await stage.writer([]);
    const media = [{ kind: 'document', media_id }];
    for (const key of [stranger.live, mailStage.writer.sandbox]) {
      expect(await stage.refused(key, 'GET', `/messages/media/${media_id}/content`)).to.equal('404 NOT_FOUND');
      expect(await stage.refused(key, 'DELETE', `/messages/media/${media_id}`)).to.equal('404 NOT_FOUND');
      expect(await stage.refused(key, 'POST', '/messages', mail(media))).to.match(/^400 VALIDATION_ERROR media/);
    }
    for (const given of [
      [{ kind: 'image', media_id }],
      [{ kind: 'document', media_id: '1037543291543636' }],
      [{ kind: 'document', audio_id: '01934f7a-6f70-7182-9d34-2e1f0a9b8c73' }],
      [{ kind: 'document', media_id, url: 'https://a.example/b.pdf' }],
      [{ kind: 'document' }],
    ]) {
      expect(await stage.refused(live, 'POST', '/messages', mail(given))).to.match(/^400 VALIDATION_ERROR media/);
    }
    const sms = { channel: 'sms', to: '+966501234517', media };
    expect(await stage.refused(live, 'POST', '/messages', sms)).to.equal('422 CHANNEL_VERB_UNSUPPORTED');
  });

  it('of the sandbox are those of its messages', async () => {
    const { sandbox } = mailStage.writer;
    const media_id = await uploaded(stage, sandbox, PDF);
    const body = {
      channel: 'email',
      to: 'a@example.com',
      subject: 'a',
      text: 'a',
      media: [{ kind: 'document', media_id }],
    };
    expect(await stage.refused(live, 'POST', '/messages', body)).to.match(/^400 VALIDATION_ERROR media/);
    const refused = await stage.refused(sandbox, 'POST', '/messages', body);
    expect(refused, 'only its own numbers').to.equal('403 SANDBOX_DESTINATION_NOT_ALLOWED');
  });

  it('fail a message that waits if they are deleted meanwhile', async () => {
    const media_id = await uploaded(stage, live, PDF);
    const scheduled_at = new Date(Date.now() + 3_600_000).toISOString();
    const made = await stage.good(live, 'POST', '/messages', mail([{ kind: 'document', media_id }], { scheduled_at }));
    await stage.good(live, 'DELETE', `/messages/media/${media_id}`);
    await mailStage.database.db.query('UPDATE messages SET due_at = now() WHERE id = $1', [made.message_id]);
    const failed = await stage.reaches(live, String(made.message_id), 'failed');
    expect(failed.error).to.deep.equal({ reason: 'content_refused', provider_code: null });
  });

  it('expire', async () => {
    const media_id = await uploaded(stage, live, PDF);
    await mailStage.database.db.query(`UPDATE message_files SET expires_at = now() - interval '1 s' WHERE id = $1`, [
      media_id,
    ]);
    expect(await stage.refused(live, 'GET', `/messages/media/${media_id}`)).to.equal('404 NOT_FOUND');
    const purge = stage.messaging.tasks.find(({ name }) => name === 'expired files of messages');
    await purge?.run();
    const left = await mailStage.database.db.query('SELECT FROM message_files WHERE id = $1', [media_id]);
    expect(left).to.deep.equal([]);
  });
});

describe('files over WhatsApp', function () {
  this.timeout(60_000);
  let stage: ChatappStage;
  let live: string;
  const person = '+966501234518';

  before(async () => {
    stage = await ChatappStage.start();
    ({ live } = stage.writer);
    await stage.writes(person);
  });
  after(() => stage.close());

  it('are uploaded once, and sent by the id that WhatsApp gives them', async () => {
    const media_id = await uploaded(stage.messages, live, PNG, 'logo.png');
    for (const caption of ['one', 'two']) {
      const id = await stage.send(person, { media: [{ kind: 'image', media_id, caption }] });
      await stage.reaches(id, 'sent');
      expect((await stage.messages.good(live, 'GET', `/messages/${id}`)).content).to.have.nested.property(
        'media.media_id',
        media_id,
      );
    }
    const bodies = stage.provider.taken.map(({ body }) => body.image as { id: string; caption: string });
    expect(bodies.map(({ caption }) => caption)).to.deep.equal(['one', 'two']);
    expect(new Set(bodies.map(({ id }) => id)).size).to.equal(1);
    const kept = stage.provider.files.get(bodies[0]!.id);
    expect(kept).to.include({ mediaType: 'image/png', name: 'logo.png' });
    expect(kept?.bytes).to.deep.equal(PNG);
    expect(stage.provider.files.size).to.equal(1);
  });

  it('that came in are downloaded from WhatsApp, by their project only', async () => {
    const fileId = '1013859600285441';
    stage.provider.files.set(fileId, { mediaType: 'application/pdf', bytes: PDF, name: 'a.pdf' });
    const document = { id: fileId, mime_type: 'application/pdf', filename: 'طلب.pdf', caption: 'انظر' };
    await stage.notify(stage.provider.notice(stage.provider.incoming(person, { type: 'document', document })));
    const { data } = await stage.messages.good(live, 'GET', '/messages?direction=inbound');
    const [{ message_id } = { message_id: '' }] = (data as { message_id: string; content: unknown }[]).filter(
      ({ content }) => content !== null,
    );
    const answer = await stage.messages.api.request('GET', `/v1/messages/${message_id}/media`, { key: live });
    expect(answer.status, answer.text).to.equal(200);
    expect(answer.text).to.equal(PDF.toString());
    expect(answer.headers.get('content-disposition')).to.include('attachment');
    const stranger = await stage.messages.writer([], { chatapp: true });
    expect(await stage.messages.refused(stranger.live, 'GET', `/messages/${message_id}/media`)).to.equal(
      '404 NOT_FOUND',
    );
    stage.provider.files.delete(fileId);
    expect(await stage.messages.refused(live, 'GET', `/messages/${message_id}/media`)).to.equal('404 NOT_FOUND');
  });
});
