import { expect } from 'chai';
import { newId } from '../../core/model/ids.js';
import type { Softphone } from '../../core/ports/engine.js';
import { Baresip } from '../support/phones/index.js';
import { failureOf } from '../support/failure-of.js';
import type { Of } from './heard.js';
import type { RealEngine } from './sip-rig.js';

/** Who may register, and call as whom, on every engine alike. */
export function softphonesConformance(start: () => Promise<RealEngine>): void {
  let ground: RealEngine;
  const phones: Baresip[] = [];

  before(async () => {
    ground = await start();
  });
  afterEach(async () => {
    for (const { legId } of (await ground.engine.list()).legs) await ground.engine.legs.hangup(legId);
    await Promise.all(phones.splice(0).map((phone) => phone.close()));
  });
  after(() => ground.stop());

  async function account(aor: string, over: Partial<Softphone> = {}): Promise<Softphone> {
    const softphone = { aor, password: `${newId()}&$%`, displayName: 'Agent <"One">', maxContacts: 1, ...over };
    await ground.engine.registrations.put(softphone);
    return softphone;
  }

  async function phone({ aor, password }: Pick<Softphone, 'aor' | 'password'>): Promise<Baresip> {
    const started = await Baresip.start({
      user: aor,
      registrar: { host: '127.0.0.1', port: ground.sipPort, password },
    });
    phones.push(started);
    return started;
  }

  function told(aor: string, registered: boolean): Promise<Of<'registration.changed'>> {
    return ground.heard.told('registration.changed', { aor, registered });
  }

  it('calls in under its own name, whatever its phone says', async () => {
    const softphone = await account('agent-in');
    const calling = await phone(softphone);
    await told(softphone.aor, true);
    await calling.dial(`sip:7001@${ground.sipAddress}`);
    const { legId, dialled, source, callerId } = await ground.heard.untilType('leg.incoming');
    expect({ dialled, source, number: callerId.number }).to.deep.equal({
      dialled: '7001',
      source: { type: 'softphone', aor: softphone.aor },
      number: softphone.aor,
    });
    await ground.engine.legs.answer(legId);
    await calling.waitFor('CALL_ESTABLISHED');
  });

  it('is refused with another password, and when nobody knows it', async () => {
    const { aor } = await account('agent-wrong');
    expect(String(await failureOf((await phone({ aor, password: 'another' })).registered()))).to.match(/40[13]/);
    expect(String(await failureOf((await phone({ aor: 'nobody', password: 'x' })).registered()))).to.match(/40[134]/);
    expect([...(await ground.engine.registrations.registered())]).not.to.include(aor);
  });

  it('is registered for as long as one of its phones is', async () => {
    const softphone = await account('agent-two', { maxContacts: 2 });
    const [one, other] = [await phone(softphone), await phone(softphone)];
    await Promise.all([one.registered(), other.registered()]);
    await told(softphone.aor, true);
    await one.close();
    expect([...(await ground.engine.registrations.registered())]).to.include(softphone.aor);
    await other.close();
    await told(softphone.aor, false);
  });

  it('a stranger without a password cannot call in', async () => {
    const stranger = await Baresip.start({ user: 'stranger' });
    phones.push(stranger);
    const callId = await stranger.dial(`sip:7002@${ground.sipAddress}`);
    expect(await stranger.closed(callId)).to.match(/^40[137]|^Authentication/);
    expect(ground.heard.events.some((event) => event.type === 'leg.incoming' && event.dialled === '7002')).to.equal(
      false,
    );
  });
}
