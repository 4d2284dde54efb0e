import { expect } from 'chai';
import type { Browser } from 'playwright-core';
import { AsteriskHost } from '../../conformance/rigs/asterisk-host.js';
import { AGENT_HZ } from '../../support/calls/trunk-talkers.js';
import { TestAuthority } from '../../support/certificates.js';
import { hears, hearsMore, since } from '../../support/judges/hearing.js';
import { toneSeconds } from '../../support/judges/audio.js';
import { FreezableProxy } from '../../chaos/freezable-proxy.js';
import { UdpProxy } from '../../support/peers/udp-proxy.js';
import { freeSipPort, type Baresip } from '../../support/phones/index.js';
import { MICROPHONE_ARGUMENTS, MICROPHONE_HZ, WebPhone } from '../../support/phones/web-phone.js';
import { browserProgram, openBrowser, Website } from '../../support/platform/browser.js';
import { TestPlatform } from '../../support/platform/platform.js';
import { skipBecause } from '../../support/skip.js';
import { RelayStage } from '../../support/stages/web-calling/relay-stage.js';

/** Below the ports of phones. */
const PORTS = { from: 21_200 };
const RTP = { from: 19_800, to: 19_998 };
/** What a cut may cost beside its own length. */
const LATE_SECONDS = 1;

/** For how long the page has not heard this tone, in milliseconds. It runs in the browser, so it is text here. */
const MISSED = `
web.listen = (hz) => {
  web.missedMs = 0;
  let before = performance.now();
  setInterval(() => {
    const now = performance.now();
    if (Math.abs(web.hear() - hz) >= 15) web.missedMs += now - before;
    before = now;
  }, 50);
};`;

describe('a call in a browser whose network is cut', function () {
  this.timeout(240_000);
  let relay: RelayStage;
  /** All audio of the browser passes it: it uses the TURN server only. */
  let audio: UdpProxy;
  let signalling: FreezableProxy;
  let asterisk: AsteriskHost;
  let stage: TestPlatform;
  let agent: Baresip;
  let site: Website;
  let browser: Browser;
  let tab: WebPhone;
  let sessionId: string;

  before(async function () {
    const program = browserProgram();
    if (program === null) skipBecause(this, 'there is no Chromium on this machine');
    const started = await RelayStage.start(await (await TestAuthority.create()).issue(), PORTS);
    if (started === null) skipBecause(this, 'this machine has no address but the loopback');
    relay = started;
    audio = await UdpProxy.start(relay.address.port, undefined, relay.address.host);
    // At the loopback, where no TURN server relays to, its media would be out of reach.
    asterisk = await AsteriskHost.start(RTP, { sip: { bind: '0.0.0.0', port: await freeSipPort() } });
    const { running } = asterisk;
    stage = await TestPlatform.start({
      settings: { ...relay.settings, TURN_SERVERS: `turn:127.0.0.1:${audio.port}` },
      asterisk: { ...running, sip: { ...running.sip, host: '127.0.0.1' } },
    });
    agent = await stage.softphone('1001', { source: { toneHz: AGENT_HZ } });
    signalling = await FreezableProxy.start('127.0.0.1', Number(new URL(stage.url).port));
    site = await Website.start();
    site.show('<h1>Calls</h1>');
    await stage.platform.stores.db.query('UPDATE projects SET allowed_origins = $1', [[site.origin]]);
    browser = await openBrowser(program, MICROPHONE_ARGUMENTS);
  });
  after(async () => {
    await (browser as Browser | undefined)?.close();
    await (site as Website | undefined)?.close();
    await (signalling as FreezableProxy | undefined)?.close();
    await (stage as TestPlatform | undefined)?.stop();
    await (asterisk as AsteriskHost | undefined)?.stop();
    (audio as UdpProxy | undefined)?.close();
    await (relay as RelayStage | undefined)?.close();
  });
  afterEach(async () => {
    await tab.close();
    await stage.request('DELETE', `/v1/web-calling/sessions/${sessionId}`);
    stage.assertSound();
  });

  /** Both hear each other, through the TURN server. */
  const talking = async (): Promise<string> => {
    const json = { identity: 'reem', allow: { incoming: false, outgoing: ['agent'] }, require_relay: true };
    const { status, body, text } = await stage.request('POST', '/v1/web-calling/sessions', { json });
    expect(status, text).to.equal(201);
    sessionId = String(body?.session_id);
    const options = { origin: site.origin, platformUrl: stage.url, webSocketPort: signalling.port };
    // For the browser's processing, a tone that does not end is noise.
    const processing = { noiseSuppression: false, echoCancellation: false, autoGainControl: false };
    tab = await WebPhone.open(browser, { ...options, device: { relayOnly: true, ...processing } });
    expect(await tab.start(String(body?.token))).to.equal(null);
    expect(await tab.connect({ agent: '1001' })).to.equal(null);
    const atAgent = await agent.incoming();
    await agent.answer(atAgent);
    await tab.until('call connected');
    await agent.waitToHear(hears(MICROPHONE_HZ), { callId: atAgent });
    await tab.untilHears(AGENT_HZ);
    await tab.page.waitForFunction(`web.call.quality?.path === 'relay'`);
    await tab.run(`${MISSED} web.listen(${AGENT_HZ})`);
    return atAgent;
  };
  /** Nothing passes for this time, and nothing says so. @returns how long it really was, in seconds */
  const cutFor = async (seconds: number): Promise<number> => {
    const begun = performance.now();
    signalling.freeze();
    audio.cut();
    // The time without a network is the effect itself.
    await new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
    signalling.thaw();
    audio.restore();
    return (performance.now() - begun) / 1_000;
  };
  const endsAtAgent = async (atAgent: string): Promise<void> => {
    await agent.hangup(atAgent);
    await tab.until('call disconnected {"code":"hangup","by":"remote"}', 1, 5_000);
  };

  for (const seconds of [5, 30]) {
    it(`for ${seconds} seconds continues as soon as the network is back`, async () => {
      const atAgent = await talking();
      const heard = since(agent, atAgent);
      const awayFor = await cutFor(seconds);
      // A short cut may be over before the package has done anything about it.
      await tab.page.waitForFunction(`web.call.state === 'connected'`, undefined, { timeout: 60_000 });
      await hearsMore(agent, atAgent, MICROPHONE_HZ, 5);
      await tab.untilHears(AGENT_HZ);
      const missedByPage = (await tab.run<number>('web.missedMs')) / 1_000;
      const all = heard();
      const atAgentMissed = agent.missingSeconds(atAgent) + all.seconds - toneSeconds(all, MICROPHONE_HZ);
      await endsAtAgent(atAgent);
      const late = [atAgentMissed, missedByPage].map((missed) => (missed - awayFor).toFixed(1));
      expect(
        Math.max(...late.map(Number)),
        `beside the cut, without audio at agent and page: ${late.join(', ')}`,
      ).to.be.below(LATE_SECONDS);
    });
  }

  it('continues without a gap if only its WebSocket is cut, or its token is refreshed', async () => {
    const atAgent = await talking();
    const heard = since(agent, atAgent);
    signalling.freeze();
    await hearsMore(agent, atAgent, MICROPHONE_HZ, 5);
    signalling.thaw();
    const refreshed = await stage.request('POST', `/v1/web-calling/sessions/${sessionId}/refresh`, {
      json: { ttl_seconds: 3_600 },
    });
    expect(await tab.outcome(`web.device.updateToken('${String(refreshed.body?.token)}')`)).to.equal(null);
    await hearsMore(agent, atAgent, MICROPHONE_HZ, 2);
    await tab.untilHears(AGENT_HZ);
    const all = heard();
    expect(await tab.run<number>('web.missedMs')).to.be.below(LATE_SECONDS * 1_000);
    await endsAtAgent(atAgent);
    expect(all.seconds - toneSeconds(all, MICROPHONE_HZ), 'seconds without the tone').to.be.below(LATE_SECONDS);
    expect(agent.missingSeconds(atAgent)).to.be.below(LATE_SECONDS);
  });
});
