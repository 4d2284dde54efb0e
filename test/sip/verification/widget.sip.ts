import { join } from 'node:path';
import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';
import { openSpeech } from '../../../adapters/speech/index.js';
import { spokenDigits } from '../../../core/model/spoken/index.js';
import { demoWidget } from '../../../main/wiring/demo-widget.js';
import { mediaFolder } from '../../../main/install/places.js';
import { buildWidget } from '../../../scripts/lib/widget.mjs';
import { readWav, type Audio } from '../../support/judges/audio.js';
import { browserProgram, openBrowser, watched, Website } from '../../support/platform/browser.js';
import { eventually } from '../../support/eventually.js';
import { digitsIn } from '../../support/judges/heard-digits.js';
import type { TestPlatform } from '../../support/platform/platform.js';
import { skipBecause } from '../../support/skip.js';
import { TrunkTalkers } from '../../support/calls/trunk-talkers.js';
import { hears } from '../../support/judges/hearing.js';
import { MICROPHONE_ARGUMENTS, MICROPHONE_HZ, WebPhone } from '../../support/phones/web-phone.js';
import { solved } from '../../support/stages/widget-stage.js';
import { withPlatform } from '../../support/platform/with-platform.js';

interface Look {
  readonly color: string;
  readonly backgroundColor: string;
  readonly colorScheme: string;
  readonly isLeft: boolean;
  readonly width: number;
  readonly height: number;
}

describe('the click-to-call widget in a browser', function () {
  this.timeout(180_000);
  let stage: TestPlatform;
  let talkers: TrunkTalkers;
  let site: Website;
  let browser: Browser | null = null;
  let page: Page;

  const program = browserProgram();
  if (program === null) {
    it('rings a telephone', function () {
      skipBecause(this, 'there is no Chromium on this machine');
    });
    return;
  }

  before(async () => {
    await buildWidget();
    site = await Website.start();
  });
  withPlatform((made) => void (stage = made));
  before(async () => {
    talkers = await TrunkTalkers.at(stage);
    browser = await openBrowser(program, MICROPHONE_ARGUMENTS);
  });
  beforeEach(async () => {
    page = await browser!.newPage();
  });
  afterEach(() => page.close());
  after(async () => {
    await browser?.close();
    await site.close();
  });

  async function widget(json: object = {}): Promise<string> {
    const answer = await stage.request('POST', '/v1/widgets', {
      json: { name: 'Shop', allowed_origins: [site.origin], ...json },
    });
    expect(answer.status, answer.text).to.equal(201);
    return String(answer.body?.key);
  }
  const proofOf = async (key: string): Promise<object> => {
    const { body } = await stage.request('GET', `/v1/widget/challenge?key=${key}`, { key: '' });
    return solved(body as unknown as Parameters<typeof solved>[0]);
  };
  const script = (key: string, attributes = ''): string =>
    `<main><h1>Shop</h1><button id="before">Buy</button></main>
     <script src="${stage.url}/widget/v1.js" data-key="${key}" ${attributes} async></script>`;
  const status = (text: RegExp): Promise<unknown> =>
    page.getByRole('status').filter({ hasText: text }).waitFor({ timeout: 30_000 });
  /** Evaluates an expression of `element`, an element of the widget. */
  const inWidget = <T>(selector: string, expression: string): Promise<T> =>
    page.evaluate<T>(`(() => {
      const element = document.querySelector('hatif-widget').shadowRoot.querySelector('${selector}');
      return ${expression};
    })()`);
  /** Returns the focused element in the widget's shadow DOM. */
  const focused = (): Promise<string> =>
    page.evaluate<string>(`(() => {
      const inside = document.activeElement?.shadowRoot?.activeElement;
      return inside ? (inside.tagName.toLowerCase() + ' ' + (inside.id || inside.className)).trim() : 'nothing';
    })()`);

  it('calls a telephone from an Arabic page with a strict policy, and shows the progress', async () => {
    const { hosts, complaints } = watched(page);
    const policy = `default-src 'none'; script-src ${stage.url}; connect-src ${stage.url}; require-trusted-types-for 'script'`;
    site.show(script(await widget()), policy);
    await page.goto(site.origin);
    const button = page.getByRole('button', { name: 'اتصلوا بي' });
    await button.click();

    const dialog = page.getByRole('dialog', { name: 'سنتصل بك حالًا' });
    await dialog.waitFor();
    const direction = await inWidget<string>('dialog', 'getComputedStyle(element).direction');
    expect(direction).to.equal('rtl');
    expect(await page.locator('hatif-widget').getAttribute('lang')).to.equal('ar');
    expect(await focused()).to.equal('input to');
    await page.getByLabel('رقم الجوال أو الهاتف').fill('٠٥٠١٢٣');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').filter({ hasText: 'ليس رقم هاتف' }).waitFor();
    expect(await page.getByLabel('رقم الجوال أو الهاتف').getAttribute('aria-invalid')).to.equal('true');
    await page.getByLabel('رقم الجوال أو الهاتف').fill('٠٥٠١٢٣٤٥١٧');
    await page.getByLabel('الاسم (اختياري)').fill('ريم');
    await page.keyboard.press('Enter');

    const atCarrier = await talkers.carrier.incoming();
    await status(/هاتفك يرن/);
    await talkers.carrier.answer(atCarrier);
    const atAgent = await talkers.agent.incoming();
    await talkers.agent.answer(atAgent);
    await status(/تم الاتصال/);
    await talkers.talk({ atCarrier, atAgent });
    await talkers.carrier.hangup(atCarrier);
    await status(/انتهت المكالمة/);
    const [call] = await stage.latest(1);
    expect(call).to.deep.include({ kind: 'callback', agent: '1001', metadata: { widget: 'Shop', name: 'ريم' } });
    await stage.over(call!.call_id);
    expect([...hosts].sort()).to.deep.equal([site.origin, stage.url].sort());
    expect(complaints).to.deep.equal([]);
    expect(await inWidget<string>('dialog', 'element.textContent')).not.to.contain('1234517');
  });

  it('works with the keyboard only, and has the page’s colours and position', async () => {
    const key = await widget({ language: 'en', captcha: false, theme: { accent: '#ffe08a', scheme: 'light' } });
    site.show(script(key, 'data-label="Talk to us" data-theme="dark" data-position="start"'));
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await page.goto(site.origin);
    const button = page.getByRole('button', { name: 'Talk to us' });
    await button.waitFor();
    const look = await inWidget<Look>(
      '.open',
      `(({ color, backgroundColor, colorScheme }, { x, width, height }) =>
        ({ color, backgroundColor, colorScheme, isLeft: x + width / 2 < innerWidth / 2, width, height })
      )(getComputedStyle(element), element.getBoundingClientRect())`,
    );
    // Black text is readable on a light colour.
    expect(look).to.deep.include({ color: 'rgb(0, 0, 0)', backgroundColor: 'rgb(255, 224, 138)', isLeft: true });
    expect(look.colorScheme).to.equal('dark');
    expect(Math.min(look.width, look.height)).to.be.at.least(44);

    await page.locator('#before').focus();
    await page.keyboard.press('Tab');
    expect(await focused()).to.equal('button open');
    await page.keyboard.press('Enter');
    const round = [await focused()];
    for (let i = 0; i < 4; i++) {
      await page.keyboard.press('Tab');
      round.push(await focused());
    }
    expect(round.slice(0, 2)).to.deep.equal(['input to', 'input name']);
    expect(round[3]).to.equal('button x');
    expect(round[4]).to.equal('input to');
    await page.keyboard.press('Shift+Tab');
    expect(await focused()).to.equal('button x');
    const names = await inWidget<string[]>(
      'dialog',
      `Array.from(element.querySelectorAll('input,button'), (one) => one.offsetParent === null ? 'hidden' :
        one.labels?.[0]?.textContent ?? one.getAttribute('aria-label') ?? one.textContent)`,
    );
    expect(names.filter((name) => name.trim() === '')).to.deep.equal([]);
    const animation = `(element.classList.add('live'), getComputedStyle(element).animationName)`;
    expect(await inWidget<string>('.dot', animation)).to.equal('none');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    expect(await focused()).to.equal('button open');
  });

  it('can be tried on the platform’s own page', async () => {
    const demo = await demoWidget(stage.platform, stage.demo);
    expect(await demoWidget(stage.platform, stage.demo)).to.deep.equal(demo);
    stage.platform.api?.showDemo(demo);
    const { hosts, complaints } = watched(page);
    await page.goto(`${stage.url}/widget/demo?language=en`);
    await page.getByText(stage.demo.agents[1]!.number).waitFor();
    await page.getByRole('button', { name: 'Call me' }).click();
    await page.getByLabel('Telephone number').fill('+966501234517');
    await page.getByRole('button', { name: 'Call me now' }).click();
    const rung = await talkers.carrier.incoming();
    await status(/Your phone is ringing/);
    await talkers.carrier.reject(rung);
    await status(/could not reach you/);
    expect([...hosts]).to.deep.equal([stage.url]);
    expect(complaints).to.deep.equal([]);
  });

  it('verifies an English visitor’s telephone by a spoken code', async () => {
    let workers = 0;
    page.on('worker', () => (workers += 1));
    site.show(script(await widget({ otp: true }), 'data-language="en"'));
    await page.goto(site.origin);
    await page.getByRole('button', { name: 'Call me' }).click();
    await page.getByLabel('Telephone number').fill('0501234517');
    await page.getByRole('button', { name: 'Call me now' }).click();

    const codeCall = await talkers.carrier.incoming();
    await talkers.carrier.answer(codeCall);
    await page.getByText(/to read you a code/).waitFor();
    expect(workers, 'the work runs in a worker').to.equal(1);
    expect(await focused()).to.equal('input code');
    expect(await page.getByRole('button', { name: /^Again in/ }).isDisabled()).to.equal(true);
    await talkers.carrier.closed(codeCall, 60_000);
    const heard = digitsIn(talkers.carrier.heard(codeCall), await recordings());
    expect(heard).to.match(/^(\d{6})\1$/);

    await page.getByLabel('Code').fill(another(heard.slice(6)));
    await page.getByRole('button', { name: 'Confirm' }).click();
    await page.getByRole('alert').filter({ hasText: 'This code is wrong' }).waitFor();
    await page.getByLabel('Code').fill(heard.slice(6));
    await page.keyboard.press('Enter');
    const rung = await talkers.carrier.incoming();
    await status(/Your phone is ringing/);
    await talkers.carrier.reject(rung);
    await status(/could not reach you/);
    await page.getByRole('button', { name: 'Try again' }).waitFor();
  });

  it('calls from the browser, and reaches nothing but its destination', async () => {
    const destination = { type: 'agent', target: '1001' };
    const key = await widget({ language: 'en', browser_calls: true, destination });
    const socket = stage.url.replace('http', 'ws');
    const policy = `default-src 'none'; script-src ${stage.url}; connect-src ${stage.url} ${socket}`;
    site.show(script(key), policy);
    await page.goto(site.origin);
    await page.getByRole('button', { name: 'Call me' }).click();
    await page.getByRole('button', { name: 'Call from the browser' }).click();
    const atAgent = await talkers.agent.incoming();
    await status(/It rings/);
    await talkers.agent.answer(atAgent);
    await status(/You are connected/);
    await talkers.agent.waitToHear(hears(MICROPHONE_HZ), { callId: atAgent });
    await page.getByRole('button', { name: 'Mute' }).click();
    await page.getByRole('button', { name: 'Unmute' }).waitFor();
    const [call] = await stage.latest(1);
    expect(call).to.deep.include({ kind: 'web', agent: '1001', metadata: { widget: 'Shop' } });
    await talkers.agent.hangup(atAgent);
    await status(/The call ended/);

    // What a stranger can do with the same key: other agents, numbers, emergency numbers and services are refused.
    const made = await stage.request('POST', `/v1/widget/calls?key=${key}`, {
      json: { captcha: await proofOf(key) },
      headers: { origin: site.origin },
      key: '',
    });
    expect(made.status, made.text).to.equal(201);
    const stranger = await WebPhone.open(browser!, { origin: site.origin, platformUrl: stage.url });
    // Its page allows only the widget's script.
    site.show('<h1>Another page</h1>');
    await stranger.page.reload();
    expect(await stranger.start(String(made.body?.token))).to.equal(null);
    for (const [at, target] of ['1002', stage.demo.lineNumber, '+966501234517', '911', '*45', 'agent.1002'].entries()) {
      expect(await stranger.connect(target), target).to.equal(null);
      await stranger.until('call disconnected', at + 1);
    }
    const ends = (await stranger.events()).filter((event) => event.startsWith('call disconnected'));
    expect(
      ends.every((end) => /"code":"not_(allowed|found)","by":"remote"/.test(end)),
      ends.join(),
    ).to.equal(true);
    expect((await stage.latest(1))[0]?.call_id, 'the newest call').to.equal(call!.call_id);
    await stranger.close();
  });

  it('does not appear on a page that is not allowed', async () => {
    const logged: string[] = [];
    page.on('console', (message) => logged.push(message.text()));
    site.show(script(await widget({ allowed_origins: ['https://shop.example'] })));
    await page.goto(site.origin);
    await eventually(
      () => Promise.resolve(logged.some((text) => text.startsWith('Hatif widget:'))),
      'the widget logs the reason',
    );
    expect(await page.locator('hatif-widget').count()).to.equal(0);
  });

  /** Returns a recording of each spoken digit. */
  async function recordings(): Promise<Map<string, Audio>> {
    const speech = await openSpeech({ espeak: stage.parts.speech }, join(mediaFolder(stage.settings), 'speech'));
    const all = new Map<string, Audio>();
    for (const digit of '0123456789') {
      all.set(digit, readWav(`${await speech.synthesize(spokenDigits(digit, 'en'), 'en')}.wav`));
    }
    return all;
  }
  const another = (code: string): string => `${(Number(code[0]) + 1) % 10}${code.slice(1)}`;
});
