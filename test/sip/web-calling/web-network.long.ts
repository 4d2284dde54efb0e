import { expect } from 'chai';
import type { Browser } from 'playwright-core';
import { chooseLoopbackPort } from '../../../adapters/embedded/system/ports.js';
import { AGENT_HZ } from '../../support/calls/trunk-talkers.js';
import { hears, hearsMore, since } from '../../support/judges/hearing.js';
import { toneSeconds } from '../../support/judges/audio.js';
import { TcpProxy } from '../../support/peers/tcp-proxy.js';
import { TurnServer } from '../../support/peers/turn-server.js';
import { UdpProxy } from '../../support/peers/udp-proxy.js';
import type { Baresip } from '../../support/phones/index.js';
import { MICROPHONE_ARGUMENTS, MICROPHONE_HZ, WebPhone } from '../../support/phones/web-phone.js';
import { browserProgram, openBrowser, Website } from '../../support/platform/browser.js';
import { TestPlatform } from '../../support/platform/platform.js';
import { skipBecause } from '../../support/skip.js';

/** Of the relayed audio. */
const RELAY = { from: 23_600, to: 23_699 };

describe('a call in a browser whose network is cut', function () {
  this.timeout(240_000);
  const program = browserProgram();
  if (program === null) {
    it('continues', function () {
      skipBecause(this, 'there is no Chromium on this machine');
    });
    return;
  }

  let turn: TurnServer;
  /** All audio of the browser passes it: it uses the TURN server only. */
  let audio: UdpProxy;
  let signalling: TcpProxy;
  let stage: TestPlatform;
  let agent: Baresip;
  let site: Website;
  let browser: Browser;
  let tab: WebPhone;

  before(async () => {
    turn = await TurnServer.start(await chooseLoopbackPort(), RELAY);
    audio = await UdpProxy.start(turn.port);
    const url = `turn:127.0.0.1:${audio.port}?transport=udp`;
    stage = await TestPlatform.start({ settings: { TURN_SERVERS: url, TURN_SECRET: turn.secret } });
    agent = await stage.softphone('1001', { source: { toneHz: AGENT_HZ } });
    signalling = await TcpProxy.start('127.0.0.1', Number(new URL(stage.url).port));
    site = await Website.start();
    site.show('<h1>Calls</h1>');
    browser = await openBrowser(program, MICROPHONE_ARGUMENTS);
    await stage.platform.stores.db.query('UPDATE projects SET allowed_origins = $1', [[site.origin]]);
  });
  after(async () => {
    await browser.close();
    await site.close();
    await signalling.close();
    await stage.stop();
    audio.close();
    await turn.stop();
  });
  afterEach(() => tab.close());

  const session = async (): Promise<{ id: string; token: string }> => {
    const json = { identity: 'reem', allow: { incoming: false, outgoing: ['agent'] }, require_relay: true };
    const { status, body, text } = await stage.request('POST', '/v1/web-calling/sessions', { json });
    expect(status, text).to.equal(201);
    return { id: String(body?.session_id), token: String(body?.token) };
  };
  let sessionId: string;
  /** Both hear each other, through the TURN server. */
  const talking = async (): Promise<string> => {
    const options = { origin: site.origin, platformUrl: stage.url, webSocketPort: signalling.port };
    tab = await WebPhone.open(browser, { ...options, device: { relayOnly: true } });
    const { id, token } = await session();
    sessionId = id;
    expect(await tab.start(token)).to.equal(null);
    expect(await tab.connect({ agent: '1001' })).to.equal(null);
    const atAgent = await agent.incoming();
    await agent.answer(atAgent);
    await tab.until('call connected');
    await agent.waitToHear(hears(MICROPHONE_HZ), { callId: atAgent });
    await tab.untilHears(AGENT_HZ);
    await tab.page.waitForFunction('web.call.quality !== null');
    expect(await tab.run('web.call.quality.path')).to.equal('relay');
    return atAgent;
  };
  /** The whole network of the browser is away for this time. @returns how long it really was, in seconds */
  const cutFor = async (seconds: number): Promise<number> => {
    const begun = performance.now();
    signalling.cut();
    audio.cut();
    // The time without a network is the effect itself.
    await new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
    signalling.restore();
    audio.restore();
    return (performance.now() - begun) / 1_000;
  };
  const ends = async (atAgent: string): Promise<void> => {
    await agent.hangup(atAgent);
    await tab.until('call disconnected {"code":"hangup","by":"remote"}', 1, 5_000);
  };

  for (const seconds of [5, 30]) {
    it(`for ${seconds} seconds continues as soon as the network is back`, async () => {
      const atAgent = await talking();
      const awayFor = await cutFor(seconds);
      await tab.until('call reconnected', 1, 60_000);
      await hearsMore(agent, atAgent, MICROPHONE_HZ, 2);
      await tab.untilHears(AGENT_HZ);
      await ends(atAgent);
      expect(agent.missingSeconds(atAgent) - awayFor, 'silence beside the cut').to.be.lessThan(1);
    });
  }

  it('continues without a gap if only its WebSocket is closed, or its token is refreshed', async () => {
    const atAgent = await talking();
    const heard = since(agent, atAgent);
    signalling.cut();
    await tab.until('call reconnecting {"reason":"signalling"}');
    await hearsMore(agent, atAgent, MICROPHONE_HZ, 5);
    signalling.restore();
    await tab.until('call reconnected');
    const refreshed = await stage.request('POST', `/v1/web-calling/sessions/${sessionId}/refresh`, {
      json: { ttl_seconds: 3_600 },
    });
    expect(await tab.outcome(`web.device.updateToken('${String(refreshed.body?.token)}')`)).to.equal(null);
    await hearsMore(agent, atAgent, MICROPHONE_HZ, 2);
    await tab.untilHears(AGENT_HZ);
    const all = heard();
    await ends(atAgent);
    expect(all.seconds - toneSeconds(all, MICROPHONE_HZ), 'seconds without the tone').to.be.lessThan(1);
    expect(agent.missingSeconds(atAgent)).to.be.lessThan(1);
  });
});
