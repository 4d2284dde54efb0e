import { join } from 'node:path';
import { expect } from 'chai';
import { build } from 'esbuild';
import type { Browser } from 'playwright-core';
import { eventually } from '../../support/eventually.js';
import { hears, hearsMore, tonesHeard } from '../../support/judges/hearing.js';
import { browserProgram, openBrowser, Website } from '../../support/platform/browser.js';
import type { TestPlatform } from '../../support/platform/platform.js';
import { withPlatform } from '../../support/platform/with-platform.js';
import { TcpProxy } from '../../support/peers/tcp-proxy.js';
import { AGENT_HZ } from '../../support/calls/trunk-talkers.js';
import type { Baresip } from '../../support/phones/index.js';
import { MICROPHONE_ARGUMENTS, MICROPHONE_HZ, WebPhone } from '../../support/phones/web-phone.js';
import { skipBecause } from '../../support/skip.js';

/** A page with the hooks. */
const REACT_PAGE = `
import { createElement as h } from 'react';
import { createRoot } from 'react-dom/client';
import { useCall, useDevice, useVolume } from './src/react/index.ts';
const Call = ({ call }) => {
  const { state, isMuted } = useCall(call);
  const { in: heard } = useVolume(call);
  return [', ' + state, heard > 0.01 ? ', heard' : '', isMuted ? ', muted' : '',
    h('button', { key: 'mute', onClick: () => call.mute() }, 'Mute')];
};
const Phone = ({ token, baseUrl }) => {
  const { device, state, identity, calls } = useDevice(async () => token, { baseUrl });
  return h('p', null, state + ' as ' + identity + ', ' + calls.length + ' calls',
    calls.map((call) => h(Call, { key: call.id, call })),
    h('button', { onClick: () => device.connect({ to: { agent: '1001' } }) }, 'Call'));
};
window.web.render = (token, baseUrl) => {
  const place = document.body.appendChild(document.createElement('div'));
  createRoot(place).render(h(Phone, { token, baseUrl }));
};`;

async function reactPage(): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: REACT_PAGE, resolveDir: join(process.cwd(), 'packages/web'), loader: 'js' },
    ...{ bundle: true, write: false, format: 'iife', platform: 'browser', logLevel: 'silent' },
    define: { 'process.env.NODE_ENV': '"production"' },
  });
  return outputFiles[0]?.text ?? '';
}

/** A browser that never says that it has found all of its addresses. */
const ENDLESS_GATHERING = `
window.RTCPeerConnection = class extends RTCPeerConnection {
  get iceGatheringState() {
    const state = super.iceGatheringState;
    return state === 'complete' ? 'gathering' : state;
  }
  addEventListener(name, listener, ...more) {
    const isEnd = (event) => name === 'icecandidate' && event.isTrusted && event.candidate === null;
    super.addEventListener(name, (event) => isEnd(event) || listener(event), ...more);
  }
};
`;

const EVERYTHING = { incoming: true, outgoing: ['agent', 'number'] };

describe('the browser package', function () {
  this.timeout(240_000);
  const program = browserProgram();
  if (program === null) {
    it('calls and is called', function () {
      skipBecause(this, 'there is no Chromium on this machine');
    });
    return;
  }

  let stage: TestPlatform;
  let agent: Baresip;
  let site: Website;
  let browser: Browser;
  let proxy: TcpProxy;
  let phone: WebPhone;
  let session: { id: string; token: string };

  before(async () => {
    site = await Website.start();
    site.show('<h1>Calls</h1>');
    browser = await openBrowser(program, MICROPHONE_ARGUMENTS);
  });
  withPlatform(async (made) => {
    stage = made;
    agent = await stage.softphone('1001', { source: { toneHz: AGENT_HZ } });
    await stage.platform.stores.db.query('UPDATE projects SET allowed_origins = $1', [[site.origin]]);
    proxy = await TcpProxy.start('127.0.0.1', Number(new URL(stage.url).port));
  });
  after(async () => {
    await browser.close();
    await site.close();
    await proxy.close();
  });
  beforeEach(async () => {
    const { origin } = site;
    phone = await WebPhone.open(browser, { origin, platformUrl: stage.url, webSocketPort: proxy.port });
  });
  afterEach(async () => {
    await phone.close();
    await stage.request('DELETE', `/v1/web-calling/sessions/${session.id}`);
  });

  const newSession = async (wanted: object = {}): Promise<{ id: string; token: string }> => {
    const json = { identity: 'reem', allow: EVERYTHING, ...wanted };
    const { status, body, text } = await stage.request('POST', '/v1/web-calling/sessions', { json });
    expect(status, text).to.equal(201);
    return { id: String(body?.session_id), token: String(body?.token) };
  };
  const register = async (wanted: object = {}): Promise<void> => {
    session = await newSession(wanted);
    expect(await phone.start(session.token)).to.equal(null);
  };
  /** The engine answers the browser before it reports the registration to the platform. */
  const untilKnown = async (): Promise<void> => {
    const known = `SELECT FROM softphone_registrations JOIN web_calling_sessions USING (aor)
      WHERE web_calling_sessions.id = $1`;
    const { db } = stage.platform.stores;
    await eventually(async () => (await db.query(known, [session.id])).length === 1, 'the platform knows the browser');
  };
  /** The browser calls the agent, and both hear each other. */
  const callAgent = async (): Promise<string> => {
    expect(await phone.connect({ agent: '1001' })).to.equal(null);
    const atAgent = await agent.incoming();
    await phone.until('call ringing');
    await agent.answer(atAgent);
    await phone.until('call connected');
    await agent.waitToHear(hears(MICROPHONE_HZ), { callId: atAgent });
    await phone.untilHears(AGENT_HZ);
    return atAgent;
  };

  it('calls a softphone: mute, hold, digits, and the end by the other side', async () => {
    await register();
    const atAgent = await callAgent();
    await phone.run('web.call.mute()');
    await phone.until('call muted true');
    expect(await tonesHeard(agent, [MICROPHONE_HZ], atAgent)).to.deep.equal([]);
    await phone.run('web.call.mute(false)');
    await hearsMore(agent, atAgent, MICROPHONE_HZ, 0.5);

    expect(await phone.outcome('web.call.hold()')).to.equal(null);
    expect(await phone.run('web.call.isHeld')).to.equal(true);
    expect(await tonesHeard(agent, [MICROPHONE_HZ], atAgent)).to.deep.equal([]);
    expect(await phone.outcome('web.call.hold(false)')).to.equal(null);
    await hearsMore(agent, atAgent, MICROPHONE_HZ, 0.5);
    await phone.untilHears(AGENT_HZ);

    expect(await phone.outcome(`web.call.sendDigits('1x2')`)).to.equal('INVALID_DIGITS');
    await phone.run(`web.call.sendDigits('159#*0')`);
    await agent.digits('159#*0', atAgent);
    expect(agent.call(atAgent).digits).to.equal('159#*0');
    const quality = await phone.run<{ packetsIn: number; codec: string; path: string }>('web.call.quality');
    expect(quality.packetsIn).to.be.greaterThan(20);
    expect(quality.path).to.be.a('string');
    await agent.hangup(atAgent);
    await phone.until('call disconnected {"code":"hangup","by":"remote"}');
    expect(await phone.run('web.device.calls.length')).to.equal(0);
    expect((await phone.events()).filter((event) => event.startsWith('call warning'))).to.deep.equal([]);
  });

  it('is called by a softphone, refuses, takes the next call and ends it', async () => {
    await register({ agent: '1002' });
    await untilKnown();
    const refused = await agent.dial(stage.sipUri('1002'));
    await phone.until('incoming');
    await phone.run('web.call.reject()');
    await agent.closed(refused);
    const taken = await agent.dial(stage.sipUri('1002'));
    await phone.until('incoming', 2);
    expect((await phone.events()).find((event) => event.startsWith('incoming'))).to.contain('1001');
    expect(await phone.outcome('web.call.accept()')).to.equal(null);
    await phone.until('call connected');
    await agent.waitToHear(hears(MICROPHONE_HZ), { callId: taken });
    await phone.untilHears(AGENT_HZ);
    await phone.run('web.call.hangup()');
    await agent.closed(taken);
    await phone.until('call disconnected {"code":"hangup","by":"local"}');
    expect(await phone.outcome('web.call.accept()')).to.equal('INVALID_STATE');
  });

  it('calls and answers although its browser does not stop searching for addresses', async () => {
    await phone.close();
    const device = { gatheringMs: 600_000 };
    const options = { origin: site.origin, platformUrl: stage.url, device, before: ENDLESS_GATHERING };
    phone = await WebPhone.open(browser, options);
    await register({ agent: '1002' });
    const made = await callAgent();
    await agent.hangup(made);
    await phone.until('call disconnected');
    await untilKnown();
    const taken = await agent.dial(stage.sipUri('1002'));
    await phone.until('incoming');
    expect(await phone.outcome('web.call.accept()')).to.equal(null);
    await phone.until('call connected', 2);
    await agent.waitToHear(hears(MICROPHONE_HZ), { callId: taken });
    await phone.untilHears(AGENT_HZ);
    await agent.hangup(taken);
    await phone.until('call disconnected', 2);
  });

  it('keeps a call when its WebSocket is cut and when its network changes, and hears of its end', async () => {
    await register();
    const atAgent = await callAgent();
    proxy.cut();
    await phone.until('call reconnecting {"reason":"signalling"}');
    await phone.until('reconnecting');
    await hearsMore(agent, atAgent, MICROPHONE_HZ, 1);
    expect(await phone.connect({ agent: '1001' })).to.equal('NOT_REGISTERED');
    proxy.restore();
    await phone.until('reconnected');
    await phone.until('call reconnected');
    await phone.untilHears(AGENT_HZ);

    await phone.run(`dispatchEvent(new Event('online'))`);
    await phone.until('call reconnected', 2);
    await hearsMore(agent, atAgent, MICROPHONE_HZ, 1);
    await phone.untilHears(AGENT_HZ);
    await agent.hangup(atAgent);
    await phone.until('call disconnected {"code":"hangup","by":"remote"}', 1, 5_000);
    expect(agent.missingSeconds(atAgent)).to.be.lessThan(1);
  });

  it('ends a call at the platform although it was hung up without a connection', async () => {
    await register();
    const atAgent = await callAgent();
    proxy.cut();
    await phone.until('call reconnecting');
    await phone.run('web.call.hangup()');
    await phone.until('call disconnected {"code":"hangup","by":"local"}');
    proxy.restore();
    await agent.closed(atAgent);
  });

  it('takes a new token without touching the call, and none of another session', async () => {
    await register({ ttl_seconds: 61 });
    // The time to refresh is a minute before the end.
    await phone.until('tokenWillExpire');
    const atAgent = await callAgent();
    const before = await phone.run<number>('web.device.expiresAt.getTime()');
    const refreshed = await stage.request('POST', `/v1/web-calling/sessions/${session.id}/refresh`, {
      json: { ttl_seconds: 3_600 },
    });
    expect(await phone.outcome(`web.device.updateToken('${String(refreshed.body?.token)}')`)).to.equal(null);
    expect(await phone.run<number>('web.device.expiresAt.getTime()')).to.be.greaterThan(before);
    await hearsMore(agent, atAgent, MICROPHONE_HZ, 1);
    const other = await newSession({ identity: 'huda' });
    expect(await phone.outcome(`web.device.updateToken('${other.token}')`)).to.equal('TOKEN_OF_OTHER_SESSION');
    await agent.hangup(atAgent);
    await phone.until('call disconnected');
    expect((await phone.events()).filter((event) => event.includes('reconnecting'))).to.deep.equal([]);
    expect(agent.missingSeconds(atAgent)).to.be.lessThan(1);
  });

  it('says within seconds that a call is silent, and when it is over', async () => {
    await register();
    const atAgent = await callAgent();
    process.kill(agent.pid!, 'SIGSTOP');
    try {
      await phone.until('call warning {"name":"no_audio_in","reason":"nothing_received"}', 1, 15_000);
    } finally {
      process.kill(agent.pid!, 'SIGCONT');
    }
    await phone.until('call warningCleared "no_audio_in"');
    await agent.hangup(atAgent);
    await phone.until('call disconnected');
  });

  it('continues a muted call after the page was loaded again, but not in a second tab', async () => {
    await register();
    const atAgent = await callAgent();
    const startedAt = await phone.run<number>('web.call.startedAt.getTime()');
    await phone.run('web.call.mute()');
    await phone.page.reload();
    expect(await phone.start(null)).to.equal(null);
    expect(await phone.run('web.device.identity')).to.equal('reem');
    await phone.until('resumed {"name":null,"address":"agent.1001"}');
    await phone.until('call reconnected');
    await phone.untilHears(AGENT_HZ);
    expect(await phone.run('[web.call.direction, web.call.isMuted, web.call.startedAt.getTime()]')).to.deep.equal([
      ...['outgoing', true, startedAt],
    ]);
    expect(await tonesHeard(agent, [MICROPHONE_HZ], atAgent)).to.deep.equal([]);
    await phone.run('web.call.mute(false)');
    await hearsMore(agent, atAgent, MICROPHONE_HZ, 0.5);
    const copy = await phone.duplicate();
    expect(await copy.start(null)).to.equal('SESSION_IN_ANOTHER_TAB');
    await phone.run('web.device.destroy()');
    await agent.closed(atAgent);
    expect(await phone.run('web.Device.canResume()')).to.equal(false);
    await phone.page.reload();
    expect(await phone.start(null)).to.equal('NOT_REGISTERED');
  });

  it('ends its calls when its page is left, if the page wants that', async () => {
    await phone.close();
    const options = { origin: site.origin, platformUrl: stage.url, device: { hangUpOnLeave: true } };
    phone = await WebPhone.open(browser, options);
    await register();
    const atAgent = await callAgent();
    await phone.page.reload();
    await agent.closed(atAgent);
    expect(await phone.start(null)).to.equal(null);
    expect(await phone.run('web.device.calls.length')).to.equal(0);
  });

  it('reports what a call needs before there is one', async () => {
    await register();
    await phone.outcome(`web.device.runPreflight({ echo: '${stage.demo.lineNumber}' })`);
    const report = await phone.run<{ ok: boolean; steps: { name: string; result: string }[] }>('web.value');
    const shown = JSON.stringify(report);
    const results = report.steps.map(({ name, result }) => [name, result]);
    expect(results, shown).to.deep.equal([
      ['microphone', 'passed'],
      ['registration', 'passed'],
      ['echo', 'passed'],
    ]);
    expect(report.ok).to.equal(true);
  });

  it('reports what the person thinks of a call to the project', async () => {
    await register();
    const atAgent = await callAgent();
    await phone.page.waitForFunction('web.call.quality?.mos > 1');
    const [{ call_id: callId } = { call_id: '' }] = await stage.latest(1);
    await agent.hangup(atAgent);
    await phone.until('call disconnected');
    expect(await phone.outcome(`web.last.postFeedback({ score: 4, issue: 'echo' })`)).to.equal(null);
    const isIt = ({ type }: { type: string }): boolean => type === 'web_calling.feedback';
    const { data } = await stage.receiver.waitFor(isIt, 'the feedback');
    expect(data).to.deep.include({ call_id: callId, score: 4, issue: 'echo', identity: 'reem' });
    expect(data.mos).to.be.a('number');
  });

  it('is a hook of React that shows its calls', async () => {
    session = await newSession();
    await phone.page.addScriptTag({ content: await reactPage() });
    await phone.run(`web.render(${JSON.stringify(session.token)}, ${JSON.stringify(stage.url)})`);
    const shows = (text: string): Promise<unknown> => phone.page.getByText(text).waitFor();
    await shows('registered as reem, 0 calls');
    await phone.page.getByRole('button', { name: 'Call' }).click();
    const atAgent = await agent.incoming();
    await agent.answer(atAgent);
    await shows('registered as reem, 1 calls, connected, heard');
    await phone.page.getByRole('button', { name: 'Mute' }).click();
    await shows('muted');
    await agent.hangup(atAgent);
    await shows('registered as reem, 0 calls');
  });

  it('reports errors in both languages', async () => {
    session = { id: '', token: '' };
    expect(await phone.start('wcs_0000')).to.equal('WCS_NOT_FOUND');
    const texts = await phone.run<[string, string]>('[web.error.message, web.error.messageAr]');
    expect(texts[0]).to.match(/^[A-Z]/);
    expect(texts[1]).to.match(/[\u0600-\u06ff]/);
    session = await newSession({ allow: { incoming: false, outgoing: [] } });
    expect(await phone.start(session.token)).to.equal(null);
    expect(await phone.connect('no body@nowhere')).to.equal('INVALID_TARGET');
    expect(await phone.connect({ agent: '1001' })).to.equal(null);
    await phone.until('call disconnected {"code":"not_allowed","by":"remote"}');
    const denied = await openBrowser(program, ['--deny-permission-prompts', '--use-fake-device-for-media-stream']);
    try {
      const other = await WebPhone.open(denied, { origin: site.origin, platformUrl: stage.url });
      const allowed = await newSession({ identity: 'huda' });
      expect(await other.start(allowed.token)).to.equal(null);
      expect(await other.connect({ agent: '1001' })).to.equal('MICROPHONE_DENIED');
      expect(await other.run('web.device.calls.length')).to.equal(0);
    } finally {
      await denied.close();
    }
  });
});
