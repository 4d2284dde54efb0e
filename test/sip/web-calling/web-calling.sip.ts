import { expect } from 'chai';
import type { Browser } from 'playwright-core';
import { hears } from '../../support/judges/hearing.js';
import { eventually } from '../../support/eventually.js';
import { browserProgram, openBrowser, Website } from '../../support/platform/browser.js';
import type { TestPlatform } from '../../support/platform/platform.js';
import { withPlatform } from '../../support/platform/with-platform.js';
import { AGENT_HZ, CARRIER_HZ, CUSTOMER, TrunkTalkers } from '../../support/calls/trunk-talkers.js';
import type { Baresip } from '../../support/phones/index.js';
import { BrowserPhone, PHONE_ARGUMENTS, type BrowserAccount } from '../../support/phones/browser-phone.js';
import { skipBecause } from '../../support/skip.js';

const BROWSER_HZ = 1500;

describe('web calling with a browser', function () {
  this.timeout(240_000);
  const program = browserProgram();
  if (program === null) {
    it('carries a tone both ways', function () {
      skipBecause(this, 'there is no Chromium on this machine');
    });
    return;
  }

  let stage: TestPlatform;
  let talkers: TrunkTalkers;
  let site: Website;
  let browser: Browser;
  let phone: BrowserPhone;
  let sessionId: string;
  let account: BrowserAccount;

  before(async () => {
    site = await Website.start();
    site.show('<h1>Calls</h1>');
    browser = await openBrowser(program, PHONE_ARGUMENTS);
  });
  withPlatform(async (made) => {
    stage = made;
    talkers = await TrunkTalkers.at(stage);
    await stage.platform.stores.db.query('UPDATE projects SET allowed_origins = $1', [[site.origin]]);
  });
  after(async () => {
    await browser.close();
    await site.close();
  });
  beforeEach(async () => {
    phone = await BrowserPhone.open(browser, site.origin);
  });
  afterEach(() => phone.close());

  /** A session whose browser is registered. */
  const register = async (wanted: object): Promise<void> => {
    const made = await stage.request('POST', '/v1/web-calling/sessions', { json: { identity: 'reem', ...wanted } });
    expect(made.status, made.text).to.equal(201);
    sessionId = String(made.body?.session_id);
    const exchanged = await phone.exchange(stage.url, String(made.body?.token));
    expect(exchanged.status).to.equal(200);
    account = exchanged.body;
    await phone.start(account, BROWSER_HZ);
    await phone.until('registered');
  };
  const revoke = (): Promise<unknown> => stage.request('DELETE', `/v1/web-calling/sessions/${sessionId}`);
  /** Resolves when the phone has heard the browser. */
  const heardBy = (other: Baresip, callId: string): Promise<void> =>
    other.waitToHear(hears(BROWSER_HZ), { callId }).then(
      () => undefined,
      async (error: unknown) => {
        throw new Error(`the browser was not heard: ${await phone.media()}`, { cause: error });
      },
    );
  const latestOf = async (kind: string): Promise<string> => {
    const [call] = (await stage.latest()).filter((one) => one.kind === kind);
    return call?.call_id ?? '';
  };

  it('calls an agent and the customer behind the trunk, each hears the other', async () => {
    await register({ allow: { outgoing: ['agent', 'number'], numbers: [CUSTOMER] }, metadata: { order: '17' } });
    await phone.dial('agent.1001');
    const atAgent = await talkers.agent.incoming();
    await talkers.agent.answer(atAgent);
    await phone.until('confirmed');
    await heardBy(talkers.agent, atAgent);
    await phone.untilHears(AGENT_HZ);
    const inside = await latestOf('web');
    expect(await stage.read(inside)).to.deep.include({ status: 'answered', agent: '1001', metadata: { order: '17' } });
    const digits = await stage.request('POST', `/v1/calls/${inside}/dtmf`, { json: { digits: '1' } });
    expect([digits.status, digits.body?.error_code]).to.deep.equal([422, 'CALL_CONTROL_UNSUPPORTED']);
    await phone.hangUp();
    await talkers.agent.closed(atAgent);
    expect(await stage.over(inside)).to.include({ status: 'ended', kind: 'web' });

    await phone.dial(CUSTOMER);
    const atCarrier = await talkers.carrier.incoming();
    expect(talkers.carrier.call(atCarrier).peer).to.contain(stage.demo.lineNumber);
    await talkers.carrier.answer(atCarrier);
    await phone.until('confirmed', 2);
    await phone.untilHears(CARRIER_HZ);
    await heardBy(talkers.carrier, atCarrier);
    await talkers.carrier.hangup(atCarrier);
    await phone.until('ended', 2);
    const outside = await latestOf('web');
    expect(await stage.over(outside)).to.include({ kind: 'web', direction: 'outbound', status: 'ended' });
    expect((await stage.charges(outside)).map(({ number, kind }) => [number, kind])).to.deep.equal([[CUSTOMER, 'web']]);

    await phone.dial('+966501234599');
    await phone.until('failed');
    await phone.dial('+966115550100');
    await phone.until('failed', 2);
    await revoke();
  });

  it('is rung as the agent, and as the identity', async () => {
    await register({ agent: '1002', allow: { incoming: true } });
    const { call_id: callId } = await stage.call({ to: CUSTOMER, connect: { type: 'agent', target: '1002' } });
    const atCarrier = await talkers.carrier.incoming();
    await talkers.carrier.answer(atCarrier);
    await phone.until('ringing');
    await phone.answer();
    await heardBy(talkers.carrier, atCarrier);
    await phone.untilHears(CARRIER_HZ);
    expect(await stage.read(callId)).to.include({ kind: 'outbound', agent: '1002' });
    await stage.hangup(callId);
    await phone.until('ended');

    const { call_id: second } = await stage.call({ to: CUSTOMER, connect: { type: 'sip', target: 'sip:reem@web' } });
    const again = await talkers.carrier.incoming();
    await talkers.carrier.answer(again);
    await phone.until('ringing', 2);
    await phone.answer();
    await heardBy(talkers.carrier, again);
    await stage.hangup(second);
    await phone.until('ended', 2);
    await revoke();
  });

  it('loses its call, its connection and its account when the session is revoked', async () => {
    await register({ allow: { outgoing: ['agent'] } });
    await phone.dial('agent.1001');
    const atAgent = await talkers.agent.incoming();
    await talkers.agent.answer(atAgent);
    await phone.until('confirmed');
    await revoke();
    await talkers.agent.closed(atAgent);
    await phone.until('disconnected');
    // Another session is a way in for its account, too.
    const { username } = account.sip;
    const { registrations } = stage.platform.stores;
    const isGone = async (): Promise<boolean> => (await registrations.placesOf(username)).length === 0;
    await eventually(isGone, 'the browser is registered no more');
    const made = await stage.request('POST', '/v1/web-calling/sessions', { json: { identity: 'huda' } });
    const other = await phone.exchange(stage.url, String(made.body?.token));
    await phone.start({ ...account, ws_url: other.body.ws_url }, BROWSER_HZ);
    await phone.until('refused');
  });
});
