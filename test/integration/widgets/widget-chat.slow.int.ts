import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect } from 'chai';
import type { Browser, Page, WebSocketRoute } from 'playwright-core';
import { newOrganizationRow, newProjectRow } from '../../../core/services/accounts/new-account.js';
import { KeyService } from '../../../core/services/access/keys.js';
import { systemClock } from '../../../core/ports/clock.js';
import { buildWidget } from '../../../scripts/lib/widget.mjs';
import { ask, type Answer } from '../../support/api.js';
import { TEST_CIPHER } from '../../support/cipher.js';
import { eventually } from '../../support/eventually.js';
import { barePlatform, type BarePlatform } from '../../support/platform/bare-platform.js';
import { browserProgram, openBrowser, watched, Website } from '../../support/platform/browser.js';
import { skipBecause } from '../../support/skip.js';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const VIOLATIONS = `axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) =>
  violations.flatMap(({ id, nodes }) => nodes.slice(0, 3).map(({ target }) => id + ' ' + target.join(' '))))`;
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);

describe('the chat of the widget in a browser', function () {
  this.timeout(120_000);
  const program = browserProgram();
  if (program === null) {
    it('exchanges messages', function () {
      skipBecause(this, 'there is no Chromium on this machine');
    });
    return;
  }

  let bare: BarePlatform;
  let site: Website;
  let browser: Browser;
  let page: Page;
  let seen: ReturnType<typeof watched>;
  let key: string;
  let projectId: string;

  before(async () => {
    await buildWidget();
    site = await Website.start();
    browser = await openBrowser(program);
    bare = await barePlatform('api,jobs');
    const { stores } = bare.platform;
    const organization = newOrganizationRow('Shop', 'production', {}, new Date());
    await stores.organizations.create(organization);
    const project = newProjectRow(organization.id, 'Shop', TEST_CIPHER, new Date());
    await stores.projects.create(project);
    projectId = project.id;
    const keys = new KeyService({
      ...{ keys: stores.keys, projects: stores.projects, clock: systemClock, onRevoked: () => undefined },
    });
    key = (await keys.create({ projectId, name: 'Test', kind: 'live', rateLimitPerMinute: 100_000 })).key;
  });
  beforeEach(async () => {
    // A visitor of its own for each test: nothing is kept from the one before.
    page = await (await browser.newContext()).newPage();
    page.setDefaultTimeout(20_000);
    seen = watched(page);
  });
  afterEach(async () => {
    await page.context().close();
    expect(seen.complaints).to.deep.equal([]);
    const { url = '' } = bare.platform.api ?? {};
    expect([...seen.hosts].every((host) => host === site.origin || host === url)).to.equal(true);
  });
  after(async () => {
    await browser.close();
    await site.close();
    await bare.close();
  });

  const request = async (method: string, path: string, json?: object): Promise<Answer> => {
    const answer = await ask(bare.platform.api?.url ?? '', method, `/v1${path}`, { key, ...(json && { json }) });
    expect(answer.status, answer.text).to.be.within(200, 204);
    return answer;
  };
  /** Shows a page with a new widget. */
  const visit = async (language: 'ar' | 'en', more: object = {}): Promise<void> => {
    const { url = '' } = bare.platform.api ?? {};
    const json = { name: 'Shop', allowed_origins: [site.origin], language, chat: true, ...more };
    const widget = (await request('POST', '/widgets', json)).body?.key;
    const policy = `default-src 'none'; script-src ${url}; connect-src ${url} ${url.replace('http', 'ws')}`;
    site.show(
      `<main><h1>Shop</h1></main><script src="${url}/widget/v1.js" data-key="${String(widget)}" async></script>`,
      policy,
    );
    await page.goto(site.origin);
  };
  const threads = async (): Promise<Record<string, unknown>[]> =>
    (await request('GET', '/messages/threads?channel=webchat')).body?.data as Record<string, unknown>[];
  const violations = async (): Promise<unknown> => {
    await page.evaluate(AXE);
    return page.evaluate(VIOLATIONS);
  };
  const log = (text: string) => page.getByRole('log').getByText(text, { exact: true });
  const statusOf = (id: string) => request('GET', `/messages/${id}`).then(({ body }) => body?.status);

  it('exchanges messages in Arabic, and brings the history back after a reload', async () => {
    await visit('ar');
    await page.getByRole('button', { name: 'راسلنا' }).click();
    const panel = page.getByRole('dialog', { name: 'المحادثة معنا' });
    await panel.waitFor();
    expect(await violations()).to.deep.equal([]);
    await page.getByLabel('اسمك (اختياري)').fill('ريم');
    await page.getByLabel('رسالتك').fill('هل لديكم المقاس 42؟');
    await page.keyboard.press('Enter');
    await log('هل لديكم المقاس 42؟').waitFor();
    await page.getByRole('status').filter({ hasText: 'سيرد عليك أحد موظفينا' }).waitFor();
    const [thread] = await threads();
    expect(thread?.chat).to.deep.include({ status: 'waiting', visitor_name: 'ريم', language: 'ar' });

    const text = 'نعم، متوفر بلونين.';
    const { body } = await request('POST', '/messages', { channel: 'webchat', to: thread?.with, text });
    await log(text).waitFor();
    const id = String(body?.message_id);
    await eventually(async () => (await statusOf(id)) === 'read', 'the visitor has seen it');
    expect(await violations()).to.deep.equal([]);

    await page.reload();
    // The panel is closed: a message is delivered, and not read.
    await page.getByRole('button', { name: 'راسلنا' }).waitFor();
    const more = await request('POST', '/messages', { channel: 'webchat', to: thread?.with, text: 'هل من سؤال آخر؟' });
    await page.getByRole('button', { name: 'راسلنا (رسائل جديدة: ' }).waitFor();
    const moreId = String(more.body?.message_id);
    await eventually(async () => (await statusOf(moreId)) === 'delivered', 'it is delivered');
    await page.getByRole('button', { name: 'راسلنا' }).click();
    await log(text).waitFor();
    await eventually(async () => (await statusOf(moreId)) === 'read', 'it is read when the panel opens');
  });

  it('works by keyboard alone, in English, with a proof of work', async () => {
    await visit('en', { captcha: true });
    const open = page.getByRole('button', { name: 'Chat with us' });
    await open.focus();
    await page.keyboard.press('Enter');
    expect(await violations()).to.deep.equal([]);
    // The field to write has the focus.
    await page.keyboard.type('Do you ship to Dammam?');
    await page.keyboard.press('Enter');
    await log('Do you ship to Dammam?').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog', { name: 'Chat with us' }).waitFor({ state: 'hidden' });
    const focused = `document.querySelector('hatif-widget').shadowRoot.activeElement.textContent`;
    expect(await page.evaluate(focused)).to.equal('Chat with us');
  });

  it('keeps what is written while the platform is away', async () => {
    const open: WebSocketRoute[] = [];
    let isAway = false;
    await page.routeWebSocket(/chats\/socket/, (socket) => {
      if (isAway) {
        void socket.close();
        return;
      }
      socket.connectToServer();
      open.push(socket);
    });
    await visit('en', { captcha: false });
    await page.getByRole('button', { name: 'Chat with us' }).click();
    await page.getByLabel('Your message').fill('First');
    await page.keyboard.press('Enter');
    await log('First').waitFor();
    isAway = true;
    for (const socket of open) await socket.close();
    await page.getByRole('status').filter({ hasText: 'The connection was lost' }).waitFor();
    await page.getByLabel('Your message').fill('Second');
    await page.keyboard.press('Enter');
    // It is kept, even if the page is loaded again.
    await page.reload();
    await page.getByRole('button', { name: 'Chat with us' }).click();
    await page.getByText('Second').waitFor();
    isAway = false;
    await log('Second').waitFor();
    const [thread] = await threads();
    const { body } = await request('GET', `/messages?thread_id=${String(thread?.thread_id)}`);
    expect((body?.data as { text: string }[]).map(({ text }) => text)).to.deep.equal(['Second', 'First']);
  });

  it('sends and gets files, and ends', async () => {
    await visit('en', { captcha: false });
    await page.getByRole('button', { name: 'Chat with us' }).click();
    await page.getByLabel('Your message').fill('Here is my receipt');
    await page.keyboard.press('Enter');
    await log('Here is my receipt').waitFor();
    await page.getByLabel('Send a file').setInputFiles({ name: 'receipt.png', mimeType: 'image/png', buffer: PNG });
    const file = page.getByRole('log').getByRole('button', { name: 'receipt.png' });
    await file.waitFor();
    expect(await violations()).to.deep.equal([]);
    const [download] = await Promise.all([page.waitForEvent('download'), file.click()]);
    expect(download.suggestedFilename()).to.equal('receipt.png');
    await page
      .getByLabel('Send a file')
      .setInputFiles({ name: 'page.png', mimeType: 'image/png', buffer: Buffer.from('<html>') });
    await page.getByRole('alert').filter({ hasText: 'We cannot take this' }).waitFor();
    await page.getByRole('button', { name: 'End the chat' }).click();
    await page.getByRole('status').filter({ hasText: 'The chat was closed' }).waitFor();
  });
});
