import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';
import { hears, tonesHeard } from '../../support/judges/hearing.js';
import { browserProgram, openBrowser, watched } from '../../support/platform/browser.js';
import { eventually } from '../../support/eventually.js';
import type { TestPlatform } from '../../support/platform/platform.js';
import { withPlatform } from '../../support/platform/with-platform.js';
import { AGENT_HZ, CARRIER_HZ, CUSTOMER, TrunkTalkers } from '../../support/calls/trunk-talkers.js';
import { addPhoneUser, AgentPage, PASSWORD } from '../../support/phones/agent-page.js';
import { giveEars, untilPageHears } from '../../support/phones/page-ears.js';
import { QueueSection } from '../../support/phones/queue-section.js';
import { MICROPHONE_ARGUMENTS, MICROPHONE_HZ } from '../../support/phones/web-phone.js';
import { skipBecause } from '../../support/skip.js';

const EMAIL = 'reem@clinic.example';

describe('the phone of agents', function () {
  this.timeout(240_000);
  const program = browserProgram();
  if (program === null) {
    it('calls and is called', function () {
      skipBecause(this, 'there is no Chromium on this machine');
    });
    return;
  }

  let stage: TestPlatform;
  let talkers: TrunkTalkers;
  let browser: Browser;
  let page: Page;
  let desk: AgentPage;
  let sales: string;
  let seen: ReturnType<typeof watched>;

  before(async () => {
    browser = await openBrowser(program, MICROPHONE_ARGUMENTS);
  });
  withPlatform(async (made) => {
    stage = made;
    talkers = await TrunkTalkers.at(stage);
    await addPhoneUser(stage, { email: EMAIL, agent: '1002' });
    const json = { name: 'sales', dial_code: '501', wrap_up_seconds: 3 };
    sales = String((await stage.request('POST', '/v1/queues', { json })).body?.id);
  });
  after(() => browser.close());
  beforeEach(async () => {
    page = await browser.newPage();
    page.setDefaultTimeout(30_000);
    desk = new AgentPage(page, stage.url);
    seen = watched(page);
  });
  afterEach(async () => {
    await page.close();
    expect([...seen.hosts]).to.deep.equal([stage.url]);
    expect(seen.complaints).to.deep.equal([]);
  });

  const button = (name: string | RegExp) => desk.button(name);
  const shows = (text: string | RegExp): Promise<void> => desk.shows(text);
  const assertAccessible = (what: string): Promise<void> => desk.assertAccessible(what);
  const signIn = (language: 'en' | 'ar'): Promise<void> => desk.signIn(EMAIL, language);

  it('calls by the keyboard, holds, presses keys, and is accessible, in English', async () => {
    await page.goto(`${stage.url}/phone?language=en`);
    await page.locator('#email').waitFor();
    await assertAccessible('sign-in');
    await page.locator('#email').fill(EMAIL);
    await page.locator('#password').fill('wrong');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').filter({ hasText: /./ }).waitFor();
    await page.locator('#password').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await shows('Ready for calls');
    await assertAccessible('ready');

    await page.locator('body').click({ position: { x: 1, y: 1 } });
    for (const digit of '1001') await page.keyboard.press(digit);
    expect(await page.locator('#dial').inputValue()).to.equal('1001');
    await button('Call').click();
    const atAgent = await talkers.agent.incoming();
    await shows('It rings');
    await talkers.agent.answer(atAgent);
    await shows(/^Connected · /);
    await talkers.agent.waitToHear(hears(MICROPHONE_HZ), { callId: atAgent });
    await assertAccessible('in a call');
    await page.locator('body').click({ position: { x: 1, y: 1 } });
    await page.keyboard.press('5');
    await talkers.agent.digits('5', atAgent);
    await button('Hold').click();
    await button('Resume').waitFor();
    expect(await tonesHeard(talkers.agent, [MICROPHONE_HZ], atAgent)).to.deep.equal([]);
    await button('Resume').click();
    await button('Mute').click();
    await button('Unmute').waitFor();
    await button('Hang up').click();
    await talkers.agent.closed(atAgent);
    await shows('No call is on.');
    await shows(/^inside · /);
  });

  it('answers a customer and transfers after both agents spoke, in Arabic', async () => {
    await signIn('ar');
    expect(await page.evaluate('getComputedStyle(document.body).direction')).to.equal('rtl');
    await assertAccessible('ready');
    const { call_id: callId } = await stage.call({ to: CUSTOMER, connect: { type: 'agent', target: '1002' } });
    const atCarrier = await talkers.carrier.incoming();
    await talkers.carrier.answer(atCarrier);
    await button('رد').click();
    await talkers.carrier.waitToHear(hears(MICROPHONE_HZ), { callId: atCarrier });
    await shows(/^تم الاتصال · /);
    await assertAccessible('in a call');

    await button('تحويل').click();
    await page.locator('#target').fill('1001');
    await assertAccessible('transfer');
    await button('التحدث أولًا').click();
    const atAgent = await talkers.agent.incoming();
    await talkers.agent.answer(atAgent);
    await talkers.agent.waitToHear(hears(MICROPHONE_HZ), { callId: atAgent });
    await shows('أنت تتحدث مع الطرف الآخر، ويسمع المتصل موسيقى.');
    await button('وصل الطرفين').click();
    await talkers.agent.waitToHear(hears(CARRIER_HZ), { callId: atAgent });
    await talkers.carrier.waitToHear(hears(AGENT_HZ), { callId: atCarrier });
    await shows('لا توجد مكالمة جارية.');
    await stage.hangup(callId);
    await talkers.agent.closed(atAgent);
  });

  it('transfers at once, and shows what is wrong', async () => {
    await signIn('en');
    const { call_id: callId } = await stage.call({ to: CUSTOMER, connect: { type: 'agent', target: '1002' } });
    const atCarrier = await talkers.carrier.incoming();
    await talkers.carrier.answer(atCarrier);
    await button('Answer').click();
    await talkers.carrier.waitToHear(hears(MICROPHONE_HZ), { callId: atCarrier });
    await button('Transfer').click();
    await page.locator('#target').fill('4711');
    await button('Transfer now').click();
    await page.getByRole('alert').filter({ hasText: 'The call was not transferred.' }).waitFor();
    await page.locator('#target').fill('1001');
    await button('Transfer now').click();
    const atAgent = await talkers.agent.incoming();
    await talkers.agent.answer(atAgent);
    await talkers.agent.waitToHear(hears(CARRIER_HZ), { callId: atAgent });
    await shows('No call is on.');
    await stage.hangup(callId);
    await talkers.agent.closed(atAgent);
  });

  it('signs in to a queue by the keyboard, takes its caller, and shows what others change', async () => {
    await giveEars(page);
    await signIn('en');
    const queues = new QueueSection(page);
    await queues.shows('You have not signed in to a queue yet.');
    await queues.element.getByLabel('Another queue').focus();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await queues.lists('sales', 'signed in · waiting callers: 0');
    await queues.announced('You are signed in to sales.');
    // The focus follows the queue.
    expect(await page.evaluate(`document.activeElement.ariaLabel`)).to.equal('Sign out of sales');
    await assertAccessible('queues');

    await stage.call({ to: CUSTOMER, connect: { type: 'queue', target: sales } });
    const atCarrier = await talkers.carrier.incoming();
    await talkers.carrier.answer(atCarrier);
    await queues.shows('A caller is offered to you.');
    await button('Answer').click();
    await talkers.carrier.waitToHear(hears(MICROPHONE_HZ), { callId: atCarrier });
    await untilPageHears(page, CARRIER_HZ);
    await queues.shows('You are in a call.');
    await talkers.carrier.hangup(atCarrier);
    await queues.shows(/^Time after the call: \d s left\.$/);
    await queues.shows('You are free: callers are offered to you.');

    await page.goto(`${stage.url}/phone?language=ar`);
    const inArabic = new QueueSection(page, 'قوائم الانتظار');
    await inArabic.lists('sales', 'سجّلت الدخول · عدد المنتظرين: 0');
    const pause = { agent: '1002', reason: 'صلاة' };
    await stage.request('POST', '/v1/queues/agents/pause', { json: pause });
    await inArabic.shows(/^أوقفت استقبال المكالمات مؤقتًا \(صلاة\)/);
    await assertAccessible('a pause');
    await inArabic.button('العودة إلى استقبال المكالمات').click();
    await inArabic.shows('يمكنك استقبال المكالمات، وسيُعرض عليك المتصلون.');
    await inArabic.element.getByRole('button', { name: /^تسجيل الخروج من .?sales/ }).click();
    await inArabic.lists('sales', 'سجّلت الخروج');
    const { body } = await stage.request('GET', '/v1/queues/members?queue=sales');
    expect(body?.data).to.have.length(1);
    expect((body?.data as object[])[0]).to.include({ agent: '1002', status: 'logged_out' });
  });

  it('changes devices, tests the connection, and stays signed in until the person leaves', async () => {
    await signIn('en');
    await button('Sound').click();
    await page.locator('#microphone').waitFor();
    await assertAccessible('devices');
    await button('Test the connection').click();
    await shows('Everything works.');
    await page.keyboard.press('Escape');
    await page.locator('dialog').waitFor({ state: 'detached' });
    await page.reload();
    await shows('Ready for calls');
    await button('Sign out').click();
    await page.locator('#email').waitFor();
    const newest = async (): Promise<unknown> => {
      const { body } = await stage.request('GET', '/v1/web-calling/sessions?limit=1');
      return (body?.data as { status: string }[])[0]?.status;
    };
    await eventually(async () => (await newest()) === 'revoked', 'the session of the agent is over');
    await page.reload();
    await page.locator('#email').waitFor();
  });

  it('replaces the session of a tab that was closed, if there are too many', async () => {
    for (let i = 0; i < 7; i++) {
      const tab = await browser.newPage();
      await tab.goto(`${stage.url}/phone?language=en`);
      await tab.locator('#email').fill(EMAIL);
      await tab.locator('#password').fill(PASSWORD);
      await tab.keyboard.press('Enter');
      await tab.getByText('Ready for calls').waitFor();
      await tab.close();
    }
    await signIn('en');
  });

  it('is a telephone for a person with a token, as the README shows it', async () => {
    const json = { identity: 'me', allow: { outgoing: ['agent'] } };
    const { body } = await stage.request('POST', '/v1/web-calling/sessions', { json });
    await page.goto(`${stage.url}/phone?language=en#${String(body?.token)}`);
    await shows('Ready for calls');
    expect(page.url()).not.to.contain('wcs_');
    await assertAccessible('without an account');
    await page.locator('#dial').fill('1001');
    await page.keyboard.press('Enter');
    const atAgent = await talkers.agent.incoming();
    await talkers.agent.answer(atAgent);
    await talkers.agent.waitToHear(hears(MICROPHONE_HZ), { callId: atAgent });
    await talkers.agent.hangup(atAgent);
    await shows('No call is on.');
    await page.reload();
    await shows('Ready for calls');
  });

  it('can be installed, and lets nothing from outside in', async () => {
    const answer = await page.goto(`${stage.url}/phone?language=ar`);
    await page.locator('#email').waitFor();
    const policy = answer!.headers()['content-security-policy'];
    expect(policy).to.contain("default-src 'none'").and.not.contain('unsafe');
    const link = await page.locator('link[rel=manifest]').getAttribute('href');
    const manifest = (await (await fetch(stage.url + link!)).json()) as Record<string, unknown>;
    expect(manifest).to.deep.include({ display: 'standalone', dir: 'rtl', start_url: '/phone?language=ar' });
    const [icon] = manifest.icons as { src: string }[];
    expect((await fetch(stage.url + icon!.src)).status).to.equal(200);
    const worker = await fetch(`${stage.url}/phone/worker.js`);
    expect(worker.headers.get('service-worker-allowed')).to.equal('/phone');
    await desk.untilWorker();
    await page.reload();
    await page.locator('#email').waitFor();
  });
});
