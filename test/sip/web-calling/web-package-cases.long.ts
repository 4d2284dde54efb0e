import { expect } from 'chai';
import type { Browser } from 'playwright-core';
import { AGENT_HZ } from '../../support/calls/trunk-talkers.js';
import { eventually } from '../../support/eventually.js';
import { hears, hearsMore, tonesHeard } from '../../support/judges/hearing.js';
import { MICROPHONE_ARGUMENTS, MICROPHONE_HZ, WebPhone } from '../../support/phones/web-phone.js';
import type { Baresip } from '../../support/phones/index.js';
import { browserProgram, openBrowser, Website } from '../../support/platform/browser.js';
import type { TestPlatform } from '../../support/platform/platform.js';
import { withPlatform } from '../../support/platform/with-platform.js';
import { skipBecause } from '../../support/skip.js';

/**
 * Plugs devices in and out: Chromium's own ones are there all the time, so some are hidden from the page. `plug` names the
 * labels that are left; the first of them is the system's choice.
 */
const SOCKETS = `
window.plugged = null;
const real = navigator.mediaDevices.enumerateDevices.bind(navigator.mediaDevices);
navigator.mediaDevices.enumerateDevices = async () => {
  const all = await real();
  if (window.plugged === null) return all;
  const left = window.plugged.flatMap((id) => all.filter(({ kind, deviceId }) => kind === 'audioinput' && deviceId === id));
  const [first] = left;
  const standard = first && { kind: 'audioinput', deviceId: 'default', label: 'Default', groupId: first.groupId };
  return standard ? [standard, ...left] : left;
};
window.plug = (...ids) => {
  window.plugged = ids;
  navigator.mediaDevices.dispatchEvent(new Event('devicechange'));
};
window.inputs = async () =>
  (await real()).filter(({ kind, deviceId }) => kind === 'audioinput' && deviceId !== 'default').map(({ deviceId }) => deviceId);
const open = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices);
navigator.mediaDevices.getUserMedia = async (constraints) => {
  if (window.plugged?.length === 0) throw new DOMException('no device', 'NotFoundError');
  return open(constraints);
};
`;

/**
 * Plays nothing before a click, as browsers do on most pages. Chromium itself does not here: whatever a test runs in a page
 * counts as a click.
 */
const SILENT = `
let isClicked = false;
addEventListener('pointerdown', () => (isClicked = true), { capture: true });
const { play } = HTMLMediaElement.prototype;
HTMLMediaElement.prototype.play = function () {
  return isClicked ? play.call(this) : Promise.reject(new DOMException('not yet', 'NotAllowedError'));
};
`;

describe('the browser package, case by case', function () {
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
  let phone: WebPhone;
  let sessionId = '';

  before(async () => {
    site = await Website.start();
    site.show('<h1>Calls</h1>');
    browser = await openBrowser(program, MICROPHONE_ARGUMENTS);
  });
  withPlatform(async (made) => {
    stage = made;
    agent = await stage.softphone('1001', { source: { toneHz: AGENT_HZ } });
    await stage.platform.stores.db.query('UPDATE projects SET allowed_origins = $1', [[site.origin]]);
  });
  after(async () => {
    await browser.close();
    await site.close();
  });
  afterEach(async () => {
    await phone.close();
    await stage.request('DELETE', `/v1/web-calling/sessions/${sessionId}`);
  });

  const register = async (before = ''): Promise<void> => {
    const allow = { incoming: true, outgoing: ['agent', 'number'] };
    const json = { identity: 'reem', agent: '1002', allow };
    const { status, body, text } = await stage.request('POST', '/v1/web-calling/sessions', { json });
    expect(status, text).to.equal(201);
    sessionId = String(body?.session_id);
    phone = await WebPhone.open(browser, { origin: site.origin, platformUrl: stage.url, before });
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
  /** The softphone calls the browser. @returns the softphone's id of the call */
  const ring = async (): Promise<string> => {
    const { db } = stage.platform.stores;
    const known = `SELECT FROM softphone_registrations JOIN web_calling_sessions USING (aor)
      WHERE web_calling_sessions.id = $1`;
    await eventually(async () => (await db.query(known, [sessionId])).length === 1, 'the platform knows the browser');
    return agent.dial(stage.sipUri('1002'));
  };

  it('rings with the next click if the browser blocks sound until then', async () => {
    await register(SILENT);
    const ringing = await ring();
    await phone.until('incoming');
    await phone.until('ringtoneBlocked true');
    await phone.page.mouse.click(10, 10);
    await phone.until('ringtoneBlocked false');
    await phone.run('web.call.reject()');
    await agent.closed(ringing);
  });

  it('goes over to a headset that is plugged in, and back when it is pulled out, in the middle of a call', async () => {
    await register(SOCKETS);
    const atAgent = await callAgent();
    const [builtIn, headset] = await phone.run<string[]>('inputs()');
    expect(headset, 'the second device of Chromium').to.be.a('string');
    const plug = (...ids: string[]): Promise<unknown> => phone.run(`plug(...${JSON.stringify(ids)})`);
    const listed = (ids: string[]): Promise<unknown> =>
      phone.page.waitForFunction(
        `JSON.stringify(web.device.audio.inputs.map(({ id }) => id)) === '${JSON.stringify(ids)}'`,
      );
    await phone.run(
      `(web.before = web.device.calls[0], web.device.audio.on('inputLost', () => web.note('inputLost')), null)`,
    );
    await plug(builtIn!);
    await listed(['default', builtIn!]);
    // The system now chooses the headset.
    await plug(headset!, builtIn!);
    await listed(['default', headset!, builtIn!]);
    await hearsMore(agent, atAgent, MICROPHONE_HZ, 1);
    expect(await phone.outcome(`web.device.audio.setInput('${headset}')`)).to.equal(null);
    expect(await phone.run('web.device.audio.input')).to.equal(headset);
    await plug(builtIn!);
    await phone.page.waitForFunction(`web.device.audio.input === 'default'`);
    await hearsMore(agent, atAgent, MICROPHONE_HZ, 1);
    // Muted stays muted, whatever is plugged in.
    await phone.run('web.call.mute()');
    await plug(headset!, builtIn!);
    await listed(['default', headset!, builtIn!]);
    expect(await tonesHeard(agent, [MICROPHONE_HZ], atAgent)).to.deep.equal([]);
    await phone.run('web.call.mute(false)');
    await hearsMore(agent, atAgent, MICROPHONE_HZ, 0.5);
    await plug();
    await phone.until('inputLost');
    await agent.hangup(atAgent);
    await phone.until('call disconnected {"code":"hangup","by":"remote"}');
    expect(agent.missingSeconds(atAgent)).to.be.lessThan(1);
  });

  it('comes back by the history, if the browser loads the page again', async () => {
    await register();
    await phone.page.goto(`${stage.url}/docs/guide`);
    await phone.page.goBack();
    expect(await phone.start(null)).to.equal(null);
    const atAgent = await callAgent();
    await agent.hangup(atAgent);
    await phone.until('call disconnected');
  });

  it('opens its WebSocket again when a page that the browser kept is shown', async () => {
    await register();
    const atAgent = await callAgent();
    await phone.run(`dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true }))`);
    await phone.run(`dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))`);
    await phone.until('reconnected');
    await phone.until('call reconnected');
    await hearsMore(agent, atAgent, MICROPHONE_HZ, 1);
    await phone.run('web.call.hangup()');
    await agent.closed(atAgent);
  });

  it('says in both languages why a token is refused, and the account too once its session is over', async () => {
    const { db } = stage.platform.stores;
    const session = async (): Promise<{ id: string; token: string }> => {
      const { body } = await stage.request('POST', '/v1/web-calling/sessions', { json: { identity: 'reem' } });
      sessionId = String(body?.session_id);
      return { id: sessionId, token: String(body?.token) };
    };
    const refused = async (token: string, at = site): Promise<string> => {
      phone = await WebPhone.open(browser, { origin: at.origin, platformUrl: stage.url });
      const code = await phone.start(token);
      const [message, arabic] = await phone.run<[string, string]>('[web.error.message, web.error.messageAr]');
      expect(message, String(code)).to.match(/^[A-Z]/);
      expect(arabic, String(code)).to.match(/[\u0600-\u06ff]/);
      await phone.close();
      return String(code);
    };
    const { token: last } = await session();
    expect(await refused(last.replace(/.$/, (end) => (end === 'a' ? 'b' : 'a')))).to.equal('WCS_NOT_FOUND');
    const stranger = await Website.start();
    stranger.show('<h1>Elsewhere</h1>');
    expect(await refused(last, stranger)).to.equal('ORIGIN_NOT_ALLOWED');
    await stranger.close();
    const revoked = await session();
    await stage.request('DELETE', `/v1/web-calling/sessions/${revoked.id}`);
    expect(await refused(revoked.token)).to.equal('WCS_REVOKED');
    const expired = await session();
    await db.query(`UPDATE web_calling_sessions SET expires_at = now() - interval '1 second' WHERE id = $1`, [
      expired.id,
    ]);
    expect(await refused(expired.token)).to.equal('WCS_EXPIRED');

    const { token, id } = await session();
    phone = await WebPhone.open(browser, { origin: site.origin, platformUrl: stage.url });
    expect(await phone.start(token)).to.equal(null);
    const registered = phone;
    expect(await refused(token)).to.equal('WCS_REUSE_DETECTED');
    // Somebody else may have the token: the session is over for the first browser, too.
    phone = registered;
    await phone.until('unregistered "WCS_REVOKED"');
    expect((await stage.request('GET', `/v1/web-calling/sessions/${id}`)).body?.status).to.equal('revoked');

    const off = await session();
    await db.query(`UPDATE organizations SET flags = flags || '{"web_calling": false}'`);
    try {
      await phone.close();
      expect(await refused(off.token)).to.equal('WEB_CALLING_DISABLED');
    } finally {
      await db.query(`UPDATE organizations SET flags = flags - 'web_calling'`);
    }
  });

  it('has several calls at once, of which one is muted or held alone', async () => {
    await register();
    const atAgent = await callAgent();
    await phone.run('(web.first = web.call, null)');
    expect(await phone.connect(stage.demo.lineNumber)).to.equal(null);
    await phone.until('call connected', 2);
    expect(await phone.run('web.device.calls.length')).to.equal(2);
    await phone.run('web.call.mute()');
    await hearsMore(agent, atAgent, MICROPHONE_HZ, 1);
    expect(await phone.outcome('web.first.hold()')).to.equal(null);
    expect(await tonesHeard(agent, [MICROPHONE_HZ], atAgent)).to.deep.equal([]);
    await phone.run('web.call.mute(false)');
    // The echo service plays what the browser says.
    await phone.untilHears(MICROPHONE_HZ);
    await phone.run('web.call.hangup()');
    expect(await phone.outcome('web.first.hold(false)')).to.equal(null);
    await hearsMore(agent, atAgent, MICROPHONE_HZ, 0.5);
    await agent.hangup(atAgent);
    await phone.page.waitForFunction('web.device.calls.length === 0');
  });
});
