import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';
import { chooseLoopbackPort } from '../../../adapters/embedded/system/ports.js';
import { eventually } from '../../support/eventually.js';
import { addPhoneUserTo, AgentPage } from '../../support/phones/agent-page.js';
import type { Baresip } from '../../support/phones/index.js';
import { QueueSection } from '../../support/phones/queue-section.js';
import { MICROPHONE_ARGUMENTS } from '../../support/phones/web-phone.js';
import { browserProgram, openBrowser } from '../../support/platform/browser.js';
import { skipBecause } from '../../support/skip.js';
import { ownPlatform, type OwnPlatform, type ProcessStage } from '../../support/stages/process-stage.js';
import { succeeded } from '../../support/judges/succeeded.js';

const EMAIL = 'reem@clinic.example';
const AGENT = '1002';
const BACK_WITHIN_MS = 120_000;

describe('queues on the phone of agents, case by case', function () {
  this.timeout(400_000);
  const program = browserProgram();
  if (program === null) {
    it('are entered and left', function () {
      skipBecause(this, 'there is no Chromium on this machine');
    });
    return;
  }

  let platform: OwnPlatform;
  let application: ProcessStage;
  /** The softphone of the same agent. */
  let softphone: Baresip;
  let browser: Browser;
  let page: Page;
  let desk: AgentPage;
  let queues: QueueSection;

  before(async () => {
    browser = await openBrowser(program, MICROPHONE_ARGUMENTS);
    platform = await ownPlatform({ PORT: String(await chooseLoopbackPort()), HATIF_FLAGS_OFF: 'call_velocity' });
    ({ application } = platform);
    softphone = await application.softphone(1);
    await addPhoneUserTo(platform.db, { email: EMAIL, agent: AGENT });
    await good('POST', '/v1/queues', { name: 'care', dial_code: '502' });
    await good('POST', '/v1/queues', { name: 'sales', dial_code: '501' });
  });
  beforeEach(async () => {
    // A service worker would hide requests from the test.
    page = await (await browser.newContext({ serviceWorkers: 'block' })).newPage();
    page.setDefaultTimeout(60_000);
    desk = new AgentPage(page, application.bootstrap.base_url);
    queues = new QueueSection(page);
  });
  afterEach(async () => {
    await page.context().close();
    for (const queue of ['care', 'sales']) await good('POST', '/v1/queues/agents/logout', { agent: AGENT, queue });
    await good('POST', '/v1/queues/agents/unpause', { agent: AGENT });
  });
  after(async () => {
    await browser.close();
    await platform.close();
  });

  const good = async (method: string, path: string, json?: object): Promise<Record<string, unknown>> =>
    succeeded(await application.request(method, path, json));
  const dial = async (code: string): Promise<void> => {
    await softphone.closed(await softphone.dial(code));
  };
  const statuses = async (): Promise<string[]> =>
    ((await good('GET', '/v1/queues/members')).data as Record<string, string>[]).map(
      ({ queue, status }) => `${queue} ${status}`,
    );

  for (const [language, texts] of Object.entries({
    en: {
      ...{ title: 'Queues', other: 'Another queue', join: 'Sign in to this queue', in: 'signed in', out: 'signed out' },
      ...{ allIn: 'Sign in to all', allOut: 'Sign out of all', reason: 'Reason of the pause (optional)' },
      ...{ pause: 'Pause', unpause: 'End the pause', paused: /^You are paused \(lunch 12\)/ },
      ...{ outOfAll: 'You are signed in to no queue.', gone: 'there is no queue' },
      none: 'You have not signed in to a queue yet.',
    },
    ar: {
      ...{ title: 'قوائم الانتظار', other: 'قائمة انتظار أخرى', join: 'تسجيل الدخول إليها', in: 'سجّلت الدخول' },
      ...{ out: 'سجّلت الخروج', allIn: 'تسجيل الدخول إلى الكل', allOut: 'تسجيل الخروج من الكل' },
      ...{ reason: 'سبب الإيقاف المؤقت (اختياري)', pause: 'إيقاف استقبال المكالمات مؤقتًا' },
      ...{ unpause: 'العودة إلى استقبال المكالمات', paused: /^أوقفت استقبال المكالمات مؤقتًا \(.?lunch 12/ },
      ...{ outOfAll: 'لم تسجّل دخولك إلى أي قائمة انتظار.', gone: 'لا توجد قائمة انتظار' },
      none: 'لم تسجّل دخولك إلى أي قائمة انتظار بعد.',
    },
  } as const)) {
    it(`are entered and left one by one and together, with pauses, and survive a reload (${language})`, async () => {
      const names = [`billing-${language}`, `travel-${language}`];
      const ids: unknown[] = [];
      for (const name of names) ids.push((await good('POST', '/v1/queues', { name })).id);
      const all = (status: string): string[] => names.map((name) => `${name} ${status}`);
      queues = new QueueSection(page, texts.title);
      await desk.signIn(EMAIL, language as 'en' | 'ar');
      for (const name of names) {
        await queues.element.getByLabel(texts.other).selectOption(name);
        await queues.button(texts.join).click();
        await queues.lists(name, texts.in);
      }
      await desk.assertAccessible('two queues');
      await queues.button(texts.allOut).click();
      await queues.shows(texts.outOfAll);
      expect(await statuses()).to.include.members(all('logged_out'));
      await queues.button(texts.allIn).click();
      for (const name of names) await queues.lists(name, texts.in);
      expect(await statuses()).to.include.members(all('logged_in'));

      // What is typed there is no number to call.
      await queues.element.getByLabel(texts.reason).pressSequentially('lunch 12');
      await page.keyboard.press('Enter');
      expect(await page.locator('#dial').inputValue()).to.equal('');
      await queues.shows(texts.paused);
      expect(await page.evaluate('document.activeElement.textContent')).to.equal(texts.unpause);
      await desk.assertAccessible('a pause');
      await page.reload();
      await queues.shows(texts.paused);
      await queues.button(texts.unpause).click();
      await queues.button(texts.pause).waitFor();
      await page.setViewportSize({ width: 320, height: 640 });
      await page.emulateMedia({ colorScheme: 'dark' });
      await desk.assertAccessible('queues on a small screen in the dark');
      for (const id of ids) await good('DELETE', `/v1/queues/${String(id)}`);
      await queues.shows(texts.none);
    });

    it(`show why a sign-in was refused (${language})`, async () => {
      const { id } = await good('POST', '/v1/queues', { name: 'closing' });
      queues = new QueueSection(page, texts.title);
      await desk.signIn(EMAIL, language as 'en' | 'ar');
      const others = queues.element.getByLabel(texts.other);
      await others.selectOption('closing');
      // The queue goes while the request is on its way.
      await page.route('**/v1/queues/agents/login', async (route) => {
        await good('DELETE', `/v1/queues/${String(id)}`);
        await route.continue();
      });
      await queues.button(texts.join).click();
      await queues.refused(texts.gone);
      await desk.assertAccessible('a refusal');
      const labels = (): Promise<string[]> => others.locator('option').allTextContents();
      if (await others.isVisible())
        await eventually(async () => !(await labels()).includes('closing'), 'the removed queue is not offered');
    });
  }

  it('follow the codes that the softphone dials', async () => {
    await desk.signIn(EMAIL, 'en');
    await dial('*45501');
    await queues.lists('sales', 'signed in');
    await queues.announced('You are signed in to sales.');
    await dial('*47');
    await queues.shows('You are paused: no caller is offered to you.');
    await dial('*47');
    await queues.button('Pause').waitFor();
    await dial('*46501');
    await queues.lists('sales', 'signed out');
  });

  it('are true after the application was killed and something was changed before the page is back', async () => {
    await desk.signIn(EMAIL, 'en');
    await good('POST', '/v1/queues/agents/login', { agent: AGENT, queue: 'sales' });
    await queues.lists('sales', 'signed in');
    await application.kill();
    await queues.refused('The connection was interrupted.');
    await application.start();
    await good('POST', '/v1/queues/agents/logout', { agent: AGENT, queue: 'sales' });
    await good('POST', '/v1/queues/agents/login', { agent: AGENT, queue: 'care' });
    page.setDefaultTimeout(BACK_WITHIN_MS);
    await queues.lists('sales', 'signed out');
    await queues.lists('care', 'signed in');
    expect(await queues.element.locator('[role=alert]').textContent()).to.equal('');
    await queues.button('Sign out of care').click();
    await queues.lists('care', 'signed out');
    expect(await statuses()).to.deep.equal(['care logged_out', 'sales logged_out']);
  });

  it('are read again when a page in the background is looked at, and the session may end', async () => {
    await desk.signIn(EMAIL, 'en');
    await good('POST', '/v1/queues/agents/login', { agent: AGENT, queue: 'sales' });
    await queues.lists('sales', 'signed in');
    const look = (isAway: boolean): Promise<unknown> =>
      page.evaluate(`
        Object.defineProperty(document, 'hidden', { value: ${isAway}, configurable: true });
        document.dispatchEvent(new Event('visibilitychange'));`);
    await look(true);
    await good('POST', '/v1/queues/agents/logout', { agent: AGENT, queue: 'sales' });
    await look(false);
    await queues.lists('sales', 'signed out');
    await platform.db.query('UPDATE sessions SET revoked_at = now()');
    await queues.refused('Your session is over.');
    await queues.button('Sign in again').click();
    await page.locator('#email').waitFor();
  });
});
