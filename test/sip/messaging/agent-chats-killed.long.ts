import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';
import { chooseLoopbackPort } from '../../../adapters/embedded/system/ports.js';
import { eventually } from '../../support/eventually.js';
import { addPhoneUserTo, AgentPage } from '../../support/phones/agent-page.js';
import { AgentChats, VisitorTab } from '../../support/phones/chat-pages.js';
import { MICROPHONE_ARGUMENTS } from '../../support/phones/web-phone.js';
import { browserProgram, openBrowser, Website } from '../../support/platform/browser.js';
import { skipBecause } from '../../support/skip.js';
import { ownPlatform, type OwnPlatform, type ProcessStage } from '../../support/stages/process-stage.js';
import { succeeded } from '../../support/judges/succeeded.js';

const EMAIL = 'reem@clinic.example';
const AGENT = '1002';
/** Of each side: a visitor may write 30 in a minute. */
const WRITTEN = 20;
const KILLS_AFTER = [4, 10, 16];
const BACK_WITHIN_MS = 120_000;

describe('chats whose application is killed', function () {
  this.timeout(400_000);
  const program = browserProgram();
  if (program === null) {
    it('continue', function () {
      skipBecause(this, 'there is no Chromium on this machine');
    });
    return;
  }

  let platform: OwnPlatform;
  let application: ProcessStage;
  let site: Website;
  let browser: Browser;
  let page: Page;
  let chats: AgentChats;
  let key: string;
  let tab: VisitorTab;

  before(async () => {
    site = await Website.start();
    browser = await openBrowser(program, MICROPHONE_ARGUMENTS);
    platform = await ownPlatform({ PORT: String(await chooseLoopbackPort()), HATIF_FLAGS_OFF: 'call_velocity' });
    ({ application } = platform);
    await addPhoneUserTo(platform.db, { email: EMAIL, agent: AGENT });
    const { id } = await good('POST', '/v1/queues', { name: 'chats' });
    await good('POST', '/v1/queues/agents/login', { agent: AGENT, queue: 'chats' });
    const json = { name: 'Shop', allowed_origins: [site.origin], language: 'en', chat: true, captcha: false };
    const made = await good('POST', '/v1/widgets', { ...json, destination: { type: 'queue', target: id } });
    key = String(made.key);
    page = await (await browser.newContext()).newPage();
    page.setDefaultTimeout(60_000);
    chats = new AgentChats(page);
    await new AgentPage(page, application.bootstrap.base_url).signIn(EMAIL, 'en');
  });
  beforeEach(async () => {
    tab = await VisitorTab.open(browser, site, { url: application.bootstrap.base_url, key });
  });
  afterEach(() => tab.close());
  after(async () => {
    await browser.close();
    await site.close();
    await platform.close();
  });

  const good = async (method: string, path: string, json?: object): Promise<Record<string, unknown>> =>
    succeeded(await application.request(method, path, json));
  const asks = async (text: string): Promise<void> => {
    await tab.chat();
    await tab.write(text);
    await tab.sees(text);
  };
  const statusIs = (status: string): Promise<unknown> =>
    eventually(
      async () => (await platform.db.query(`SELECT FROM webchats WHERE status = $1`, [status])).length > 0,
      `a chat is ${status}`,
    );
  /** Whether both sides and the database have exactly these messages, in the order in which each side wrote them. */
  const haveAll = async (all: readonly string[]): Promise<boolean> => {
    const [visitor, agent] = [await tab.texts(), await chats.texts()];
    return [visitor, agent].every((texts) => texts.length >= all.length);
  };
  const assertOnce = async (all: readonly string[]): Promise<void> => {
    await eventually(() => haveAll(all), 'both sides have all messages', BACK_WITHIN_MS);
    const rows = await platform.db.query<{ body: string }>(
      `SELECT body FROM messages WHERE thread_id = (SELECT thread_id FROM webchats WHERE status = 'assigned') ORDER BY id`,
    );
    const stored = rows.map(({ body }) => body);
    const from = (texts: readonly string[], side: string): string[] => texts.filter((text) => text.startsWith(side));
    for (const texts of [stored, await tab.texts(), await chats.texts()]) {
      for (const side of ['visitor', 'agent']) expect(from(texts, side)).to.deep.equal(from(all, side));
      expect(texts).to.have.length(all.length);
    }
  };
  const restart = async (): Promise<void> => {
    await application.kill();
    await application.start();
  };

  it('lose and double no message, and continue', async () => {
    await asks('visitor 0');
    await chats.accept();
    const all = ['visitor 0'];
    let restarting: Promise<void> = Promise.resolve();
    for (let at = 1; at <= WRITTEN; at += 1) {
      if (KILLS_AFTER.includes(at)) {
        await restarting;
        // Both write on while nobody is there.
        restarting = restart();
      }
      all.push(`visitor ${at}`, `agent ${at}`);
      await tab.write(`visitor ${at}`);
      await chats.write(`agent ${at}`);
    }
    await restarting;
    await assertOnce(all);
    await tab.write('visitor is still there');
    await chats.write('agent is still there');
    await assertOnce([...all, 'visitor is still there', 'agent is still there']);
    await chats.button('Close chat').click();
    await tab.says('The chat was closed');
  });

  it('are accepted if they were offered at that moment', async () => {
    await asks('visitor asks');
    await statusIs('offered');
    await restart();
    await chats.accept();
    await chats.write('agent answers');
    await tab.sees('agent answers');
    await assertOnce(['visitor asks', 'agent answers']);
    await chats.button('Close chat').click();
    await tab.says('The chat was closed');
  });

  it('are accepted if they were just being accepted', async () => {
    await asks('visitor asks');
    await chats.button('Accept chat').waitFor();
    const [back] = await Promise.all([restart(), chats.button('Accept chat').click()]);
    expect(back).to.equal(undefined);
    // The request was done, or it was lost: then the chat is still offered, or is offered again.
    const isMine = (): Promise<boolean> => chats.text.isVisible();
    await eventually(
      async () => {
        if (await isMine()) return true;
        const offer = chats.button('Accept chat');
        if (await offer.isVisible()) await offer.click({ timeout: 1_000 }).catch(() => undefined);
        return false;
      },
      'the agent has the chat',
      BACK_WITHIN_MS,
    );
    await chats.write('agent answers');
    await assertOnce(['visitor asks', 'agent answers']);
  });
});
