import { expect } from 'chai';
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { FINDINGS } from '../../../../core/data/repositories/privacy/findings.js';
import { PAGE, type Answer } from '../../../support/api.js';
import { eventually } from '../../../support/eventually.js';
import { addMember } from '../../../support/rows/members.js';
import { ChatStage, type ChatTenant, type OpenedChat } from '../../../support/stages/messaging/chat-stage.js';

const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
const HTML = Buffer.from('<html><script>alert(1)</script></html>');

const chatOf = (token: string): string => token.split('.')[0] ?? '';

function form(bytes: Uint8Array, name: string): FormData {
  const made = new FormData();
  made.set('file', new Blob([new Uint8Array(bytes)], { type: 'image/png' }), name);
  return made;
}

describe('files of chats', function () {
  this.timeout(60_000);
  let stage: ChatStage;
  let tenant: ChatTenant;
  let chat: OpenedChat;

  before(async () => {
    stage = await ChatStage.open();
    tenant = await stage.tenant();
    chat = await stage.visitor(tenant);
    await chat.page.write('Hello');
  });
  after(async () => {
    chat.page.cutOff();
    await stage.close();
  });

  const visitorSends = (
    bytes: Uint8Array,
    name: string,
    token = chat.token,
    id = 'file-of-visitor',
  ): Promise<Answer> => {
    const query = new URLSearchParams({ key: tenant.widget.key, token, id });
    const path = `/v1/widget/chats/${chatOf(token)}/files?${query.toString()}`;
    return stage.api.request('POST', path, { raw: form(bytes, name), headers: { origin: PAGE } });
  };
  const visitorGets = (fileId: string, token = chat.token): Promise<Answer> => {
    const query = new URLSearchParams({ key: tenant.widget.key, token });
    return stage.api.request('GET', `/v1/widget/chats/${chatOf(token)}/files/${fileId}?${query.toString()}`, {
      headers: { origin: PAGE },
    });
  };
  /** A file that the project has uploaded. */
  const uploaded = async (): Promise<string> => {
    const answer = await stage.api.request('POST', '/v1/messages/media', {
      key: tenant.live,
      raw: form(PNG, 'map.png'),
    });
    return String(answer.body?.media_id);
  };
  const download = (messageId: string, key = tenant.live): Promise<Answer> =>
    stage.api.request('GET', `/v1/messages/${messageId}/media`, { key });

  it('go from a visitor to those who see the conversation', async () => {
    const sent = await visitorSends(PNG, '../صورة.png');
    expect(sent.status, sent.text).to.equal(201);
    const { message_id, file_id } = sent.body as Record<string, string>;
    const message = await stage.good(tenant.live, 'GET', `/messages/${message_id ?? ''}`);
    expect((message.content as { media: object }).media).to.deep.equal({
      ...{ kind: 'image', url: null, media_id: file_id, caption: null, file_name: 'صورة.png', media_type: 'image/png' },
    });
    const got = await download(message_id ?? '');
    expect(got.status).to.equal(200);
    expect(got.headers.get('content-disposition')).to.match(/^attachment; filename\*=UTF-8''%D8/);
    const shown = await chat.page.until(
      (frame): frame is Extract<typeof frame, { type: 'message' }> =>
        frame.type === 'message' && frame.message.id === message_id,
    );
    expect(shown.message.file).to.deep.equal({ id: file_id, name: 'صورة.png', media_type: 'image/png' });
    const back = await visitorGets(file_id ?? '');
    expect([back.status, back.headers.get('content-type')]).to.deep.equal([200, 'application/octet-stream']);
    expect(back.headers.get('content-disposition')).to.match(/^attachment;/);
    expect(back.headers.get('x-content-type-options')).to.equal('nosniff');
  });

  it('go from the project to the visitor', async () => {
    const media_id = await uploaded();
    const media = [{ kind: 'image', media_id, caption: 'The way' }];
    await stage.good(tenant.live, 'POST', '/messages', { channel: 'webchat', to: chat.chatId, media });
    const shown = await chat.page.message('The way');
    expect(shown.file).to.deep.equal({ id: media_id, name: 'map.png', media_type: 'image/png' });
    expect((await visitorGets(media_id)).status).to.equal(200);
  });

  it('are refused by their content and size', async () => {
    for (const [bytes, name] of [
      [HTML, 'page.png'],
      [Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), 'x.svg'],
      [Buffer.alloc(0), 'empty.png'],
      [Buffer.from('4d5a9000', 'hex'), 'x.pdf'],
    ] as const) {
      const answer = await visitorSends(bytes, name);
      expect([answer.status, answer.body?.error_code], name).to.deep.equal([400, 'VALIDATION_ERROR']);
    }
    const big = Buffer.concat([PNG, Buffer.alloc(10 * 1024 * 1024)]);
    expect((await visitorSends(big, 'big.png')).body?.error_code).to.equal('PAYLOAD_TOO_LARGE');
  });

  it('are shown to nobody else, and end with the visitor', async () => {
    const sent = await visitorSends(PNG, 'own.png', chat.token, 'another-file');
    const { file_id = '', message_id = '' } = sent.body as Record<string, string>;
    const stranger = await stage.visitor(tenant);
    await stranger.page.write('Hello');
    expect((await visitorGets(file_id, stranger.token)).status).to.equal(404);
    expect((await visitorGets(file_id, 'x')).status).to.equal(404);
    expect((await visitorGets(await uploaded())).status).to.equal(404);
    const other = await stage.tenant();
    expect((await download(message_id, other.live)).status).to.equal(404);
    expect((await download(message_id, tenant.sandbox)).status).to.equal(404);
    const agent = await addMember(stage.database.db, tenant.organizationId, { role: 'agent', agent: '1001' });
    expect((await download(message_id, agent.token)).status).to.equal(404);
    stranger.page.cutOff();

    const finding = FINDINGS.find(({ category }) => category === 'message_files');
    const found = await stage.database.db.query<{ id: string }>(
      `SELECT item.id FROM message_files AS item WHERE ${finding?.match ?? 'false'}`,
      [tenant.organizationId, chat.chatId],
    );
    const ids = found.map(({ id }) => id);
    expect(ids).to.include(file_id);
    for (const statement of finding?.erase.statements ?? []) await stage.database.db.query(statement, [ids]);
    expect((await visitorGets(file_id)).status).to.equal(404);
    for (const task of stage.messaging.tasks) await task.run();
    const path = join(stage.folder, 'message-files', `${file_id}.png`);
    const isGone = () =>
      access(path).then(
        () => false,
        () => true,
      );
    await eventually(isGone, 'the file is removed');
  });
});
