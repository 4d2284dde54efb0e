import { expect } from 'chai';
import { smsParts } from '../../../core/model/messaging/sms-text.js';
import { testDatabase, type TestDatabase } from '../../support/platform/database.js';
import { MessageStage, type Writer } from '../../support/stages/messaging/message-stage.js';

const BASE = 'https://hatif.link';
const PAGE = 'https://shop.example.com/orders/4711?from=sms&token=a-long-token-that-fills-a-part-of-the-message';
const BROWSER =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 Mobile/15E148 Safari/604.1';

describe('tracked links of messages', function () {
  this.timeout(60_000);
  let database: TestDatabase;
  let stage: MessageStage;
  let writer: Writer;

  before(async () => {
    database = await testDatabase();
    stage = await MessageStage.start(database, { SHORT_LINK_URL: `${BASE}/` });
    writer = await stage.writer();
  });
  after(async () => {
    await stage.close();
    await database.close();
  });

  const linksOf = async (id: string, key = writer.live) =>
    (await stage.good(key, 'GET', `/messages/${id}/links`)).data as Record<string, unknown>[];
  const open = (path: string, agent = BROWSER, headers: Record<string, string> = {}) =>
    fetch(stage.api.url + path, { redirect: 'manual', headers: { 'user-agent': agent, ...headers } });
  /** Sends a message with one link. @returns its id and the path of the short address */
  async function tracked(text = `طلبك: ${PAGE}.`): Promise<{ id: string; path: string; text: string }> {
    const id = await stage.sms(writer.live, { text, track_links: true });
    const sent = await stage.good(writer.live, 'GET', `/messages/${id}`);
    const path = /https:\/\/hatif\.link(\/l\/[A-Za-z0-9]{10})/.exec(String(sent.text))?.[1] ?? '';
    return { id, path, text: String(sent.text) };
  }

  it('are short in the text, which is what counts as segments', async () => {
    const { id, path, text } = await tracked(`${PAGE} ${PAGE} https://example.com/other، انتهى`);
    const [one, again, other] = text.split(' ');
    expect(one).to.equal(BASE + path);
    expect(again, 'one address has one code').to.equal(one);
    expect(other).to.match(/^https:\/\/hatif\.link\/l\/\w{10}،$/);
    const { segments } = await stage.good(writer.live, 'GET', `/messages/${id}`);
    expect(segments).to.equal(smsParts(text, 1).parts.length);
    const links = await linksOf(id);
    expect(links.map(({ url }) => url)).to.deep.equal(['https://example.com/other', PAGE]);
    expect(links[1]).to.include({ short_url: BASE + path, clicks: 0, previews: 0, first_clicked_at: null });
    await stage.smsc.until(() => stage.smsc.submitted.length > 0);
  });

  it('lead to their address, count, and report the first click only', async () => {
    const { id, path } = await tracked();
    for (const expected of [1, 2]) {
      const answer = await open(`${path}?fbclid=a&url=https://evil.example`);
      expect(answer.status).to.equal(302);
      expect(answer.headers.get('location')).to.equal(PAGE);
      expect(answer.headers.get('cache-control')).to.equal('no-store');
      expect((await linksOf(id))[0]).to.include({ clicks: expected, previews: 0 });
    }
    const events = await database.db.query<{ data: { link: { url: string } } }>(
      `SELECT data FROM events WHERE type = 'message.link_clicked' AND data->>'message_id' = $1`,
      [id],
    );
    expect(events.map(({ data }) => data.link.url)).to.deep.equal([PAGE]);
  });

  it('may have Arabic letters', async () => {
    const { path } = await tracked('https://example.com/طلب/4711?q=شكرا');
    expect((await open(path)).headers.get('location')).to.equal(new URL('https://example.com/طلب/4711?q=شكرا').href);
  });

  it('do not count programs that look ahead', async () => {
    const { id, path } = await tracked();
    await open(path, 'WhatsApp/2.23.20.0');
    await open(path, `${BROWSER} (compatible; Googlebot/2.1)`);
    await open(path, BROWSER, { 'sec-purpose': 'prefetch;prerender' });
    const head = await fetch(stage.api.url + path, {
      method: 'HEAD',
      redirect: 'manual',
      headers: { 'user-agent': BROWSER },
    });
    expect(head.headers.get('location'), 'they are led on, too').to.equal(PAGE);
    expect((await linksOf(id))[0]).to.include({ clicks: 0, previews: 4, last_clicked_at: null });
    expect(await stage.events(id)).not.to.include('link_clicked');
  });

  it('lead nowhere else', async () => {
    for (const path of [
      '/l/AAAAAAAAAA',
      '/l/https%3A%2F%2Fevil.example',
      "/l/' OR 1=1",
      '/l/AAAAAAAAAA?url=https://evil.example',
    ]) {
      const answer = await open(path);
      expect(answer.status, path).to.equal(404);
      expect(answer.headers.get('location'), path).to.equal(null);
      expect(await answer.text())
        .to.include('No such link')
        .and.to.include('الرابط غير موجود');
    }
  });

  it('are those of the project only, and go with their message', async () => {
    const { id, path } = await tracked();
    const stranger = await stage.writer(['OTHER']);
    for (const key of [stranger.live, writer.sandbox])
      expect(await stage.refused(key, 'GET', `/messages/${id}/links`)).to.equal('404 NOT_FOUND');
    await stage.reaches(writer.live, id, 'sent');
    await database.db.query('DELETE FROM messages WHERE id = $1', [id]);
    expect((await open(path)).status).to.equal(404);
  });

  it('are not made without being asked for, nor beyond ten', async () => {
    const id = await stage.sms(writer.live, { text: PAGE });
    expect(await stage.good(writer.live, 'GET', `/messages/${id}`)).to.include({ text: PAGE });
    expect(await linksOf(id)).to.deep.equal([]);
    const text = Array.from({ length: 11 }, (_, index) => `https://a.example/${index}`).join(' ');
    const body = { channel: 'sms', to: '+966501234517', text, track_links: true };
    expect(await stage.refused(writer.live, 'POST', '/messages', body)).to.equal('400 VALIDATION_ERROR text');
  });
});

describe('tracked links without an address for them', function () {
  this.timeout(60_000);

  it('are refused, and nothing is stored', async () => {
    const database = await testDatabase();
    const stage = await MessageStage.start(database);
    const { live } = await stage.writer();
    const body = { channel: 'sms', to: '+966501234517', text: 'https://a.example', track_links: true };
    expect(await stage.refused(live, 'POST', '/messages', body)).to.equal('400 VALIDATION_ERROR track_links');
    expect((await stage.good(live, 'GET', '/messages')).data).to.deep.equal([]);
    await stage.close();
    await database.close();
  });
});
