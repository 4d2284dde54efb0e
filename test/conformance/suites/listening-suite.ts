import { expect } from 'chai';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { newId } from '../../../core/model/ids.js';
import type { LegEvent } from '../../../core/ports/engine-events.js';
import { loudSeconds, slice, toneSeconds, toneWav } from '../../support/judges/audio.js';
import { hasPart, hears, talk, tonesHeard } from '../../support/judges/hearing.js';
import { Baresip } from '../../support/phones/index.js';
import type { Of } from '../rigs/heard.js';
import type { RealEngine } from '../rigs/sip-rig.js';
import { answeredAt, WITHHELD } from '../rigs/stage.js';

const PROMPT_HZ = 1_300;
const TONES = [500, 700, 900] as const;

interface Party {
  readonly phone: Baresip;
  readonly hz: number;
  readonly legId: string;
}

/** Checks on every engine, by the phones' recordings, which legs hear each other. */
export function listeningConformance(start: () => Promise<RealEngine>): void {
  let ground: RealEngine;
  const phones: Baresip[] = [];

  before(async () => {
    ground = await start();
    await writeFile(join(ground.folder, 'prompt.wav'), toneWav({ hz: PROMPT_HZ, seconds: 1 }));
  });
  afterEach(async () => {
    for (const { legId } of (await ground.engine.list()).legs) {
      await ground.engine.legs.hangup(legId);
      await untilLegEvent('leg.ended', legId);
    }
    await Promise.all(phones.splice(0).map((phone) => phone.close()));
  });
  after(async () => {
    await ground.stop();
  });

  function untilLegEvent<Type extends LegEvent['type']>(type: Type, legId: string): Promise<Of<Type>> {
    return ground.heard.event<LegEvent['type']>(type, { legId }) as Promise<Of<Type>>;
  }

  async function party(index: 0 | 1 | 2): Promise<Party> {
    // A new phone for each call, because a phone names its recordings by the second.
    const source = { toneHz: TONES[index] };
    const phone = await Baresip.start({ user: `talker-${index}`, answer: 'auto', source, codecs: ['PCMA'] });
    phones.push(phone);
    const legId = await answeredAt(ground, phone.uri, { callerId: WITHHELD });
    await phone.waitFor('CALL_ESTABLISHED');
    return { phone, hz: TONES[index], legId };
  }

  async function bridged(...parties: readonly Party[]): Promise<string> {
    const bridgeId = newId();
    await ground.engine.bridges.create(bridgeId);
    for (const { legId } of parties) await ground.engine.bridges.add(bridgeId, legId);
    return bridgeId;
  }

  /** Plays a one-second prompt to the leg; its end marks a time in the phone's recording. */
  async function prompt(legId: string): Promise<void> {
    const playbackId = newId();
    const items = [{ type: 'file', path: join(ground.folder, 'prompt') }] as const;
    await ground.engine.media.play({ playbackId, target: { legId }, items });
    await ground.heard.event('play.finished', { playbackId, outcome: 'completed' });
  }

  it('two legs in a bridge hear each other and not themselves', async () => {
    const [one, other] = [await party(0), await party(1)];
    await bridged(one, other);
    await talk(one, other);
  });

  it('each of three legs in a bridge hears the other two and not itself', async () => {
    const all = [await party(0), await party(1), await party(2)];
    await bridged(...all);
    for (const { phone, hz } of all) {
      for (const other of all) if (other.hz !== hz) await phone.waitToHear(hasPart(other.hz, 0.3));
      expect(hasPart(hz, 0.05)(phone.heard()), `${hz} Hz hears itself`).to.equal(false);
    }
  });

  it('a leg on hold hears music, and is inaudible until it is resumed', async () => {
    const [one, other] = [await party(0), await party(1)];
    const bridgeId = await bridged(one, other);
    await talk(one, other);
    await ground.engine.legs.hold(one.legId);
    const [heldAt, aloneAt] = [one.phone.heard().seconds, other.phone.heard().seconds];
    await one.phone.waitToHear((audio) => loudSeconds(slice(audio, heldAt)) > 1);
    expect(toneSeconds(slice(one.phone.heard(), heldAt + 0.3), other.hz), 'the held leg hears the other').to.equal(0);
    await prompt(other.legId);
    expect(toneSeconds(slice(other.phone.heard(), aloneAt + 0.3), one.hz), 'the held leg is audible').to.equal(0);
    await ground.engine.legs.unhold(one.legId);
    await ground.engine.bridges.add(bridgeId, one.legId);
    const backAt = other.phone.heard().seconds;
    await other.phone.waitToHear((audio) => hears(one.hz)(slice(audio, backAt)));
  });

  it('a muted leg is inaudible and still hears', async () => {
    const [one, other] = [await party(0), await party(1)];
    await bridged(one, other);
    await talk(one, other);
    await ground.engine.legs.mute(one.legId);
    const [mutedAt, fromAt] = [other.phone.heard().seconds, one.phone.heard().seconds];
    await one.phone.waitToHear((audio) => hears(other.hz, 1)(slice(audio, fromAt)));
    expect(toneSeconds(slice(other.phone.heard(), mutedAt + 0.3), one.hz), 'the muted leg is audible').to.equal(0);
    await ground.engine.legs.unmute(one.legId);
    const backAt = other.phone.heard().seconds;
    await other.phone.waitToHear((audio) => hears(one.hz)(slice(audio, backAt)));
  });

  it('a leg that left a bridge no longer hears the remaining leg', async () => {
    const [one, other] = [await party(0), await party(1)];
    const bridgeId = await bridged(one, other);
    await talk(one, other);
    await ground.engine.bridges.remove(bridgeId, one.legId);
    const leftAt = one.phone.heard().seconds;
    await prompt(one.legId);
    await one.phone.waitToHear((audio) => hears(PROMPT_HZ, 0.8)(slice(audio, leftAt)));
    expect(toneSeconds(slice(one.phone.heard(), leftAt + 0.3), other.hz)).to.equal(0);
  });

  describe('a monitoring leg', () => {
    let customer: Party;
    let agent: Party;
    let supervisor: Party;

    beforeEach(async () => {
      [customer, agent, supervisor] = [await party(0), await party(1), await party(2)];
      await bridged(customer, agent);
      await talk(customer, agent);
    });

    const hearsNow = ({ phone }: Party): Promise<number[]> => tonesHeard(phone, TONES);

    /** Asserts that only the prompt is audible while it plays: a leg that is alone receives nothing else. */
    async function isAlone({ phone, legId }: Party): Promise<void> {
      const from = phone.heard().seconds;
      await prompt(legId);
      await phone.waitToHear((audio) => hears(PROMPT_HZ, 0.8)(slice(audio, from)));
      for (const hz of TONES) expect(toneSeconds(slice(phone.heard(), from + 0.3), hz), `${hz} Hz`).to.equal(0);
    }

    async function tonesHeardByAll(): Promise<Record<'customer' | 'agent' | 'supervisor', number[]>> {
      const [one, two, three] = await Promise.all([customer, agent, supervisor].map(hearsNow));
      return { customer: one!, agent: two!, supervisor: three! };
    }

    const [CUSTOMER, AGENT, SUPERVISOR] = TONES;

    it('hears both parties, and only the target hears it while it whispers', async () => {
      const { monitors } = ground.engine;
      const monitoring = { legId: supervisor.legId, targetLegId: agent.legId };
      const listening = { customer: [AGENT], agent: [CUSTOMER], supervisor: [CUSTOMER, AGENT] };
      const whispering = { ...listening, agent: [CUSTOMER, SUPERVISOR] };
      await monitors.start({ ...monitoring, whispers: false });
      expect(await tonesHeardByAll()).to.deep.equal(listening);
      await monitors.start({ ...monitoring, whispers: true });
      expect(await tonesHeardByAll()).to.deep.equal(whispering);
      // The whisper must be audible even if nothing else is.
      await ground.engine.legs.mute(customer.legId);
      expect(await tonesHeardByAll()).to.deep.equal({ customer: [AGENT], agent: [SUPERVISOR], supervisor: [AGENT] });
      await ground.engine.legs.unmute(customer.legId);
      await monitors.start({ ...monitoring, whispers: false });
      expect(await tonesHeardByAll()).to.deep.equal(listening);
      await monitors.stop(supervisor.legId);
      await monitors.stop(supervisor.legId);
      await isAlone(supervisor);
      expect(await Promise.all([hearsNow(customer), hearsNow(agent)])).to.deep.equal([[AGENT], [CUSTOMER]]);
    });

    it('joins and leaves the bridge, monitors another leg, and stays when that leg ends', async () => {
      const { bridges, legs, monitors } = ground.engine;
      await monitors.start({ legId: supervisor.legId, targetLegId: agent.legId, whispers: true });
      const bridgeId = (await ground.engine.list()).legs.find(({ legId }) => legId === agent.legId)!.bridgeId!;
      await bridges.add(bridgeId, supervisor.legId);
      expect(await tonesHeardByAll()).to.deep.equal({
        customer: [AGENT, SUPERVISOR],
        agent: [CUSTOMER, SUPERVISOR],
        supervisor: [CUSTOMER, AGENT],
      });
      await monitors.start({ legId: supervisor.legId, targetLegId: customer.legId, whispers: true });
      expect(await tonesHeardByAll()).to.deep.equal({
        customer: [AGENT, SUPERVISOR],
        agent: [CUSTOMER],
        supervisor: [CUSTOMER, AGENT],
      });
      await legs.hangup(customer.legId);
      await untilLegEvent('leg.ended', customer.legId);
      await isAlone(supervisor);
      const left = (await ground.engine.list()).legs.map(({ legId }) => legId);
      expect(left).to.have.members([agent.legId, supervisor.legId]);
    });
  });

  it('all legs in a bridge hear a playback into it', async () => {
    const [one, other] = [await party(0), await party(1)];
    const bridgeId = await bridged(one, other);
    const playbackId = newId();
    const items = [{ type: 'file', path: join(ground.folder, 'prompt') }] as const;
    await ground.engine.media.play({ playbackId, target: { bridgeId }, items });
    for (const { phone } of [one, other]) await phone.waitToHear(hasPart(PROMPT_HZ, 0.3));
  });

  it('DTMF reaches the other phone in a bridge and is reported', async () => {
    const [one, other] = [await party(0), await party(1)];
    await bridged(one, other);
    await talk(one, other);
    await one.phone.sendDtmf('58');
    await other.phone.digits('58');
    await untilLegEvent('leg.dtmf', one.legId);
  });

  it('an echoed phone hears itself', async () => {
    const one = await party(0);
    await ground.engine.legs.echo(one.legId);
    await one.phone.waitToHear(hears(one.hz, 1));
    await ground.engine.legs.stopEcho(one.legId);
    const stoppedAt = one.phone.heard().seconds;
    await prompt(one.legId);
    await one.phone.waitToHear((audio) => hears(PROMPT_HZ, 0.8)(slice(audio, stoppedAt)));
    expect(toneSeconds(slice(one.phone.heard(), stoppedAt + 0.3), one.hz)).to.equal(0);
  });

  it('DTMF keys do not stop a playback, and each is reported once', async () => {
    const one = await party(0);
    const played = prompt(one.legId);
    await untilLegEvent('play.started', one.legId);
    await one.phone.sendDtmf('*#1');
    await played;
    await one.phone.waitToHear(hears(PROMPT_HZ, 0.7));
    await ground.heard.event('leg.dtmf', { legId: one.legId, digit: '1' });
    const digits = ground.heard.events.flatMap((event) =>
      event.type === 'leg.dtmf' && event.legId === one.legId ? event.digit : [],
    );
    expect(digits.join('')).to.equal('*#1');
  });
}
