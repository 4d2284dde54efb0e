import type { Browser } from 'playwright-core';
import { browserProgram, openBrowser, Website } from '../../test/support/platform/browser.js';
import { Baresip } from '../../test/support/phones/index.js';
import { MICROPHONE_ARGUMENTS, WebPhone } from '../../test/support/phones/web-phone.js';
import type { Application } from '../lib/application.js';

/** The first calls load what the next ones need. */
const [WARM_UP_CALLS, CALLS] = [3, 30];

/** One call, from the click until the page shows that it rings, in milliseconds. It runs in the browser, so it is text here. */
const CLICK = `(async () => {
  const beganMs = performance.now();
  const call = await web.device.connect({ to: { agent: 'AGENT' } });
  const over = new Promise((resolve) => call.once('disconnected', resolve));
  await new Promise((resolve, reject) => {
    call.once('ringing', resolve);
    over.then(({ code }) => reject(new Error(code)));
  });
  const tookMs = performance.now() - beganMs;
  call.hangup();
  await over;
  return tookMs;
})()`;

export interface RingingOptions {
  /** Of a session that may call the agent. */
  readonly token: string;
  /** A softphone that rings. */
  readonly agent: { readonly user: string; readonly password: string };
  readonly registrar: { readonly host: string; readonly port: number };
}

/** @returns milliseconds from the click to the ringing, one of each call; null without a browser */
export async function clickToRinging(application: Application, options: RingingOptions): Promise<number[] | null> {
  const program = browserProgram();
  if (program === null) return null;
  const { agent, registrar, token } = options;
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
    const page = await WebPhone.open(browser, { origin: site.origin, platformUrl: application.url });
    const failure = await page.start(token);
    if (failure !== null) throw new Error(`the browser did not register: ${failure}`);
    const times: number[] = [];
    for (let call = 0; call < WARM_UP_CALLS + CALLS; call += 1) {
      const ms = await page.run<number>(CLICK.replace('AGENT', agent.user));
      if (call >= WARM_UP_CALLS) times.push(ms);
    }
    return times;
  } finally {
    await browser?.close();
    await phone.close();
    await site.close();
  }
}
