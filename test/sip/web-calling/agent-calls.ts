import { expect } from 'chai';
import type { Browser } from 'playwright-core';
import type { CallObject } from '../../../core/model/objects/call.js';
import { AGENT_HZ as SUPERVISOR_HZ, CARRIER_HZ, CUSTOMER } from '../../support/calls/trunk-talkers.js';
import { eventually } from '../../support/eventually.js';
import { loudSeconds, readChannels, toneSeconds, type Audio } from '../../support/judges/audio.js';
import { hears, hearsMore, since, tonesHeard } from '../../support/judges/hearing.js';
import { partSeconds } from '../../support/judges/mixed-hearing.js';
import type { Baresip } from '../../support/phones/index.js';
import { MICROPHONE_ARGUMENTS, MICROPHONE_HZ, WebPhone } from '../../support/phones/web-phone.js';
import { browserProgram, openBrowser, Website } from '../../support/platform/browser.js';
import { skipBecause } from '../../support/skip.js';
import type { OpenWebStage } from '../../support/stages/web-calling/engines.js';
import type { WebStage } from '../../support/stages/web-calling/web-stage.js';
import { succeeded } from '../../support/judges/succeeded.js';

/** All that sends a tone: the customer, the supervisor's softphone, the agent's browser. */
const TONES = [CARRIER_HZ, SUPERVISOR_HZ, MICROPHONE_HZ];

/**
 * The tests of an agent who works in a browser, the same on every engine: what everybody hears in queues, on hold, in
 * recordings, with a supervisor and in conferences.
 * @param open called before the first test
 */
export function agentCalls(open: () => Promise<OpenWebStage>): void {
  const program = browserProgram();
  if (program === null) {
    it('takes calls of queues', function () {
      skipBecause(this, 'there is no Chromium on this machine');
    });
    return;
  }

  let stage: WebStage;
  let close: () => Promise<void>;
  let site: Website;
  let browser: Browser;
  let tab: WebPhone;
  let customer: Baresip;
  /** Agent 1001, at a softphone. */
  let supervisor: Baresip;
  let queue: string;

  before(async () => {
    site = await Website.start();
    site.show('<h1>Calls</h1>');
    browser = await openBrowser(program, MICROPHONE_ARGUMENTS);
    ({ stage, close } = await open());
    ({ carrier: customer, agent: supervisor } = stage.talkers);
    await stage.db.query('UPDATE projects SET allowed_origins = $1', [[site.origin]]);
    // For the browser's processing, a tone that does not end is noise.
    const device = { noiseSuppression: false, echoCancellation: false, autoGainControl: false };
    tab = await WebPhone.open(browser, { origin: site.origin, platformUrl: stage.url, device });
    const allow = { incoming: true, outgoing: ['callflow'] };
    const session = await good('POST', '/v1/web-calling/sessions', { identity: 'reem', agent: '1002', allow });
    expect(await tab.start(String(session.token))).to.equal(null);
    queue = String((await good('POST', '/v1/queues', { name: 'desk', wrap_up_seconds: 0 })).id);
    await good('POST', '/v1/queues/agents/login', { agent: '1002', queue: 'desk' });
  });
  after(async () => {
    await tab.close();
    await browser.close();
    await site.close();
    await close();
  });

  const good = async (method: string, path: string, json?: object): Promise<Record<string, unknown>> =>
    succeeded(await stage.request(method, path, json));
  const read = async (callId: string): Promise<CallObject> =>
    (await good('GET', `/v1/calls/${callId}`)) as unknown as CallObject;
  let taken = 0;
  /** A customer waits in the queue with music, and the agent takes the call. */
  const talking = async (): Promise<{ callId: string; atCustomer: string }> => {
    const placed = await good('POST', '/v1/calls', { to: CUSTOMER, connect: { type: 'queue', target: queue } });
    const atCustomer = await customer.incoming();
    await customer.answer(atCustomer);
    taken += 1;
    await tab.until('incoming', taken);
    const music = since(customer, atCustomer);
    await customer.waitToHear(() => loudSeconds(music()) > 0.5, { callId: atCustomer });
    expect(await tab.outcome('web.call.accept()')).to.equal(null);
    await customer.waitToHear(hears(MICROPHONE_HZ), { callId: atCustomer });
    await tab.untilHears(CARRIER_HZ);
    return { callId: String(placed.call_id), atCustomer };
  };
  const ended = async (callId: string): Promise<CallObject> => {
    await tab.until('call disconnected', taken);
    return stage.over(callId);
  };
  /** How many keys of each party were reported to the project. */
  const keysOf = async (callId: string): Promise<Record<string, number>> => {
    const rows = await stage.db.query<{ leg: string; keys: number }>(
      `SELECT data->'dtmf'->>'leg' AS leg, sum((data->'dtmf'->>'digits_count')::int)::int AS keys
       FROM events WHERE call_id = $1 AND type = 'call.dtmf' GROUP BY 1`,
      [callId],
    );
    return Object.fromEntries(rows.map(({ leg, keys }) => [leg, keys]));
  };
  const recorded = async (callId: string): Promise<readonly Audio[]> => {
    const { url } = await eventually(async () => {
      const { status, body } = await stage.request('GET', `/v1/calls/${callId}/recording`);
      return status === 200 && { url: String(body?.url) };
    }, `the recording of ${callId}`);
    return readChannels(new Uint8Array(await (await fetch(url)).arrayBuffer()));
  };

  it('takes a call of a queue, which is recorded; keys count both ways, and who is on hold hears music', async () => {
    const { callId, atCustomer } = await talking();
    await good('POST', `/v1/calls/${callId}/recording/start`, { leg: 'agent', channels: 2 });
    await hearsMore(customer, atCustomer, MICROPHONE_HZ, 1);

    await tab.run(`web.call.sendDigits('159#')`);
    await customer.digits('159#', atCustomer);
    await customer.sendDtmf('26*');
    const isCounted = async (): Promise<boolean> => {
      const { agent, customer: others } = await keysOf(callId);
      return agent === 4 && others === 3;
    };
    await eventually(isCounted, 'all keys are counted').catch(async (error: unknown) => {
      throw new Error(JSON.stringify(await keysOf(callId)), { cause: error });
    });

    expect(await tab.outcome('web.call.hold()')).to.equal(null);
    expect(await tonesHeard(customer, TONES, atCustomer)).to.deep.equal([]);
    const music = since(customer, atCustomer);
    if (stage.phoneHoldsWithMusic) {
      await customer.waitToHear(() => loudSeconds(music()) > 0.5, { callId: atCustomer });
    }
    expect(await tab.outcome('web.call.hold(false)')).to.equal(null);
    await hearsMore(customer, atCustomer, MICROPHONE_HZ, 0.5);
    await tab.untilHears(CARRIER_HZ);

    await customer.hangup(atCustomer);
    const call = await ended(callId);
    expect(call).to.include({ status: 'ended', disposition: 'answered', agent: '1002' });
    const [own, heard] = await recorded(callId);
    expect(toneSeconds(own!, MICROPHONE_HZ), 'the browser in its recording').to.be.greaterThan(1);
    expect(partSeconds(heard!, CARRIER_HZ), 'the customer in the recording').to.be.greaterThan(1);
  });

  it('is listened to, whispered to and joined by a supervisor', async () => {
    const { callId, atCustomer } = await talking();
    const monitor = (mode: string) => good('POST', `/v1/calls/${callId}/monitor`, { agent: '1001', mode });
    const heard = (at: string) =>
      Promise.all([tonesHeard(customer, TONES, atCustomer), tonesHeard(supervisor, TONES, at)]);
    await monitor('listen');
    const atSupervisor = await supervisor.incoming();
    await supervisor.answer(atSupervisor);
    await supervisor.waitToHear((audio) => partSeconds(audio, CARRIER_HZ) > 0.5, { callId: atSupervisor });
    const both = [CARRIER_HZ, MICROPHONE_HZ];
    expect(await heard(atSupervisor)).to.deep.equal([[MICROPHONE_HZ], both]);
    await tab.untilHearsOnly([CARRIER_HZ], TONES);
    await monitor('whisper');
    await tab.untilHearsOnly([CARRIER_HZ, SUPERVISOR_HZ], TONES);
    expect(await heard(atSupervisor)).to.deep.equal([[MICROPHONE_HZ], both]);
    await monitor('barge');
    await customer.waitToHear((audio) => partSeconds(audio, SUPERVISOR_HZ) > 0.5, { callId: atCustomer });
    expect(await heard(atSupervisor)).to.deep.equal([[SUPERVISOR_HZ, MICROPHONE_HZ], both]);
    await tab.untilHearsOnly([CARRIER_HZ, SUPERVISOR_HZ], TONES);
    await tab.run('web.call.hangup()');
    await Promise.all([customer.closed(atCustomer), supervisor.closed(atSupervisor)]);
    await ended(callId);
  });

  it('is in a conference with the customer and a softphone', async () => {
    const { callId, atCustomer } = await talking();
    const { data } = await good('GET', '/v1/numbers');
    const [own] = (data as { e164: string; binding: { target: string | null } | null }[]).filter(
      ({ binding }) => binding?.target === '1001',
    );
    const { call_id: other } = await good('POST', '/v1/calls', { to: own!.e164 });
    const atSupervisor = await supervisor.incoming();
    await supervisor.answer(atSupervisor);
    await eventually(async () => (await read(String(other))).status === 'answered', 'the softphone is answered');
    for (const id of [callId, String(other)]) await good('POST', `/v1/calls/${id}/conference`, { name: 'talk' });
    await tab.untilHearsOnly([CARRIER_HZ, SUPERVISOR_HZ], TONES);
    expect(await tonesHeard(customer, TONES, atCustomer)).to.deep.equal([SUPERVISOR_HZ, MICROPHONE_HZ]);
    expect(await tonesHeard(supervisor, TONES, atSupervisor)).to.deep.equal([CARRIER_HZ, MICROPHONE_HZ]);
    await tab.run('web.call.mute()');
    expect(await tonesHeard(supervisor, TONES, atSupervisor)).to.deep.equal([CARRIER_HZ]);
    await customer.hangup(atCustomer);
    await supervisor.hangup(atSupervisor);
    await ended(callId);
  });

  it('gives call flows its headers', async () => {
    const nodes = {
      tier: {
        ...{ type: 'branch', next: 'end' },
        cases: [{ variable: 'web_tier', operator: 'equals', value: 'gold', next: 'ring' }],
      },
      ring: { type: 'dial', to: { type: 'agent', target: '1001' }, next: 'end' },
      end: { type: 'hangup' },
    };
    const json = { name: 'tiers', kind: 'graph', definition: { start: 'tier', nodes } };
    const made = await stage.request('POST', '/v1/callflows', json);
    expect(made.status, made.text).to.equal(201);
    const id = String(made.body?.id);
    await good('POST', `/v1/callflows/${id}/activate`, {});
    expect(await tab.connect({ callflow: id }, { variables: { tier: 'gold' } })).to.equal(null);
    const rung = await supervisor.incoming();
    await supervisor.answer(rung);
    await supervisor.waitToHear(hears(MICROPHONE_HZ), { callId: rung });
    await supervisor.hangup(rung);
    taken += 1;
    await tab.until('call disconnected', taken);
  });
}
