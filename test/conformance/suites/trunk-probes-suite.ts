import { expect } from 'chai';
import type { TrunkState } from '../../../core/model/trunks/state.js';
import { eventually } from '../../support/eventually.js';
import { OptionsCarrier } from '../../support/peers/options-carrier.js';
import type { RealEngine } from '../rigs/sip-rig.js';
import { carrierAt, legTo } from '../rigs/stage.js';

/** The shortest interval of the setting. */
export const PROBE_SECONDS = 5;
/** An interval, a transaction that times out, and the time to read it, twice. */
const LIMIT_MS = 90_000;

/** Checks on every engine whether its trunks answer. */
export function trunkProbesConformance(start: () => Promise<RealEngine>): void {
  let ground: RealEngine;
  const carriers: OptionsCarrier[] = [];

  before(async () => {
    ground = await start();
  });
  after(async () => {
    for (const carrier of carriers) carrier.stop();
    await ground.stop();
  });

  const carrierWith = async (trunkId: string, status: string | null, isProbed: boolean): Promise<OptionsCarrier> => {
    const carrier = await OptionsCarrier.start(status);
    carriers.push(carrier);
    await ground.engine.trunks.put(carrierAt(carrier.port, { trunkId, isProbed }));
    return carrier;
  };
  const stateOf = async (trunkId: string): Promise<TrunkState | undefined> =>
    (await ground.engine.trunks.states()).get(trunkId);

  it('knows that a trunk answers, whatever it answers, and when it stops and starts to answer', async function () {
    this.timeout(3 * LIMIT_MS);
    const carrier = await carrierWith('working', '404 Not Found', true);
    const early = await stateOf('working');
    expect(early).to.be.oneOf(['unknown', 'up']);
    for (const [status, expected] of [
      ['404 Not Found', 'up'],
      [null, 'down'],
      ['200 OK', 'up'],
    ] as const) {
      carrier.status = status;
      await eventually(async () => (await stateOf('working')) === expected, `the trunk to be ${expected}`, LIMIT_MS);
    }
    expect(new Set(carrier.methods)).to.deep.equal(new Set(['OPTIONS']));
    await ground.engine.trunks.remove('working');
    expect(await stateOf('working')).to.equal(undefined);
  });

  it('calls a trunk that never answered unknown, then down, and still dials calls through it, which end with 408', async function () {
    this.timeout(2 * LIMIT_MS);
    const carrier = await carrierWith('silent', null, true);
    expect(await stateOf('silent')).to.equal('unknown');
    await eventually(async () => (await stateOf('silent')) === 'down', 'the trunk to be down', LIMIT_MS);
    const endpoint = { type: 'trunk', trunkId: 'silent', number: '+966500000009' } as const;
    const { legId } = legTo(endpoint);
    await ground.engine.legs.originate(legTo(endpoint, { legId, ringTimeoutSeconds: 60, maxDurationSeconds: 90 }));
    const ended = await eventually(
      () => ground.heard.events.find((event) => event.type === 'leg.ended' && event.legId === legId),
      'the end of the leg',
      LIMIT_MS,
    );
    expect(ended.type === 'leg.ended' && `${ended.cause.q850} ${ended.cause.sipCode}`).to.equal('18 408');
    expect(carrier.methods).to.include.members(['OPTIONS', 'INVITE']);
    await ground.engine.trunks.remove('silent');
  });

  it('leaves a trunk alone that is not to be probed', async function () {
    this.timeout(2 * LIMIT_MS);
    const carrier = await carrierWith('alone', '200 OK', false);
    const other = await carrierWith('other', '200 OK', true);
    await eventually(() => other.methods.length > 1, 'two probes of the other trunk', LIMIT_MS);
    expect(carrier.methods).to.deep.equal([]);
    expect([...(await ground.engine.trunks.states()).keys()]).to.deep.equal(['other']);
  });
}
