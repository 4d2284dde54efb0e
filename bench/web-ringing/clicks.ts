import { setTimeout } from 'node:timers/promises';
import type { Browser } from 'playwright-core';
import { browserProgram, openBrowser, Website } from '../../test/support/platform/browser.js';
import { Baresip } from '../../test/support/phones/index.js';
import { MICROPHONE_ARGUMENTS, WebPhone } from '../../test/support/phones/web-phone.js';
import type { Application } from '../lib/application.js';
import type { AriTap } from './ari-tap.js';
import { aheadMs, NOW_OF_PAGE } from './clock.js';
import { stepsOf, type Moments } from './steps.js';

/** The first calls load what the next ones need. */
const [WARM_UP_CALLS, CALLS] = [3, 30];

/** Notes the moments of a call in the page. It runs in the browser before any other script, so it is text here. */
const PROBE = `(() => {
  const note = (name) => { window.moments[name] ??= ${NOW_OF_PAGE}; };
  const noteAfter = (prototype, method, name) => {
    const own = prototype[method];
    prototype[method] = async function (...given) {
      const result = await own.apply(this, given);
      note(name);
      return result;
    };
  };
  noteAfter(MediaDevices.prototype, 'getUserMedia', 'microphone');
  noteAfter(RTCPeerConnection.prototype, 'setLocalDescription', 'offered');
  const { send } = WebSocket.prototype;
  WebSocket.prototype.send = function (data) {
    if (String(data).startsWith('INVITE ')) note('invited' in window.moments ? 'authorized' : 'invited');
    return send.call(this, data);
  };
})();`;

/** One call, from the click until the page shows that it rings. It runs in the browser, so it is text here. */
const CLICK = `(async () => {
  window.moments = {};
  const clicked = ${NOW_OF_PAGE};
  const call = await web.device.connect({ to: { agent: 'AGENT' } });
  const over = new Promise((resolve) => call.once('disconnected', resolve));
  await new Promise((resolve, reject) => {
    call.once('ringing', resolve);
    over.then(({ code }) => reject(new Error(code)));
  });
  const heard = ${NOW_OF_PAGE};
  call.hangup();
  await over;
  return { clicked, ...window.moments, heard };
})()`;

const BETWEEN_CLICKS_MS = 200;

export interface ClicksOptions {
  /** Of a session that may call the agent. */
  readonly token: string;
  /** A softphone that rings. */
  readonly agent: { readonly user: string; readonly password: string };
  readonly registrar: { readonly host: string; readonly port: number };
  /** Between the application and the engine. */
  readonly tap: AriTap;
}

/** All in milliseconds. */
export interface Clicks {
  /** From the click to the ringing, of the page's first call. */
  readonly first: number;
  /** The same, of each call after the first ones. */
  readonly totals: readonly number[];
  /** The steps of these calls, without those of which a moment was not seen. */
  readonly steps: readonly (readonly number[])[];
}

/** Clicks in a browser, which calls a softphone, again and again. @returns null without a browser */
export async function clicks(application: Application, options: ClicksOptions): Promise<Clicks | null> {
  const program = browserProgram();
  if (program === null) return null;
  const { agent, registrar, token, tap } = options;
  const site = await Website.start();
  let browser: Browser | null = null;
  const phone = await Baresip.start({
    ...{ user: agent.user, codecs: ['PCMA'] },
    registrar: { ...registrar, password: agent.password },
  });
  try {
    await phone.registered();
    site.show('<h1>Calls</h1>');
    await application.db.query('UPDATE projects SET allowed_origins = $1', [[site.origin]]);
    browser = await openBrowser(program, MICROPHONE_ARGUMENTS);
    const page = await WebPhone.open(browser, { origin: site.origin, platformUrl: application.url, before: PROBE });
    const failure = await page.start(token);
    if (failure !== null) throw new Error(`the browser did not register: ${failure}`);
    const ahead = await aheadMs((expression) => page.run<number>(expression));
    const totals: number[] = [];
    const steps: (readonly number[] | null)[] = [];
    for (let call = 0; call < WARM_UP_CALLS + CALLS; call += 1) {
      tap.take();
      const inPage = await page.run<Moments & Clicked>(CLICK.replace('AGENT', agent.user));
      const outside = Object.entries(tap.take()).map(([moment, ms]) => [moment, ms + ahead] as const);
      totals.push(inPage.heard - inPage.clicked);
      // A browser may send fifty messages a second; clicks without a pause are more on a fast machine.
      await setTimeout(BETWEEN_CLICKS_MS);
      steps.push(stepsOf(inPage.clicked, { ...inPage, ...(Object.fromEntries(outside) as Moments) }));
    }
    return {
      first: totals[0] ?? Number.NaN,
      totals: totals.slice(WARM_UP_CALLS),
      steps: steps.slice(WARM_UP_CALLS).filter((each) => each !== null),
    };
  } finally {
    await browser?.close();
    await phone.close();
    await site.close();
  }
}

interface Clicked {
  readonly clicked: number;
  readonly heard: number;
}
