import { expect } from 'chai';
import type { Browser } from 'playwright-core';
import type { CallObject } from '../../../core/model/objects/call.js';
import { CARRIER_HZ, AGENT_HZ, CUSTOMER } from '../../support/calls/trunk-talkers.js';
import { eventually } from '../../support/eventually.js';
import { loudSeconds } from '../../support/judges/audio.js';
import { hears, hearsMore, since, tonesHeard } from '../../support/judges/hearing.js';
import { BrowserPhone, type BrowserAccount } from '../../support/phones/browser-phone.js';
import { MICROPHONE_ARGUMENTS, MICROPHONE_HZ, WebPhone } from '../../support/phones/web-phone.js';
import type { Baresip } from '../../support/phones/index.js';
import { browserProgram, openBrowser, Website } from '../../support/platform/browser.js';
import { skipBecause } from '../../support/skip.js';
import type { OpenWebStage } from '../../support/stages/web-calling/engines.js';
import type { WebStage } from '../../support/stages/web-calling/web-stage.js';
import { untilRegistered } from '../../support/phones/registered.js';

const BROWSER_HZ = MICROPHONE_HZ;

/**
 * The tests of calls with a browser, the same on every engine.
 * @param open called before the first test
 */
export function browserCalls(open: () => Promise<OpenWebStage>): void {
  const program = browserProgram();
  if (program === null) {
    it('carries a tone both ways', function () {
      skipBecause(this, 'there is no Chromium on this machine');
    });
    return;
  }

  let stage: WebStage;
  let close: () => Promise<void>;
  let site: Website;
  let browser: Browser;
  let phone: BrowserPhone;
  let sessionId: string;
  let account: BrowserAccount;

  before(async () => {
    site = await Website.start();
    site.show('<h1>Calls</h1>');
    browser = await openBrowser(program, MICROPHONE_ARGUMENTS);
    ({ stage, close } = await open());
    await stage.db.query('UPDATE projects SET allowed_origins = $1', [[site.origin]]);
  });
  after(async () => {
    await browser.close();
    await site.close();
    await close();
  });
  beforeEach(async () => {
    phone = await BrowserPhone.open(browser, site.origin);
  });
  afterEach(() => phone.close());

  /** A session whose browser is registered. */
  const register = async (wanted: object): Promise<void> => {
    const made = await stage.request('POST', '/v1/web-calling/sessions', { identity: 'reem', ...wanted });
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
  const read = async (callId: string): Promise<CallObject> =>
    (await stage.request('GET', `/v1/calls/${callId}`)).body as unknown as CallObject;
  const latestOf = async (kind: string): Promise<string> => {
    const { body } = await stage.request('GET', '/v1/calls?limit=5');
    const [call] = (body?.data as CallObject[]).filter((one) => one.kind === kind);
    return call?.call_id ?? '';
  };
  const place = async (target: object): Promise<string> => {
    const placed = await stage.request('POST', '/v1/calls', { to: CUSTOMER, connect: target });
    expect(placed.status, placed.text).to.equal(202);
    return String(placed.body?.call_id);
  };
  /** The metadata of all events of a call, each once. */
  const onEvents = async (callId: string): Promise<unknown[]> =>
    (
      await stage.db.query<{ metadata: unknown }>(
        `SELECT DISTINCT data->'metadata' AS metadata FROM events WHERE call_id = $1 AND type LIKE 'call.%'`,
        [callId],
      )
    ).map(({ metadata }) => metadata);
  const charges = (callId: string): Promise<{ number: string; kind: string }[]> =>
    stage.db.query(`SELECT number, kind FROM charges WHERE call_id = $1 ORDER BY id`, [callId]);

  it('calls an agent and the customer behind the trunk, each hears the other', async () => {
    const { agent, carrier } = stage.talkers;
    await register({ allow: { outgoing: ['agent', 'number'], numbers: [CUSTOMER] }, metadata: { order: '17' } });
    await phone.dial('agent.1001', ['X-Hatif-Order-Id: A-17']);
    const atAgent = await agent.incoming();
    await agent.answer(atAgent);
    await phone.until('confirmed');
    await heardBy(agent, atAgent);
    await phone.untilHears(AGENT_HZ);
    expect(await phone.codec()).to.equal(stage.browserCodec);
    const inside = await latestOf('web');
    const metadata = { order: '17', web_order_id: 'A-17' };
    expect(await read(inside)).to.deep.include({ status: 'answered', agent: '1001', metadata });
    const digits = await stage.request('POST', `/v1/calls/${inside}/dtmf`, { digits: '1' });
    expect([digits.status, digits.body?.error_code]).to.deep.equal([422, 'CALL_CONTROL_UNSUPPORTED']);
    await phone.hangUp();
    await agent.closed(atAgent);
    expect(await stage.over(inside)).to.include({ status: 'ended', kind: 'web' });
    expect(await onEvents(inside)).to.deep.equal([metadata]);

    await phone.dial(CUSTOMER);
    const atCarrier = await carrier.incoming();
    expect(carrier.call(atCarrier).peer).to.contain(stage.lineNumber);
    await carrier.answer(atCarrier);
    await phone.until('confirmed', 2);
    await phone.untilHears(CARRIER_HZ);
    await heardBy(carrier, atCarrier);
    await carrier.hangup(atCarrier);
    await phone.until('ended', 2);
    const outside = await latestOf('web');
    expect(await stage.over(outside)).to.include({ kind: 'web', direction: 'outbound', status: 'ended' });
    await eventually(async () => (await charges(outside)).length > 0, 'the charge of the call');
    expect(await charges(outside)).to.deep.equal([{ number: CUSTOMER, kind: 'web' }]);

    await phone.dial('+966501234599');
    await phone.until('failed');
    await phone.dial('+966115550100');
    await phone.until('failed', 2);
    await revoke();
  });

  it('is rung as the agent, and as the identity', async () => {
    const { carrier } = stage.talkers;
    await register({ agent: '1002', allow: { incoming: true } });
    const callId = await place({ type: 'agent', target: '1002' });
    const atCarrier = await carrier.incoming();
    await carrier.answer(atCarrier);
    await phone.until('ringing');
    await phone.answer();
    await heardBy(carrier, atCarrier);
    await phone.untilHears(CARRIER_HZ);
    expect(await read(callId)).to.include({ kind: 'outbound', agent: '1002' });
    await stage.request('POST', `/v1/calls/${callId}/hangup`);
    await phone.until('ended');

    const second = await place({ type: 'sip', target: 'sip:reem@web' });
    const again = await carrier.incoming();
    await carrier.answer(again);
    await phone.until('ringing', 2);
    await phone.answer();
    await heardBy(carrier, again);
    await stage.request('POST', `/v1/calls/${second}/hangup`);
    await phone.until('ended', 2);
    await revoke();
  });

  it('keeps its call when its page is loaded again, while the other side hears music', async () => {
    const { agent } = stage.talkers;
    const made = await stage.request('POST', '/v1/web-calling/sessions', {
      ...{ identity: 'reem', allow: { outgoing: ['agent'] } },
    });
    const tab = await WebPhone.open(browser, { origin: site.origin, platformUrl: stage.url });
    expect(await tab.start(String(made.body?.token))).to.equal(null);
    expect(await tab.connect({ agent: '1001' })).to.equal(null);
    const atAgent = await agent.incoming();
    await agent.answer(atAgent);
    await tab.until('call connected');
    await agent.waitToHear(hears(MICROPHONE_HZ), { callId: atAgent });
    const callId = await latestOf('web');
    await tab.page.reload();
    const music = since(agent, atAgent);
    expect(await tonesHeard(agent, [MICROPHONE_HZ], atAgent)).to.deep.equal([]);
    expect(loudSeconds(music())).to.be.greaterThan(0.5);
    expect(await tab.start(null)).to.equal(null);
    await tab.until('call reconnected');
    await hearsMore(agent, atAgent, MICROPHONE_HZ, 0.5);
    await tab.untilHears(AGENT_HZ);
    expect((await read(callId)).legs.map(({ leg, status }) => [leg, status])).to.have.deep.members([
      ['customer', 'answered'],
      ['agent', 'answered'],
    ]);
    await tab.run('web.call.hangup()');
    await agent.closed(atAgent);
    expect(await stage.over(callId)).to.include({ status: 'ended', kind: 'web' });
    await tab.close();
  });

  it('loses its call, its connection and its account when the session is revoked', async () => {
    const { agent } = stage.talkers;
    await register({ allow: { outgoing: ['agent'] } });
    await phone.dial('agent.1001');
    const atAgent = await agent.incoming();
    await agent.answer(atAgent);
    await phone.until('confirmed');
    await revoke();
    await agent.closed(atAgent);
    await phone.until('disconnected');
    // Another session is a way in for its account, too.
    const { username } = account.sip;
    await untilRegistered(stage.db, username, false);
    const made = await stage.request('POST', '/v1/web-calling/sessions', { identity: 'huda' });
    const other = await phone.exchange(stage.url, String(made.body?.token));
    await phone.start({ ...account, ws_url: other.body.ws_url }, BROWSER_HZ);
    await phone.until('refused');
  });
}
