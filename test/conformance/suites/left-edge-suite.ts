import { expect } from 'chai';
import { newId } from '../../../core/model/ids.js';
import type { LegEndpoint } from '../../../core/ports/engine.js';
import type { EdgeWay, Softphone } from '../../../core/ports/engine/peers.js';
import { OptionsCarrier } from '../../support/peers/options-carrier.js';
import { Baresip } from '../../support/phones/index.js';
import type { RealEngine } from '../rigs/sip-rig.js';
import { carrierAt, legTo } from '../rigs/stage.js';

const AOR = 'agent-behind';

/**
 * Checks on every engine that an operator can give up the SIP edge while the engine keeps running: nothing is sent to the
 * edge any more, and nothing that arrives is refused.
 */
export function leftEdgeConformance(start: () => Promise<RealEngine>): void {
  let ground: RealEngine;
  /** Where the edge was: it answers nothing. */
  let edge: OptionsCarrier;
  const phones: Baresip[] = [];

  before(async () => {
    ground = await start();
    edge = await OptionsCarrier.start(null);
  });
  afterEach(() => expect(edge.methods, 'sent to the edge').to.deep.equal([]));
  after(async () => {
    await Promise.all(phones.map((phone) => phone.close()));
    edge.stop();
    await ground.stop();
  });

  const way = (mark: string): EdgeWay => ({ host: '127.0.0.1', port: edge.port, mark });

  /** A call to the endpoint, which the phone answers. */
  async function reaches(endpoint: LegEndpoint, phone: Baresip): Promise<void> {
    const { engine, heard } = ground;
    const leg = legTo(endpoint);
    await engine.legs.originate(leg);
    await phone.waitFor('CALL_INCOMING');
    await phone.answer();
    await heard.event('leg.answered', { legId: leg.legId });
    await engine.legs.hangup(leg.legId);
    await heard.event('leg.ended', { legId: leg.legId });
  }

  it('calls a trunk at its own address', async () => {
    const carrier = await Baresip.start({ user: 'carrier' });
    phones.push(carrier);
    const trunk = carrierAt(carrier.sipPort);
    await ground.engine.trunks.put({ ...trunk, edge: way('the trunk'), exit: way('the way out') });
    await ground.engine.trunks.put(trunk);
    await reaches({ type: 'trunk', trunkId: trunk.trunkId, number: '+966500000001' }, carrier);
  });

  it('rings a softphone where it has registered, and takes its calls', async () => {
    const softphone: Softphone = { aor: AOR, password: newId(), displayName: 'Agent', maxContacts: 1 };
    const { registrations } = ground.engine;
    await registrations.put({ ...softphone, edge: way('the softphone') });
    await registrations.put(softphone);
    expect([...(await registrations.registered())], 'before the phone registers').not.to.include(AOR);
    const registrar = { host: '127.0.0.1', port: ground.sipPort, password: softphone.password };
    const phone = await Baresip.start({ user: AOR, registrar });
    phones.push(phone);
    await phone.registered();
    await ground.heard.event('registration.changed', { aor: AOR, registered: true });
    await reaches({ type: 'softphone', aor: AOR }, phone);
    await phone.dial(`sip:7001@${ground.sipAddress}`);
    const { source } = await ground.heard.untilType('leg.incoming');
    expect(source).to.deep.equal({ type: 'softphone', aor: AOR });
  });
}
