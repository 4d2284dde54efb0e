import { expect } from 'chai';
import { AGENT_HZ } from '../../support/calls/trunk-talkers.js';
import { eventually } from '../../support/eventually.js';
import { hears, hearsMore, tonesHeard } from '../../support/judges/hearing.js';
import type { Baresip } from '../../support/phones/index.js';
import { MICROPHONE_HZ, PAGE_SCRIPT } from '../../support/phones/web-phone.js';
import { Website } from '../../support/platform/browser.js';
import { Firefox, firefoxProgram, type FirefoxPage } from '../../support/platform/firefox.js';
import { TestPlatform } from '../../support/platform/platform.js';
import { skipBecause } from '../../support/skip.js';

/** A microphone that sends a tone, without a question; sound without a click; ICE on the loopback. */
const PREFERENCES = {
  'media.navigator.permission.disabled': true,
  'media.navigator.streams.fake': true,
  'media.navigator.audio.fake_frequency': MICROPHONE_HZ,
  'media.autoplay.default': 0,
  'media.autoplay.blocking_policy': 0,
  'media.autoplay.block-webaudio': false,
  'media.peerconnection.ice.loopback': true,
  'media.peerconnection.ice.obfuscate_host_addresses': false,
  'datareporting.policy.dataSubmissionEnabled': false,
  'app.update.enabled': false,
} as const;

describe('the browser package in Firefox', function () {
  this.timeout(240_000);
  let stage: TestPlatform;
  let agent: Baresip;
  let site: Website;
  let firefox: Firefox;
  let page: FirefoxPage;

  before(async function () {
    const program = firefoxProgram();
    if (program === null) skipBecause(this, 'there is no Firefox on this machine');
    site = await Website.start();
    site.show('<h1>Calls</h1>');
    stage = await TestPlatform.start();
    agent = await stage.softphone('1001', { source: { toneHz: AGENT_HZ } });
    await stage.platform.stores.db.query('UPDATE projects SET allowed_origins = $1', [[site.origin]]);
    firefox = await Firefox.start(program, PREFERENCES);
    page = await firefox.open(site.origin, PAGE_SCRIPT);
  });
  after(async () => {
    await (firefox as Firefox | undefined)?.close();
    await (site as Website | undefined)?.close();
    await (stage as TestPlatform | undefined)?.stop();
  });
  afterEach(() => stage.assertSound());

  const until = async (event: string, times = 1): Promise<void> => {
    const seen = `web.events.filter((one) => one.startsWith(${JSON.stringify(event)})).length >= ${times}`;
    await eventually(() => page.evaluate<boolean>(seen), event, 30_000).catch(async () => {
      throw new Error(`no "${event}" after ${JSON.stringify(await page.evaluate('web.events'))}`);
    });
  };
  /** Without a sound device, Firefox analyses no audio: the level of what arrives must do. */
  const untilHears = (): Promise<unknown> =>
    eventually(() => page.evaluate<boolean>('web.call.quality?.levelIn > 0.05'), 'the page hears the softphone');
  const outcome = (expression: string): Promise<string | null> => page.evaluate(`web.outcome(() => ${expression})`);

  it('registers, calls a softphone, and is heard and hears: mute, hold, digits, the other side’s end', async () => {
    const json = { identity: 'reem', agent: '1002', allow: { incoming: true, outgoing: ['agent'] } };
    const { body } = await stage.request('POST', '/v1/web-calling/sessions', { json });
    const options = JSON.stringify({ baseUrl: stage.url });
    expect(await page.evaluate(`web.start('${String(body?.token)}', ${options})`)).to.equal(null);
    expect(await page.evaluate(`web.connect({ agent: '1001' })`)).to.equal(null);
    const atAgent = await agent.incoming();
    await until('call ringing');
    await agent.answer(atAgent);
    await until('call connected');
    await agent.waitToHear(hears(MICROPHONE_HZ), { callId: atAgent });
    await untilHears();
    expect(await outcome('web.call.mute()')).to.equal(null);
    expect(await tonesHeard(agent, [MICROPHONE_HZ], atAgent)).to.deep.equal([]);
    await outcome('web.call.mute(false)');
    expect(await outcome('web.call.hold()')).to.equal(null);
    expect(await outcome('web.call.hold(false)')).to.equal(null);
    await hearsMore(agent, atAgent, MICROPHONE_HZ, 1);
    await outcome(`web.call.sendDigits('159#')`);
    await agent.digits('159#', atAgent);
    await eventually(() => page.evaluate<boolean>('web.call.quality?.packetsIn > 20'), 'a sample of the quality');
    await agent.hangup(atAgent);
    await until('call disconnected {"code":"hangup","by":"remote"}');
    expect(await page.evaluate(`web.events.filter((one) => one.startsWith('call warning'))`)).to.deep.equal([]);
  });

  it('is called, and keeps its call when its network changes', async () => {
    const ringing = await agent.dial(stage.sipUri('1002'));
    await until('incoming');
    expect(await outcome('web.call.accept()')).to.equal(null);
    await until('call connected', 2);
    await agent.waitToHear(hears(MICROPHONE_HZ), { callId: ringing });
    await page.evaluate(`(dispatchEvent(new Event('online')), null)`);
    await until('call reconnected');
    await hearsMore(agent, ringing, MICROPHONE_HZ, 1);
    await untilHears();
    await page.evaluate('(web.call.hangup(), null)');
    await agent.closed(ringing);
    expect(agent.missingSeconds(ringing)).to.be.lessThan(1);
  });
});
