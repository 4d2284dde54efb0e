import { expect } from 'chai';
import { eventually } from '../../support/eventually.js';
import { OptionsCarrier } from '../../support/peers/options-carrier.js';
import { TestPlatform } from '../../support/platform/platform.js';

const TRUNK = 'SIP_TRUNK_URI';
const NUMBER = '+966501234517';
const UNKNOWN = '+966115550199';
/** Two probes, and the time until their result is read. */
const PROBED_MS = 40_000;

describe('a trunk', () => {
  let stage: TestPlatform;
  let carrier: OptionsCarrier;

  before(async () => {
    stage = await TestPlatform.start({ settings: { TRUNK_PROBE_SECONDS: '5' } });
    carrier = await OptionsCarrier.start('405 Method Not Allowed', stage.carrierPort);
  });
  after(async () => {
    carrier.stop();
    await stage.stop();
  });

  const health = async (): Promise<{ status: string; checks: { sip: string; trunks: { status: string }[] } }> =>
    (await (await fetch(`${stage.url}/v1/health`)).json()) as Awaited<ReturnType<typeof health>>;
  const metric = async (series: string): Promise<string | undefined> =>
    (await (await fetch(`${stage.url}/metrics`)).text()).split('\n').find((line) => line.startsWith(series));
  const states = async (): Promise<string[]> =>
    (await stage.platform.management.trunks.listWatched()).map(({ name, state }) => `${name} ${state}`);
  const becomes = (state: string): Promise<unknown> =>
    eventually(async () => (await states()).includes(`${TRUNK} ${state}`), `the trunk to be ${state}`, PROBED_MS);

  it('that answers probes is up in the list, in the health and in the metrics', async function () {
    this.timeout(2 * PROBED_MS);
    await becomes('up');
    const { status, checks } = await health();
    expect(status).to.equal('ok');
    expect(checks).to.include({ sip: 'up' });
    expect(checks.trunks.map((trunk) => trunk.status)).to.deep.equal(['up']);
    expect(await metric(`hatif_trunk_up{trunk="${TRUNK}"`)).to.match(/ 1$/);
  });

  it('that does not answer is down, and a call through it fails because of it', async function () {
    this.timeout(4 * PROBED_MS);
    carrier.status = null;
    const { call_id: silent } = await stage.call({ to: NUMBER, ring_timeout_seconds: 60 });
    await becomes('down');
    const { call_id: hasty } = await stage.call({ to: NUMBER, ring_timeout_seconds: 5 });
    const text = 'Destination out of order: the trunk did not answer';
    const given = await stage.over(hasty);
    expect(given).to.deep.include({ status: 'failed', hangup_cause: { q850: 27, sip_code: null, text } });
    await eventually(async () => (await stage.read(silent)).status !== 'initiated', 'the end of the call', PROBED_MS);
    const over = await stage.over(silent);
    expect(over).to.include({ status: 'failed', disposition: 'failed' });
    expect(over.hangup_cause).to.deep.equal({ q850: 27, sip_code: 408, text });
    const { status, checks } = await health();
    expect([status, checks.sip, checks.trunks[0]?.status]).to.deep.equal(['degraded', 'up', 'down']);
    expect(await metric(`hatif_trunk_up{trunk="${TRUNK}"`)).to.match(/ 0$/);
  });

  it('that answers again is up again', async function () {
    this.timeout(2 * PROBED_MS);
    carrier.status = '200 OK';
    await becomes('up');
    expect((await health()).status).to.equal('ok');
  });

  it('that calls a number which nobody has leaves a trace', async () => {
    const { management, engine } = stage.platform;
    const caller = await stage.phone({ user: NUMBER });
    await management.trunks.add({ name: 'other', uri: `sip:127.0.0.1:${caller.sipPort}`, isDefault: false });
    await engine?.configurationChanged();
    const id = await caller.dial(stage.sipUri(UNKNOWN));
    expect(await caller.closed(id)).to.match(/^404/);
    const simulated = await stage.request('POST', '/v1/sandbox/calls', {
      key: stage.demo.sandboxKey,
      json: { to: UNKNOWN },
    });
    expect(simulated.status).to.be.above(399);
    const [refused, ...rest] = await eventually(async () => {
      const found = await management.refusedCalls.list(1, 10);
      return found.length > 0 && found;
    }, 'the refused call');
    expect(refused).to.include({ dialled: UNKNOWN, caller_masked: '+96650••••17', source_name: 'other', calls: 1 });
    expect(refused).to.include({ reason: 'unknown_number', q850: 1 });
    expect(rest, 'nothing of the sandbox').to.deep.equal([]);
    expect(await metric('hatif_calls_refused_total{engine="asterisk",reason="unknown_number"}')).to.match(/ 1$/);
  });
});
