import { expect } from 'chai';
import type { Browser } from 'playwright-core';
import { AsteriskHost } from '../../conformance/rigs/asterisk-host.js';
import { AGENT_HZ } from '../../support/calls/trunk-talkers.js';
import { TestAuthority } from '../../support/certificates.js';
import { eventually } from '../../support/eventually.js';
import { hears, hearsMore } from '../../support/judges/hearing.js';
import { freeSipPort, type Baresip } from '../../support/phones/index.js';
import { MICROPHONE_ARGUMENTS, MICROPHONE_HZ, WebPhone } from '../../support/phones/web-phone.js';
import { browserProgram, openBrowser, Website } from '../../support/platform/browser.js';
import { TestPlatform } from '../../support/platform/platform.js';
import { skipBecause } from '../../support/skip.js';
import { RelayStage } from '../../support/stages/web-calling/relay-stage.js';

/** Below the ports of phones. */
const PORTS = { from: 21_000 };
const RTP = { from: 19_600, to: 19_798 };
/** The ways to the TURN server, by what the browser calls them. */
const WAYS = { udp: 'turn:[^?]+$', tcp: 'transport=tcp', tls: '^turns:' } as const;

/** Leaves the page this way only. */
const onlyBy = (way: keyof typeof WAYS): string => `
window.RTCPeerConnection = class extends RTCPeerConnection {
  constructor(configuration) {
    const isWay = ({ urls }) => [urls].flat().some((url) => /${WAYS[way]}/.test(url));
    super({ ...configuration, iceServers: configuration.iceServers.filter(isWay) });
    window.lastConnection = this;
  }
};`;

/** How the audio leaves the browser. */
const RELAYED = `(async () => {
  const all = await window.lastConnection.getStats();
  const transport = [...all.values()].find(({ type }) => type === 'transport');
  const pair = all.get(transport.selectedCandidatePairId);
  const { candidateType, relayProtocol } = all.get(pair.localCandidateId);
  return candidateType + ' ' + relayProtocol;
})()`;

describe('a browser whose audio passes through a TURN server only', function () {
  this.timeout(300_000);
  let relay: RelayStage;
  let asterisk: AsteriskHost;
  let stage: TestPlatform;
  let agent: Baresip;
  let site: Website;
  let browser: Browser;
  let phone: WebPhone;
  let sessionId = '';

  before(async function () {
    const program = browserProgram();
    if (program === null) skipBecause(this, 'there is no Chromium on this machine');
    const certificate = await (await TestAuthority.create()).issue();
    const started = await RelayStage.start(certificate, PORTS);
    if (started === null) skipBecause(this, 'this machine has no address but the loopback');
    relay = started;
    // At the loopback, where no TURN server relays to, its media would be out of reach.
    asterisk = await AsteriskHost.start(RTP, { sip: { bind: '0.0.0.0', port: await freeSipPort() } });
    const { running } = asterisk;
    const sip = { ...running.sip, host: '127.0.0.1' };
    stage = await TestPlatform.start({ settings: relay.settings, asterisk: { ...running, sip } });
    agent = await stage.softphone('1001', { source: { toneHz: AGENT_HZ } });
    site = await Website.start();
    site.show('<h1>Calls</h1>');
    await stage.platform.stores.db.query('UPDATE projects SET allowed_origins = $1', [[site.origin]]);
    // Nobody vouches for the certificate of the test.
    browser = await openBrowser(program, [...MICROPHONE_ARGUMENTS, '--ignore-certificate-errors']);
  });
  after(async () => {
    await (browser as Browser | undefined)?.close();
    await (site as Website | undefined)?.close();
    await (stage as TestPlatform | undefined)?.stop();
    await (asterisk as AsteriskHost | undefined)?.stop();
    await (relay as RelayStage | undefined)?.close();
  });
  afterEach(async () => {
    await phone.close();
    await stage.request('DELETE', `/v1/web-calling/sessions/${sessionId}`);
    stage.assertSound();
  });

  const register = async (before?: string): Promise<void> => {
    const json = { identity: 'reem', require_relay: true, allow: { outgoing: ['agent'] } };
    const { status, body, text } = await stage.request('POST', '/v1/web-calling/sessions', { json });
    expect(status, text).to.equal(201);
    sessionId = String(body?.session_id);
    phone = await WebPhone.open(browser, {
      ...{ origin: site.origin, platformUrl: stage.url, device: { relayOnly: true } },
      ...(before !== undefined && { before }),
    });
    expect(await phone.start(String(body?.token))).to.equal(null);
  };
  const callAgent = async (): Promise<string> => {
    expect(await phone.connect({ agent: '1001' })).to.equal(null);
    const atAgent = await agent.incoming();
    await agent.answer(atAgent);
    await phone.until('call connected');
    await agent.waitToHear(hears(MICROPHONE_HZ), { callId: atAgent });
    await phone.untilHears(AGENT_HZ);
    return atAgent;
  };

  it('is tested by UDP, TCP and TLS before there is a call', async () => {
    await register();
    await phone.outcome('web.device.runPreflight()');
    const report = await phone.run<{ ok: boolean; steps: { name: string; result: string }[] }>('web.value');
    const results = report.steps.map(({ name, result }) => `${name} ${result}`);
    expect(results, JSON.stringify(report)).to.deep.equal([
      ...['microphone passed', 'registration passed', 'turn_udp passed', 'turn_tcp passed', 'turn_tls passed'],
      'echo skipped',
    ]);
    expect(report.ok).to.equal(true);
  });

  for (const way of Object.keys(WAYS) as (keyof typeof WAYS)[]) {
    it(`carries both voices for the whole call by ${way.toUpperCase()}`, async () => {
      await register(onlyBy(way));
      const atAgent = await callAgent();
      expect(await phone.run(RELAYED)).to.equal(`relay ${way}`);
      await phone.page.waitForFunction(`web.call.quality?.path === 'relay'`);
      await hearsMore(agent, atAgent, MICROPHONE_HZ, 5);
      await phone.untilHears(AGENT_HZ);
      await agent.hangup(atAgent);
      await phone.until('call disconnected {"code":"hangup","by":"remote"}');
      expect(agent.missingSeconds(atAgent)).to.be.lessThan(1);
      expect((await phone.events()).filter((event) => event.startsWith('call warning'))).to.deep.equal([]);
    });
  }

  it('is heard again after the TURN server was away: ICE restarts by itself', async () => {
    await register(onlyBy('udp'));
    const atAgent = await callAgent();
    await relay.halt();
    await phone.until('call reconnecting {"reason":"media"}');
    await relay.resume();
    await phone.until('call reconnected', 1, 60_000);
    await hearsMore(agent, atAgent, MICROPHONE_HZ, 1);
    await phone.untilHears(AGENT_HZ);
    await agent.hangup(atAgent);
    await phone.until('call disconnected {"code":"hangup","by":"remote"}');
  });

  it('is refused while no TURN server answers, which the health shows; its token works afterwards', async () => {
    // An earlier answer of the server counts for ten seconds.
    await relay.halt();
    const turn = async (): Promise<unknown> => {
      const { body } = await stage.request('GET', '/v1/health');
      return [body?.status, (body?.checks as { turn?: string } | undefined)?.turn];
    };
    await untilEqual(turn, ['ok', 'down']);
    const json = { identity: 'huda', require_relay: true };
    const { body } = await stage.request('POST', '/v1/web-calling/sessions', { json });
    sessionId = String(body?.session_id);
    phone = await WebPhone.open(browser, { origin: site.origin, platformUrl: stage.url });
    expect(await phone.start(String(body?.token))).to.equal('TURN_UNAVAILABLE');
    await relay.resume();
    await untilEqual(turn, ['ok', 'up']);
    expect(await phone.start(String(body?.token))).to.equal(null);
  });
});

async function untilEqual(read: () => Promise<unknown>, wanted: unknown): Promise<void> {
  await eventually(async () => JSON.stringify(await read()) === JSON.stringify(wanted), JSON.stringify(wanted));
}
