import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { eventually } from '../../support/eventually.js';
import { FIRST, PoolStage, SECOND, type Application } from '../../support/stages/pool-stage.js';
import { CUSTOMER, type TrunkTalkers } from '../../support/calls/trunk-talkers.js';
import { UdpProxy } from '../../support/peers/udp-proxy.js';

/** An engine whose SIP fails gets no new call after five seconds; two more allow for a slow machine. */
const EXCLUDED_WITHIN_MS = 5_000 + 2_000;

describe('an engine whose SIP fails while its control connection works', () => {
  let stage: PoolStage;
  let cable: UdpProxy;
  let application: Application;
  let talkers: TrunkTalkers;

  before(async function () {
    this.timeout(180_000);
    stage = await PoolStage.start();
    cable = await UdpProxy.start(stage.host(SECOND).sipPort);
    application = await stage.application();
    await stage.addSecond(`127.0.0.1:${cable.port}`);
    await stage.ownedBy(application);
    talkers = stage.talkers(application, await stage.softphone(application, '1002', SECOND));
  });
  after(async () => {
    cable.close();
    await stage.close();
  });

  it('gets no new calls after five seconds; its live calls can be controlled', async () => {
    const json = { to: CUSTOMER, connect: { type: 'agent', target: '1002' } };
    const callId = await stage.call(application, json);
    const ends = await talkers.join(await stage.carrier.incoming());
    expect(await stage.engineOf(callId)).to.equal(SECOND);
    cable.cut();
    await eventually(() => stage.isShunned(SECOND), 'the engine gets no new calls', EXCLUDED_WITHIN_MS);
    expect(await stage.engine(SECOND)).to.include({ status: 'up', sip_status: 'down', takes_calls: false });
    expect(await stage.engineOf(await stage.call(application, json))).to.equal(FIRST);
    const next = await stage.carrier.incoming();
    await stage.carrier.hangup(next);
    await stage.control(application, callId, 'mute');
    cable.restore();
    await eventually(async () => !(await stage.isShunned(SECOND)), 'the engine is available again');
    await stage.control(application, callId, 'hangup');
    await talkers.closed(ends);
  });

  it('does not log the SIP health check as an unknown caller', async () => {
    const log = await readFile(join(stage.host(SECOND).folder, 'asterisk/log/messages'), 'utf8');
    expect(log.split('\n').filter((line) => /hatif-health|OPTIONS/.test(line))).to.deep.equal([]);
  });
});
