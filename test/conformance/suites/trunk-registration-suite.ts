import { expect } from 'chai';
import { eventually } from '../../support/eventually.js';
import { Registrar } from '../../support/peers/registrar.js';
import type { RealEngine } from '../rigs/sip-rig.js';
import { carrierAt } from '../rigs/stage.js';

/** An engine waits for up to ten seconds before it registers. */
const LIMIT_MS = 40_000;
const [USERNAME, PASSWORD] = ['hatif', 'a secret'];

/** Checks on every engine that it registers at trunks. */
export function trunkRegistrationConformance(start: () => Promise<RealEngine>): void {
  let ground: RealEngine;
  let registrar: Registrar;

  before(async () => {
    ground = await start();
    registrar = await Registrar.start(USERNAME, PASSWORD);
  });
  after(async () => {
    registrar.stop();
    await ground.stop();
  });

  const put = (registers: boolean, password = PASSWORD): Promise<void> =>
    ground.engine.trunks.put(carrierAt(registrar.port, { credentials: { username: USERNAME, password }, registers }));
  const becomes = (isRegistered: boolean): Promise<unknown> =>
    eventually(
      () => (registrar.contact !== null) === isRegistered,
      isRegistered ? 'the registration' : 'its end',
      LIMIT_MS,
    );

  it('registers with the credentials, and ends the registration when the trunk no longer registers', async function () {
    this.timeout(4 * LIMIT_MS);
    await put(true);
    await becomes(true);
    expect(registrar.contact).to.match(/^sip:hatif@127\.0\.0\.1:\d+/);
    await put(false);
    await becomes(false);
    await put(true);
    await becomes(true);
    await ground.engine.trunks.remove('carrier');
    await becomes(false);
  });

  it('registers after its password was corrected', async function () {
    this.timeout(4 * LIMIT_MS);
    await put(true, 'wrong');
    await put(true);
    await becomes(true);
    await ground.engine.trunks.remove('carrier');
    await becomes(false);
  });
}
