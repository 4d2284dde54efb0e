import { expect } from 'chai';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { AGENT_HZ, CARRIER_HZ, CUSTOMER, TrunkTalkers } from '../../support/calls/trunk-talkers.js';
import { hears, tonesHeard } from '../../support/judges/hearing.js';
import { partSeconds } from '../../support/judges/mixed-hearing.js';
import { addPhoneUser, AgentPage } from '../../support/phones/agent-page.js';
import { MICROPHONE_ARGUMENTS, MICROPHONE_HZ } from '../../support/phones/web-phone.js';
import { browserProgram, openBrowser } from '../../support/platform/browser.js';
import type { TestPlatform } from '../../support/platform/platform.js';
import { withPlatform } from '../../support/platform/with-platform.js';
import { skipBecause } from '../../support/skip.js';

/** For the browser's processing, a tone that does not end is noise. */
const PLAIN_MICROPHONE = `
const open = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices);
navigator.mediaDevices.getUserMedia = () =>
  open({ audio: { noiseSuppression: false, echoCancellation: false, autoGainControl: false } });`;

const [AGENT, ADMIN, NOBODY] = ['huda@clinic.example', 'sara@clinic.example', 'nora@clinic.example'];

describe('the phone of agents, case by case', function () {
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
  let context: BrowserContext;
  let page: Page;
  let desk: AgentPage;

  before(async () => {
    browser = await openBrowser(program, MICROPHONE_ARGUMENTS);
  });
  withPlatform(async (made) => {
    stage = made;
    talkers = await TrunkTalkers.at(stage);
    await addPhoneUser(stage, { email: AGENT, agent: '1002' });
    await addPhoneUser(stage, { email: ADMIN, agent: '1002', role: 'admin' });
    await addPhoneUser(stage, { email: NOBODY, agent: null, role: 'viewer' });
    const { db } = stage.platform.stores;
    await db.query(`UPDATE agents SET display_name = 'أحمد الغامدي' WHERE agent = '1001'`);
    await stage.request('POST', '/v1/contacts', { json: { phone: CUSTOMER, name_en: 'Faisal Al-Harbi' } });
  });
  after(() => browser.close());
  beforeEach(async () => {
    context = await browser.newContext();
    page = await context.newPage();
    page.setDefaultTimeout(30_000);
    desk = new AgentPage(page, stage.url);
  });
  afterEach(() => context.close());

  /** A customer's call that the page has answered. */
  const answered = async (accept: string): Promise<{ callId: string; atCarrier: string }> => {
    const { call_id: callId } = await stage.call({ to: CUSTOMER, connect: { type: 'agent', target: '1002' } });
    const atCarrier = await talkers.carrier.incoming();
    await talkers.carrier.answer(atCarrier);
    await desk.button(accept).click();
    await talkers.carrier.waitToHear(hears(MICROPHONE_HZ), { callId: atCarrier });
    return { callId, atCarrier };
  };

  for (const [language, texts] of Object.entries({
    en: {
      accept: 'Answer',
      transfer: 'Transfer',
      now: 'Transfer now',
      none: 'No call is on.',
      away: 'Nobody was found.',
    },
    ar: { accept: 'رد', transfer: 'تحويل', now: 'تحويل الآن', none: 'لا توجد مكالمة جارية.', away: 'لا توجد نتائج.' },
  }) as ['en' | 'ar', Record<string, string>][]) {
    it(`finds a colleague by name and transfers by the keyboard (${language})`, async () => {
      await desk.signIn(AGENT, language);
      const { callId, atCarrier } = await answered(texts.accept!);
      await desk.button(texts.transfer!).click();
      // Written another way than the name is.
      await page.locator('#target').fill('احمد');
      const option = page.getByRole('option', { name: 'أحمد الغامدي' });
      await option.waitFor();
      expect(await page.locator('#target').getAttribute('aria-expanded')).to.equal('true');
      await page.keyboard.press('ArrowDown');
      expect(await option.getAttribute('aria-selected')).to.equal('true');
      await desk.assertAccessible('search');
      await page.keyboard.press('Enter');
      expect(await page.locator('#target').inputValue()).to.equal('أحمد الغامدي (1001)');
      await desk.button(texts.now!).click();
      const atAgent = await talkers.agent.incoming();
      await talkers.agent.answer(atAgent);
      await talkers.agent.waitToHear(hears(CARRIER_HZ), { callId: atAgent });
      await talkers.carrier.waitToHear(hears(AGENT_HZ), { callId: atCarrier });
      await desk.shows(texts.none!);
      await stage.hangup(callId);
      await talkers.agent.closed(atAgent);
    });

    it(`is accessible on every screen (${language})`, async () => {
      await page.goto(`${stage.url}/phone?language=${language}`);
      await page.locator('#email').waitFor();
      await desk.assertAccessible('sign-in');
      await page.locator('#password').press('Enter');
      await desk.assertAccessible('sign-in without anything');
      await desk.signIn(ADMIN, language);
      await desk.assertAccessible('ready');
      await desk.button(language === 'en' ? 'Sound' : 'الصوت').click();
      await page.locator('#microphone').waitFor();
      await desk.assertAccessible('sound');
      await page.keyboard.press('Escape');
      const { callId, atCarrier } = await answered(texts.accept!);
      await desk.assertAccessible('in a call');
      await desk.button(language === 'en' ? 'Hold' : 'تعليق المكالمة').click();
      await desk.button(language === 'en' ? 'Resume' : 'استئناف المكالمة').waitFor();
      await desk.assertAccessible('on hold');
      await desk.button(texts.transfer!).click();
      await page.locator('#target').fill('zzz');
      await desk.shows(texts.away!);
      await desk.assertAccessible('nobody found');
      // The first Escape closes nothing but the list, which is closed already.
      await page.keyboard.press('Escape');
      await page.locator('dialog').waitFor({ state: 'detached' });
      await desk.button(language === 'en' ? 'Conference' : 'مكالمة جماعية').click();
      await page.locator('#conference').waitFor();
      await desk.assertAccessible('conference');
      await page.keyboard.press('Escape');
      await page.setViewportSize({ width: 320, height: 640 });
      await desk.assertAccessible('in a call, on a small screen');
      await stage.hangup(callId);
      await talkers.carrier.closed(atCarrier);
      await desk.shows(texts.none!);
      await page.emulateMedia({ colorScheme: 'dark' });
      await desk.assertAccessible('in the dark');
    });

    it(`says to a user without an extension what is missing (${language})`, async () => {
      await page.goto(`${stage.url}/phone?language=${language}`);
      await page.locator('#email').fill(NOBODY);
      await page.locator('#password').fill('a long password of Reem');
      await page.keyboard.press('Enter');
      await desk.shows(language === 'en' ? 'Your user has no agent.' : 'حسابك غير مرتبط بموظف.');
      await desk.assertAccessible('no extension');
    });
  }

  it('finds contacts for those who see them, and the customer of an earlier call by a part of the number', async () => {
    await desk.signIn(ADMIN, 'en');
    const { callId, atCarrier } = await answered('Answer');
    await desk.button('Transfer').click();
    await page.locator('#target').fill('faisal');
    await page.getByRole('option', { name: 'Faisal Al-Harbi' }).click();
    expect(await page.locator('#target').inputValue()).to.equal(`Faisal Al-Harbi (${CUSTOMER})`);
    await page.locator('#target').fill('no such person');
    await desk.shows('Nobody was found.');
    await page.locator('#target').fill(CUSTOMER.slice(-4));
    await page.getByRole('option', { name: CUSTOMER }).first().waitFor();
    await stage.hangup(callId);
    await talkers.carrier.closed(atCarrier);
  });

  it('joins a customer and a colleague in a conference, although the customer was put on hold', async () => {
    await page.addInitScript(PLAIN_MICROPHONE);
    await desk.signIn(ADMIN, 'en');
    const { callId, atCarrier } = await answered('Answer');
    await page.locator('#dial').fill('1001');
    await desk.button('Call').click();
    const atAgent = await talkers.agent.incoming();
    await talkers.agent.answer(atAgent);
    await talkers.agent.waitToHear(hears(MICROPHONE_HZ), { callId: atAgent });
    await desk.button('Resume').waitFor();
    // The colleague first, whose extension is no part of a number.
    for (const card of [1, 0]) {
      await desk.button('Conference').nth(card).click();
      await page.locator('#conference').fill('talk');
      await desk.button('Join').click();
      await page.locator('dialog').waitFor({ state: 'detached' });
    }
    const tones = [CARRIER_HZ, AGENT_HZ, MICROPHONE_HZ];
    await talkers.carrier.waitToHear((audio) => partSeconds(audio, AGENT_HZ) > 0.5, { callId: atCarrier });
    expect(await tonesHeard(talkers.carrier, tones, atCarrier)).to.deep.equal([AGENT_HZ, MICROPHONE_HZ]);
    expect(await tonesHeard(talkers.agent, tones, atAgent)).to.deep.equal([CARRIER_HZ, MICROPHONE_HZ]);
    await desk.button('Resume').click();
    await desk.button('Hold').nth(1).click();
    await desk.button('Resume').waitFor();
    expect(await tonesHeard(talkers.carrier, tones, atCarrier)).to.deep.equal([AGENT_HZ, MICROPHONE_HZ]);
    expect(await tonesHeard(talkers.agent, tones, atAgent)).to.deep.equal([CARRIER_HZ, MICROPHONE_HZ]);
    await stage.hangup(callId);
    await talkers.carrier.closed(atCarrier);
    await talkers.agent.hangup(atAgent);
    await desk.button('Hang up').click();
    await desk.shows('No call is on.');
  });

  it('works inside another page of the platform, and in no page of another site', async () => {
    const frame = '<title>Console</title><iframe src="/phone?language=en" title="Phone" allow="microphone"></iframe>';
    const headers = { 'content-type': 'text/html; charset=utf-8' };
    await page.route(`${stage.url}/around`, (route) => route.fulfill({ body: frame, headers }));
    await page.goto(`${stage.url}/around`);
    const inside = page.frameLocator('iframe');
    await inside.locator('#email').fill(AGENT);
    await inside.locator('#password').fill('a long password of Reem');
    await inside.locator('#password').press('Enter');
    await inside.getByText('Ready for calls').waitFor();
    await inside.locator('#dial').fill('1001');
    await inside.locator('#dial').press('Enter');
    const atAgent = await talkers.agent.incoming();
    await talkers.agent.answer(atAgent);
    await talkers.agent.waitToHear(hears(MICROPHONE_HZ), { callId: atAgent });
    await talkers.agent.hangup(atAgent);
    await inside.getByText('No call is on.').waitFor();
    const answer = await fetch(`${stage.url}/phone`);
    expect(answer.headers.get('content-security-policy')).to.contain("frame-ancestors 'self'");
  });

  it('opens without a network as it was last seen, in its language, and keeps nothing of the calls', async () => {
    await page.goto(`${stage.url}/phone?language=ar`);
    await desk.untilWorker();
    await page.reload();
    await page.locator('#email').waitFor();
    await context.setOffline(true);
    await page.reload();
    await page.locator('#email').waitFor();
    expect(await page.evaluate('document.documentElement.lang')).to.equal('ar');
    await context.setOffline(false);
    await desk.signIn(AGENT, 'ar');
    const kept = await page.evaluate<string[]>(`(async () => {
      const cache = await caches.open('hatif-phone');
      return (await cache.keys()).map(({ url }) => new URL(url).pathname).sort();
    })()`);
    expect([...new Set(kept)]).to.deep.equal([
      ...[
        '/docs/assets/icon.svg',
        '/phone',
        '/phone/main.js',
        '/phone/manifest.webmanifest',
        '/phone/style.css',
      ].filter((path) => kept.includes(path)),
    ]);
    expect(kept).to.include.members(['/phone', '/phone/main.js', '/phone/style.css']);
  });
});
