import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';
import { buildWidget } from '../../../scripts/lib/widget.mjs';
import { AGENT_HZ } from '../../support/calls/trunk-talkers.js';
import { eventually } from '../../support/eventually.js';
import { hears } from '../../support/judges/hearing.js';
import { addPhoneUser, AgentPage } from '../../support/phones/agent-page.js';
import { AgentChats, VisitorTab } from '../../support/phones/chat-pages.js';
import { giveEars, untilPageHears } from '../../support/phones/page-ears.js';
import { microphone, MICROPHONE_ARGUMENTS, MICROPHONE_HZ } from '../../support/phones/web-phone.js';
import { browserProgram, openBrowser, watched, Website } from '../../support/platform/browser.js';
import type { TestPlatform } from '../../support/platform/platform.js';
import { withPlatform } from '../../support/platform/with-platform.js';
import { skipBecause } from '../../support/skip.js';
import { succeeded } from '../../support/judges/succeeded.js';

const EMAIL = 'reem@clinic.example';
const AGENT = '1002';
const VISITOR_HZ = 1_900;
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);

describe('chats on the page of agents', function () {
  this.timeout(240_000);
  const program = browserProgram();
  if (program === null) {
    it('are answered', function () {
      skipBecause(this, 'there is no Chromium on this machine');
    });
    return;
  }

  let stage: TestPlatform;
  let site: Website;
  let browser: Browser;
  let visitors: Browser;
  let page: Page;
  let desk: AgentPage;
  let chats: AgentChats;
  let seen: ReturnType<typeof watched>;
  let key: string;
  const tabs: VisitorTab[] = [];

  before(async () => {
    await buildWidget();
    site = await Website.start();
    [browser, visitors] = await Promise.all([
      openBrowser(program, MICROPHONE_ARGUMENTS),
      openBrowser(program, microphone(VISITOR_HZ)),
    ]);
  });
  withPlatform(async (made) => {
    stage = made;
    await addPhoneUser(stage, { email: EMAIL, agent: AGENT });
    const { id } = await good('POST', '/v1/queues', { name: 'chats' });
    key = await widget({ type: 'queue', target: id });
  });
  beforeEach(async () => {
    await good('POST', '/v1/queues/agents/login', { agent: AGENT, queue: 'chats' });
    page = await (await browser.newContext()).newPage();
    page.setDefaultTimeout(30_000);
    await giveEars(page);
    desk = new AgentPage(page, stage.url);
    chats = new AgentChats(page);
    seen = watched(page);
  });
  afterEach(async () => {
    await page.context().close();
    for (const tab of tabs.splice(0)) await tab.close();
    const { data } = await good('GET', '/v1/messages/threads?channel=webchat&chat=open');
    for (const { thread_id } of data as { thread_id: string }[])
      await good('POST', `/v1/messages/threads/${thread_id}/close`);
    expect([...seen.hosts]).to.deep.equal([stage.url]);
    expect(seen.complaints).to.deep.equal([]);
  });
  after(async () => {
    await Promise.all([browser.close(), visitors.close()]);
    await site.close();
  });

  const good = async (method: string, path: string, json?: object): Promise<Record<string, unknown>> =>
    succeeded(await stage.request(method, path, { ...(json && { json }) }));
  const widget = async (destination: object): Promise<string> => {
    const json = {
      name: 'Shop',
      allowed_origins: [site.origin],
      language: 'en',
      chat: true,
      captcha: false,
      destination,
    };
    return String((await good('POST', '/v1/widgets', { ...json, browser_calls: true })).key);
  };
  /** A new visitor with a question. */
  const asks = async (text: string, of = key): Promise<VisitorTab> => {
    const tab = await VisitorTab.open(visitors, site, { url: stage.url, key: of }, giveEars);
    tabs.push(tab);
    await tab.chat();
    await tab.write(text);
    await tab.sees(text);
    return tab;
  };

  it('are offered, accepted and answered by the keyboard, with typing, presence, history and files', async () => {
    await desk.signIn(EMAIL, 'en');
    await desk.assertAccessible('no chat');
    const tab = await asks('Do you have size 42?');
    await chats.announced('Visitor would like to chat.');
    await chats.element.getByText(/^Accept within \d+ s$/).waitFor();
    await chats.element.getByText('Do you have size 42?').waitFor();
    await desk.assertAccessible('an offer');
    await chats.button('Accept chat').focus();
    await page.keyboard.press('Enter');
    await chats.sees('Do you have size 42?');
    await tab.says(/^You are talking with/);
    await chats.says('on the page');
    // The input has the focus.
    await eventually(
      () => page.evaluate<boolean>(`document.activeElement.tagName === 'TEXTAREA'`),
      'the input has the focus',
    );
    await page.keyboard.type('Yes, in two colours.');
    await tab.says('Somebody is typing');
    await page.keyboard.press('Enter');
    await tab.sees('Yes, in two colours.');
    await chats.element.getByText('read', { exact: true }).waitFor();
    await desk.assertAccessible('a conversation');
    await tab.page.getByLabel('Your message').pressSequentially('Show');
    await chats.says('is typing');
    await tab.write('Show me');
    await chats.sees('Show me');
    await chats.element
      .getByLabel(/^Send a file/)
      .setInputFiles({ name: 'shoe.png', mimeType: 'image/png', buffer: PNG });
    await tab.page.getByRole('log').getByRole('button', { name: 'shoe.png' }).waitFor();
    const file = chats.element.getByRole('log').getByRole('button', { name: 'shoe.png' });
    const [download] = await Promise.all([page.waitForEvent('download'), file.click()]);
    expect(download.suggestedFilename()).to.equal('shoe.png');
    await tab.look(true);
    await chats.says('page in the background');
    await tab.look(false);
    await chats.says('on the page');
    await tab.leave();
    await chats.says('page closed');
    await chats.write('Come back when you like.');
    await tab.comeBack();
    await chats.says('on the page');
    await chats.button('Close chat').click();
    await chats.element.getByText('No chat is open.').waitFor();
  });

  it('come several at a time, survive a reload, and show what is unread, in Arabic', async () => {
    await desk.signIn(EMAIL, 'ar');
    chats = new AgentChats(page, 'المحادثات');
    const first = await asks('First');
    await chats.button('قبول المحادثة').click();
    const second = await asks('Second');
    await desk.assertAccessible('an offer beside a conversation');
    await chats.button('قبول المحادثة').click();
    const log = chats.element.getByRole('log');
    await log.getByText('Second', { exact: true }).waitFor();
    await chats.text.fill('مسودة');
    await first.write('Still there?');
    await chats.button('غير مقروءة: 1').waitFor();
    expect(await page.title()).to.match(/^\(1\) /);
    await desk.assertAccessible('two conversations');
    await page.reload();
    await log.getByText('Second', { exact: true }).waitFor();
    expect(await chats.text.inputValue()).to.equal('مسودة');
    await chats.button('غير مقروءة: 1').click();
    await log.getByText('Still there?', { exact: true }).waitFor();
    await chats.button('غير مقروءة: 1').waitFor({ state: 'detached' });
    await page.keyboard.type('نعم');
    await page.keyboard.press('Enter');
    await first.sees('نعم');
    expect(await second.texts()).to.deep.equal(['Second']);
  });

  it('continue after the network was lost: what was written in between is sent once', async () => {
    await desk.signIn(EMAIL, 'en');
    const tab = await asks('Hello');
    await chats.accept();
    await page.context().setOffline(true);
    await chats.write('Written without a network');
    await chats.write('And another one');
    await tab.write('Written to somebody without a network');
    await page.context().setOffline(false);
    await tab.sees('And another one');
    await chats.sees('Written to somebody without a network');
    const all = ['Written without a network', 'And another one'];
    await eventually(
      async () => (await tab.texts()).filter((text) => all.includes(text)).length === 2,
      'each came once',
    );
    await eventually(async () => (await chats.texts()).length === 4, 'the agent sees all');
  });

  it('go to a colleague, back to the queue, and to somebody else when the agent signs out', async () => {
    // The pages of the tests before would keep the agent there for two minutes.
    await stage.platform.stores.db.query('DELETE FROM chat_attendance');
    await desk.signIn(EMAIL, 'en');
    const tab = await asks('Hello');
    await chats.accept();
    await chats.button('Transfer chat').click();
    await page.locator('#target').fill('1001');
    await desk.assertAccessible('transfer');
    await page.getByRole('button', { name: 'Transfer now' }).click();
    await chats.element.getByText('No chat is open.').waitFor();
    const [thread] = (await good('GET', '/v1/messages/threads?channel=webchat&chat=open')).data as Record<
      string,
      string
    >[];
    expect(thread?.agent).to.equal('1001');
    await good('PATCH', `/v1/messages/threads/${thread?.thread_id}`, { agent: AGENT });
    await chats.button('Back to the queue').click();
    await tab.says('Who answered you had to leave.');
    // Nobody else is in the queue.
    await chats.accept();
    await tab.says(/^You are talking with/);
    await desk.button('Sign out').click();
    await page.locator('#email').waitFor();
    await tab.says('Who answered you had to leave.');
  });

  it('become a call when the agent asks for one and the visitor agrees', async () => {
    await desk.signIn(EMAIL, 'en');
    const tab = await asks('Can I talk to somebody?');
    await chats.accept();
    await chats.button('Ask for a call').click();
    await tab.page.getByText(/would like to talk with you/).waitFor();
    await tab.page.getByRole('button', { name: 'Not now' }).click();
    await chats.announced('Visitor does not want to talk now.');
    await chats.button('Ask for a call').click();
    await tab.page.getByRole('button', { name: 'Talk now' }).click();
    await chats.announced(/^Visitor agreed to talk/);
    await desk.button('Answer').click();
    await untilPageHears(tab.page, MICROPHONE_HZ);
    await untilPageHears(page, VISITOR_HZ);
    const [call] = await stage.latest(1);
    expect(call).to.deep.include({ kind: 'web', agent: AGENT });
    expect(call?.metadata).to.have.property('thread_id');
    // The chat continues beside the call.
    await chats.write('We are talking.');
    await eventually(async () => (await tab.texts()).includes('We are talking.'), 'the chat continues');
    await desk.button('Hang up').click();
    await desk.shows('No call is on.');
  });

  it('become a call to the softphone of the agent who has the chat', async () => {
    const softphone = await stage.softphone('1001', { source: { toneHz: AGENT_HZ } });
    const tab = await asks('Call me', await widget({ type: 'agent', target: '1001' }));
    await desk.signIn(EMAIL, 'en');
    await tab.says(/^You are talking with/);
    await tab.page.getByRole('button', { name: 'Call instead' }).click();
    await tab.page.getByRole('button', { name: 'Call from the browser' }).click();
    const atAgent = await softphone.incoming();
    await softphone.answer(atAgent);
    await softphone.waitToHear(hears(VISITOR_HZ), { callId: atAgent });
    await untilPageHears(tab.page, AGENT_HZ);
    await softphone.hangup(atAgent);
    await tab.page
      .getByRole('status')
      .filter({ hasText: /The call ended/ })
      .waitFor();
  });
});
