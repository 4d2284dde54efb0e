import { expect } from 'chai';
import type { Browser } from 'playwright-core';
import { AGENT_HZ } from '../../support/calls/trunk-talkers.js';
import { eventually } from '../../support/eventually.js';
import { loudSeconds } from '../../support/judges/audio.js';
import { hears, hearsMore, since } from '../../support/judges/hearing.js';
import type { Baresip } from '../../support/phones/index.js';
import { untilRegistered } from '../../support/phones/registered.js';
import { MICROPHONE_ARGUMENTS, MICROPHONE_HZ, WebPhone } from '../../support/phones/web-phone.js';
import { browserProgram, openBrowser, Website } from '../../support/platform/browser.js';
import { skipBecause } from '../../support/skip.js';
import type { ProcessStage } from '../../support/stages/process-stage.js';
import type { KilledStage } from '../../support/stages/web-calling/killed-stage.js';

/** The second browser sends this tone. */
const OTHER_HZ = 1_900;
/** For a phone whose registration failed to try again. */
const REGISTERED_MS = 60_000;
/** For the other side's hang-up to arrive. */
const HANGUP_MS = 1_000;

/**
 * The tests of calls in browsers whose application is killed, the same on every engine.
 * @param open called before the first test: the application has a port that it keeps
 */
export function killedCalls(open: () => Promise<KilledStage>): void {
  const program = browserProgram();
  if (program === null) {
    it('continue', function () {
      skipBecause(this, 'there is no Chromium on this machine');
    });
    return;
  }

  let stage: KilledStage;
  let application: ProcessStage;
  let agent: Baresip;
  let site: Website;
  let browser: Browser;
  const tabs: WebPhone[] = [];

  before(async () => {
    site = await Website.start();
    site.show('<h1>Calls</h1>');
    browser = await openBrowser(program, MICROPHONE_ARGUMENTS);
    stage = await open();
    ({ application } = stage);
    agent = await application.softphone();
    await stage.db.query('UPDATE projects SET allowed_origins = $1', [[site.origin]]);
  });
  after(async () => {
    await browser.close();
    await site.close();
    await stage.close();
  });
  afterEach(async () => {
    for (const tab of tabs.splice(0)) await tab.close();
  });

  const register = async (wanted: object): Promise<WebPhone> => {
    const json = { identity: 'reem', allow: { incoming: true, outgoing: ['agent'] }, ...wanted };
    const made = await application.request('POST', '/v1/web-calling/sessions', json);
    expect(made.status, made.text).to.equal(201);
    const { base_url: platformUrl } = application.bootstrap;
    // For the browser's processing, a tone that does not end is noise.
    const device = { noiseSuppression: false, echoCancellation: false, autoGainControl: false };
    const tab = await WebPhone.open(browser, { origin: site.origin, platformUrl, device });
    tabs.push(tab);
    expect(await tab.start(String(made.body?.token))).to.equal(null);
    return tab;
  };
  const callAgent = async (tab: WebPhone): Promise<string> => {
    // If the phone registered while there was no application, it tries again after half a minute.
    await untilRegistered(stage.db, '1001', true, REGISTERED_MS);
    expect(await tab.connect({ agent: '1001' })).to.equal(null);
    const atAgent = await agent.incoming();
    await agent.answer(atAgent);
    await tab.until('call connected');
    await agent.waitToHear(hears(MICROPHONE_HZ), { callId: atAgent });
    await tab.untilHears(AGENT_HZ);
    return atAgent;
  };

  it('with a softphone continue: audio does not stop, and the end of the other side arrives', async () => {
    const tab = await register({});
    const atAgent = await callAgent(tab);
    // Before the audio began.
    const missing = agent.missingSeconds(atAgent);
    await application.kill();
    await tab.until('call reconnecting {"reason":"signalling"}');
    await hearsMore(agent, atAgent, MICROPHONE_HZ, 3);
    await tab.untilHears(AGENT_HZ);
    await application.start();
    await tab.until('call reconnected');
    await hearsMore(agent, atAgent, MICROPHONE_HZ, 1);
    expect(agent.missingSeconds(atAgent) - missing).to.be.lessThan(1);
    await hearsMore(agent, atAgent, MICROPHONE_HZ, stage.refreshSeconds ?? 0);
    await tab.untilHears(AGENT_HZ);
    await agent.hangup(atAgent);
    await tab.until('call disconnected {"code":"hangup","by":"remote"}', 1, HANGUP_MS);
  });

  it('between two browsers continue', async () => {
    const one = await register({});
    const other = await register({ identity: 'huda', agent: '1002' });
    const known = `SELECT FROM softphone_registrations JOIN web_calling_sessions USING (aor) WHERE agent = '1002'`;
    await eventually(async () => (await stage.db.query(known)).length === 1, 'the platform knows the browser');
    expect(await one.connect({ agent: '1002' })).to.equal(null);
    await other.until('incoming');
    expect(await other.outcome(`web.call.accept({ stream: web.tone(${OTHER_HZ}) })`)).to.equal(null);
    const talk = async (): Promise<void> => {
      await one.untilHearsOnly([OTHER_HZ], [MICROPHONE_HZ, OTHER_HZ]);
      await other.untilHearsOnly([MICROPHONE_HZ], [MICROPHONE_HZ, OTHER_HZ]);
    };
    await talk();
    await application.kill();
    await Promise.all([one, other].map((tab) => tab.until('call reconnecting')));
    await talk();
    await application.start();
    await Promise.all([one, other].map((tab) => tab.until('call reconnected')));
    await talk();
    await one.run('web.call.hangup()');
    await other.until('call disconnected {"code":"hangup","by":"remote"}');
  });

  it('continue if the page is loaded again while there is no application', async () => {
    const tab = await register({});
    const atAgent = await callAgent(tab);
    await application.kill();
    await tab.page.reload();
    await application.start();
    expect(await tab.start(null)).to.equal(null);
    await tab.until('call reconnected');
    await hearsMore(agent, atAgent, MICROPHONE_HZ, 1);
    await tab.untilHears(AGENT_HZ);
    await tab.run('web.call.hangup()');
    await agent.closed(atAgent);
  });

  it('continue if the application is killed while the other side waits for the page', async () => {
    const tab = await register({});
    const atAgent = await callAgent(tab);
    await tab.page.reload();
    const music = since(agent, atAgent);
    await agent.waitToHear(() => loudSeconds(music()) > 1.5, { callId: atAgent });
    await application.kill();
    await application.start();
    expect(await tab.start(null)).to.equal(null);
    await tab.until('call reconnected');
    await hearsMore(agent, atAgent, MICROPHONE_HZ, 1);
    await tab.untilHears(AGENT_HZ);
    await agent.hangup(atAgent);
    await tab.until('call disconnected {"code":"hangup","by":"remote"}');
    const calls = (await application.request('GET', '/v1/calls?limit=1')).body?.data as [{ call_id: string }];
    expect(await application.becomes(calls[0].call_id, 'ended')).to.include({ kind: 'web', disposition: 'answered' });
  });
}
