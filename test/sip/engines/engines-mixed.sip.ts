import { expect } from 'chai';
import { AsteriskHost } from '../../conformance/rigs/asterisk-host.js';
import { eventually } from '../../support/eventually.js';
import { describeFreeswitch } from '../../support/platform/freeswitch.js';
import { FreeswitchStage, NAME } from '../../support/stages/freeswitch-stage.js';
import { Baresip } from '../../support/phones/index.js';
import { AGENT_HZ, CARRIER_HZ, TrunkTalkers } from '../../support/calls/trunk-talkers.js';
import { expectAt, momentOf } from '../../support/judges/moment.js';
import { untilRegistered } from '../../support/phones/registered.js';

const ASTERISK = 'other';

describeFreeswitch('FreeSWITCH and Asterisk shared by two processes', () => {
  let stage: FreeswitchStage;
  let asterisk: AsteriskHost;
  let carrier: Baresip;
  let atFreeswitch: TrunkTalkers;
  let atAsterisk: TrunkTalkers;
  const phones: Baresip[] = [];

  before(async function () {
    this.timeout(180_000);
    [stage, asterisk] = await Promise.all([FreeswitchStage.start(), AsteriskHost.start({ from: 18_400, to: 18_598 })]);
    await stage.addAsterisk(ASTERISK, asterisk);
    const [sipPort, call] = [stage.carrierPort, (json: object) => stage.application.call(json)];
    carrier = await Baresip.start({ codecs: ['PCMA'], user: 'carrier', sipPort, source: { toneHz: CARRIER_HZ } });
    phones.push(carrier);
    atFreeswitch = new TrunkTalkers(call, carrier, await softphone(0, stage.host.sipPort));
    atAsterisk = new TrunkTalkers(call, carrier, await softphone(1, asterisk.sipPort));
  });
  after(async () => {
    await Promise.all(phones.map((phone) => phone.close()));
    await stage.close();
    await asterisk.stop();
  });

  /** Registers a demo agent at one of the engines; resolves when the registration is stored. */
  async function softphone(index: number, port: number): Promise<Baresip> {
    const { agent: user, password } = stage.application.bootstrap.sip.agents[index]!;
    const registrar = { host: '127.0.0.1', port, password };
    const phone = await Baresip.start({ codecs: ['PCMA'], user, registrar, source: { toneHz: AGENT_HZ } });
    phones.push(phone);
    await phone.registered();
    await untilRegistered(stage.database.db, user);
    return phone;
  }

  const numberOf = (index: number): string => stage.application.bootstrap.sip.agents[index]!.number;

  it('ring a softphone on Asterisk for a caller on FreeSWITCH', async () => {
    const ends = await atAsterisk.pickUp(await carrier.dial(`sip:${numberOf(1)}@${stage.host.sipAddress}`));
    await carrier.hangup(ends.atCarrier);
    await atAsterisk.closed(ends);
  });

  it('ring a softphone on FreeSWITCH for a caller on Asterisk', async () => {
    const ends = await atFreeswitch.pickUp(await carrier.dial(`sip:${numberOf(0)}@${asterisk.sipAddress}`));
    expect(await stage.leftInEngine(), 'FreeSWITCH only passes the call').to.equal(2);
    await atFreeswitch.agent.hangup(ends.atAgent);
    await atFreeswitch.closed(ends);
  });

  it('refuse a call to an unregistered softphone', async () => {
    const unknown = await carrier.dial(`sip:nobody@${stage.host.sipAddress}`);
    expect(await carrier.closed(unknown)).to.match(/^404/);
  });

  it('report when a call on the added Asterisk ended while no process was running', async () => {
    const ends = await atAsterisk.pickUp(await carrier.dial(`sip:${numberOf(1)}@${asterisk.sipAddress}`));
    const { body } = await stage.application.request('GET', '/v1/calls?limit=1');
    const [{ call_id: callId }] = body?.data as [{ call_id: string }];
    await stage.application.kill();
    const ended = await momentOf(async () => {
      await carrier.hangup(ends.atCarrier);
      const channels = async (): Promise<number> => ((await asterisk.ask('/channels')) as readonly unknown[]).length;
      await eventually(async () => (await channels()) === 1, 'the customer’s leg is gone');
    });
    await stage.application.start();
    const call = await stage.application.becomes(callId, 'ended');
    expectAt(call.ended_at, ended);
    await atAsterisk.agent.closed(ends.atAgent);
  });

  it('keep a call that only passes FreeSWITCH when its owner is killed', async () => {
    const first = stage.application.platform;
    const second = await stage.application.start({ PORT: '0' });
    await eventually(async () => {
      const owners = [await stage.ownerOf(NAME), await stage.ownerOf(ASTERISK)];
      return owners.includes(first.pid!) && owners.includes(second.pid!);
    }, 'each process owns one engine');
    const ends = await atFreeswitch.pickUp(await carrier.dial(`sip:${numberOf(0)}@${asterisk.sipAddress}`));
    const owner = (await stage.ownerOf(NAME)) === first.pid ? first : second;
    owner.signal('SIGKILL');
    await owner.exited;
    const survivor = owner === first ? second : first;
    await eventually(async () => (await stage.ownerOf(NAME)) === survivor.pid, 'the other process owns the engine');
    await stage.isUp();
    // The new owner hangs up unknown legs two seconds after the takeover.
    for (let second = 0; second < 4; second += 1) await atFreeswitch.keepTalking(ends);
    await carrier.hangup(ends.atCarrier);
    await atFreeswitch.closed(ends);
    expect(atFreeswitch.missingSeconds(ends)).to.be.lessThan(1);
  });
});
