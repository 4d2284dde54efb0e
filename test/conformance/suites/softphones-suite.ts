import { expect } from 'chai';
import { newId } from '../../../core/model/ids.js';
import type { Softphone } from '../../../core/ports/engine/peers.js';
import { refersAttended } from '../../support/calls/attended.js';
import { Baresip, type BaresipOptions } from '../../support/phones/index.js';
import { eventually } from '../../support/eventually.js';
import { failureOf } from '../../support/judges/failure-of.js';
import { textsIn, type LoggedText } from '../../support/judges/received-texts.js';
import type { Of } from '../rigs/heard.js';
import type { RealEngine } from '../rigs/sip-rig.js';
import { answeredAt, WITHHELD } from '../rigs/stage.js';

/** Rules for registrations and calls that every engine must enforce. */
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

  async function phone(
    { aor, password }: Pick<Softphone, 'aor' | 'password'>,
    options: Partial<BaresipOptions> = {},
  ): Promise<Baresip> {
    const started = await Baresip.start({
      user: aor,
      registrar: { host: '127.0.0.1', port: ground.sipPort, password },
      ...options,
    });
    phones.push(started);
    return started;
  }

  function untilRegistration(aor: string, registered: boolean): Promise<Of<'registration.changed'>> {
    return ground.heard.event('registration.changed', { aor, registered });
  }

  it('calls with its account name, whatever its phone sends', async () => {
    const softphone = await account('agent-in');
    const calling = await phone(softphone);
    await untilRegistration(softphone.aor, true);
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

  it('is rejected with a wrong password or an unknown account', async () => {
    const { aor } = await account('agent-wrong');
    expect(String(await failureOf((await phone({ aor, password: 'another' })).registered()))).to.match(/40[13]/);
    expect(String(await failureOf((await phone({ aor: 'nobody', password: 'x' })).registered()))).to.match(/40[134]/);
    expect([...(await ground.engine.registrations.registered())]).not.to.include(aor);
  });

  it('is registered while at least one of its phones is', async () => {
    const softphone = await account('agent-two', { maxContacts: 2 });
    const [one, other] = [await phone(softphone), await phone(softphone)];
    await Promise.all([one.registered(), other.registered()]);
    await untilRegistration(softphone.aor, true);
    await one.close();
    expect([...(await ground.engine.registrations.registered())]).to.include(softphone.aor);
    await other.close();
    await untilRegistration(softphone.aor, false);
  });

  it('has its message waiting indicator switched on and off', async () => {
    const softphone = await account('agent-lamp');
    const handset = await phone(softphone, { trace: true });
    await handset.registered();
    await untilRegistration(softphone.aor, true);
    const { mwi } = ground.engine;
    /** Returns the state in each NOTIFY so far. */
    const shown = (): string[] =>
      handset
        .log()
        .split(/^NOTIFY /m)
        .slice(1)
        .map((text) => /^Messages-Waiting: (\w+)\s[^]*?^Voice-Message: (\S+)/m.exec(text)?.slice(1).join(' ') ?? text);
    const show = async (fresh: number, heard: number, line: string): Promise<void> => {
      await mwi.show(softphone.aor, { fresh, heard });
      await eventually(() => shown().at(-1) === line, `${line}, not ${shown().join()}`);
    };
    await show(2, 1, 'yes 2/1');
    await show(0, 3, 'no 0/3');
    await mwi.show('agent-nowhere', { fresh: 1, heard: 0 });
    expect((await ground.engine.list()).legs).to.deep.equal([]);
  });

  it('is sent texts, which arrive byte for byte', async () => {
    const softphone = await account('agent-texts');
    const { aor } = softphone;
    const { texts, kind } = ground.engine;
    const send = (body: string) => texts.send({ aor, from: '+966112345678', body });
    expect(await send('Nobody has a phone.')).to.deep.equal({ result: 'not_registered' });
    const handset = await phone(softphone, { trace: true });
    await handset.registered();
    await untilRegistration(aor, true);
    const bodies = ['مرحبًا 🚚', `It's "a" | \\ b\n\n\${c}\ttab.`, ' blanks ', 'كلمة '.repeat(80)];
    for (const body of bodies) {
      const result = await eventually(async () => {
        const sent = await send(body);
        return sent.result === 'not_registered' ? null : sent;
      }, 'the engine knows where the phone is');
      // ARI does not report what the phone answers.
      expect(result).to.deep.equal({ result: kind === 'asterisk' ? 'passed_on' : 'delivered' });
    }
    const received = (): readonly string[] => textsIn(handset.log()).map(({ body }) => body);
    await eventually(
      () => received().length === bodies.length,
      () => `all texts, not ${received().join('/')}`,
    );
    expect(received()).to.deep.equal(bodies);
    const [{ from, type }] = textsIn(handset.log()) as [LoggedText];
    expect(from).to.match(/sip:\+966112345678@/);
    expect(type).to.match(/^text\/plain/);
    await handset.close();
    await untilRegistration(aor, false);
    expect(await send('Nobody has a phone any more.')).to.deep.equal({ result: 'not_registered' });
    expect((await ground.engine.list()).legs).to.deep.equal([]);
  });

  it('is rejected if it calls without a password', async () => {
    const unregistered = await Baresip.start({ user: 'stranger' });
    phones.push(unregistered);
    const callId = await unregistered.dial(`sip:7002@${ground.sipAddress}`);
    expect(await unregistered.closed(callId)).to.match(/^40[137]|^Authentication/);
    expect(ground.heard.events.some((event) => event.type === 'leg.incoming' && event.dialled === '7002')).to.equal(
      false,
    );
  });
  describe('that requests a transfer (REFER)', () => {
    /** A softphone in a bridge with another leg. */
    async function bridged(aor: string, dialled: string) {
      const calling = await phone(await account(aor), { trace: true });
      await untilRegistration(aor, true);
      const callId = await calling.dial(`sip:${dialled}@${ground.sipAddress}`);
      const { legId } = await ground.heard.event('leg.incoming', { dialled });
      await ground.engine.legs.answer(legId);
      await calling.waitFor('CALL_ESTABLISHED');
      const other = await Baresip.start({ user: 'customer', answer: 'auto' });
      phones.push(other);
      const otherId = await answeredAt(ground, other.uri, { callerId: WITHHELD });
      const bridgeId = newId();
      await ground.engine.bridges.create(bridgeId);
      for (const each of [legId, otherId]) await ground.engine.bridges.add(bridgeId, each);
      const placeOf = async (id: string): Promise<string | null | undefined> =>
        (await ground.engine.list()).legs.find((leg) => leg.legId === id)?.bridgeId;
      return { calling, callId, legId, otherId, bridgeId, placeOf };
    }

    it('is reported; no leg is moved', async () => {
      const { calling, legId, otherId, bridgeId, placeOf } = await bridged('agent-refers', '7003');
      await calling.command('transfer', '1003');
      await ground.heard.event('leg.transfer_requested', { legId, dialled: '1003' });
      expect(await placeOf(otherId)).to.equal(bridgeId);
      await ground.engine.legs.reportTransfer(legId, 'declined');
      expect((await calling.waitFor('TRANSFER_FAILED')).param).to.match(/403|603/);
      // The phone then hangs up.
      await ground.heard.event('leg.ended', { legId });
      expect(await placeOf(otherId)).to.equal(bridgeId);
      await ground.engine.bridges.destroy(bridgeId);
    });

    it('to the party of its other call (Replaces): is reported or declined; no leg is moved', async () => {
      const { calling, callId, legId, otherId, bridgeId, placeOf } = await bridged('agent-consults', '7005');
      const second = await calling.dial(`sip:7006@${ground.sipAddress}`);
      const consulting = await ground.heard.event('leg.incoming', { dialled: '7006' });
      await ground.engine.legs.answer(consulting.legId);
      await calling.waitFor('CALL_ESTABLISHED', { callId: second });
      await refersAttended(calling, callId, second, `sip:7006@${ground.sipAddress}`);
      if (ground.engine.kind === 'asterisk') {
        await ground.heard.event('leg.transfer_requested', { legId, dialled: null, replaces: consulting.legId });
        await ground.engine.legs.reportTransfer(legId, 'declined');
      }
      expect((await calling.waitFor('TRANSFER_FAILED')).param).to.match(/403|603/);
      expect(await placeOf(otherId)).to.equal(bridgeId);
      expect(await placeOf(consulting.legId)).to.equal(null);
      await ground.engine.bridges.destroy(bridgeId);
    });

    it('while it is echoed: is reported; no leg is moved', async () => {
      const { calling, legId, otherId, bridgeId, placeOf } = await bridged('agent-echoes', '7004');
      await ground.engine.legs.echo(legId);
      await calling.command('transfer', '1003');
      await ground.heard.event('leg.transfer_requested', { legId, dialled: '1003' });
      await ground.engine.legs.reportTransfer(legId, 'declined');
      expect((await calling.waitFor('TRANSFER_FAILED')).param).to.match(/403|603/);
      expect(await placeOf(otherId)).to.equal(bridgeId);
      await ground.engine.bridges.destroy(bridgeId);
    });
  });
}
