import { expect } from 'chai';
import type { Browser } from 'playwright-core';
import { AGENT_HZ, CARRIER_HZ, CUSTOMER } from '../../support/calls/trunk-talkers.js';
import { TestAuthority } from '../../support/certificates.js';
import { hears } from '../../support/judges/hearing.js';
import { TlsEnd } from '../../support/peers/sip/tls-end.js';
import { MICROPHONE_ARGUMENTS, MICROPHONE_HZ, WebPhone } from '../../support/phones/web-phone.js';
import { browserProgram, openBrowser, Website } from '../../support/platform/browser.js';
import { describeFreeswitch } from '../../support/platform/freeswitch.js';
import { skipBecause } from '../../support/skip.js';
import { onFreeswitch, type OpenWebStage } from '../../support/stages/web-calling/engines.js';

/** The address of the WebSocket is that of the end of TLS. */
const through = (port: number): string => `
const ask = window.fetch;
window.fetch = async (...asked) => {
  const answer = await ask(...asked);
  if (!String(asked[0]).endsWith('/web-calling/connect')) return answer;
  const text = (await answer.text()).replace(/ws:\\/\\/[^/]+/, 'wss://127.0.0.1:${port}');
  return new Response(text, { status: answer.status, headers: answer.headers });
};`;

describeFreeswitch('a browser whose WebSocket is secure, on FreeSWITCH', function () {
  this.timeout(240_000);
  const program = browserProgram();
  if (program === null) {
    it('is called', function () {
      skipBecause(this, 'there is no Chromium on this machine');
    });
    return;
  }

  let made: OpenWebStage;
  let end: TlsEnd;
  let site: Website;
  let browser: Browser;
  let tab: WebPhone;

  before(async () => {
    site = await Website.start();
    site.show('<h1>Calls</h1>');
    browser = await openBrowser(program, [...MICROPHONE_ARGUMENTS, '--ignore-certificate-errors']);
    made = await onFreeswitch();
    const { db, url } = made.stage;
    await db.query('UPDATE projects SET allowed_origins = $1', [[site.origin]]);
    end = await TlsEnd.start(await (await TestAuthority.create()).issue(), Number(new URL(url).port));
    tab = await WebPhone.open(browser, { origin: site.origin, platformUrl: url, before: through(end.port) });
  });
  after(async () => {
    await tab.close();
    await browser.close();
    await site.close();
    await made.close();
    end.close();
  });

  it('calls and is called, and hears of the hang-up of the other side', async () => {
    const { stage } = made;
    const { agent, carrier } = stage.talkers;
    const allow = { incoming: true, outgoing: ['agent'] };
    const session = await stage.request('POST', '/v1/web-calling/sessions', { identity: 'reem', agent: '1002', allow });
    expect(await tab.start(String(session.body?.token))).to.equal(null);
    const placed = await stage.request('POST', '/v1/calls', {
      ...{ to: CUSTOMER, connect: { type: 'agent', target: '1002' } },
    });
    expect(placed.status, placed.text).to.equal(202);
    const atCarrier = await carrier.incoming();
    await carrier.answer(atCarrier);
    await tab.until('incoming');
    expect(await tab.outcome('web.call.accept()')).to.equal(null);
    await carrier.waitToHear(hears(MICROPHONE_HZ), { callId: atCarrier });
    await tab.untilHears(CARRIER_HZ);
    await carrier.hangup(atCarrier);
    await tab.until('call disconnected {"code":"hangup","by":"remote"}', 1, 5_000);

    expect(await tab.connect({ agent: '1001' })).to.equal(null);
    const atAgent = await agent.incoming();
    await agent.answer(atAgent);
    await tab.until('call connected', 2);
    await agent.waitToHear(hears(MICROPHONE_HZ), { callId: atAgent });
    await tab.untilHears(AGENT_HZ);
    await agent.hangup(atAgent);
    await tab.until('call disconnected {"code":"hangup","by":"remote"}', 2, 5_000);
  });
});
