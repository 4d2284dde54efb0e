import type { TransferObject } from '../../../core/model/objects/transfer.js';
import { expect } from 'chai';
import { loudSeconds, slice, toneSeconds } from '../../support/judges/audio.js';
import {
  AGENT_HZ,
  CUSTOMER_HZ,
  TARGET_HZ,
  withTarget,
  type Conversation,
  type Talkers,
} from '../../support/calls/conversation.js';
import { eventually } from '../../support/eventually.js';
import { hearsMore, since, talk } from '../../support/judges/hearing.js';
import type { Baresip } from '../../support/phones/index.js';
import type { TestPlatform } from '../../support/platform/platform.js';

const OUTSIDE = '+966559876543';

describe('transfer of live calls', () => {
  let stage: TestPlatform;
  let talkers: Talkers;
  let customer: Baresip;
  let agent: Baresip;
  let target: Baresip;

  withTarget((made) => {
    ({ stage, talkers, customer, agent, target } = made);
  });

  async function transfer(callId: string, type: 'blind' | 'attended', json: object = {}): Promise<TransferObject> {
    const to = { type: 'agent', target: '1003' };
    const answer = await stage.request('POST', `/v1/calls/${callId}/transfer`, { json: { type, to, ...json } });
    expect(answer.status, answer.text).to.equal(202);
    return answer.body as unknown as TransferObject;
  }

  async function finish({ call_id, transfer_id }: TransferObject, how: string): Promise<void> {
    const answer = await stage.request('POST', `/v1/calls/${call_id}/transfers/${transfer_id}/${how}`, { json: {} });
    expect(answer.status, answer.text).to.equal(200);
  }

  /** Resolves when the call's newest transfer has this status. */
  async function becomes(callId: string, status: TransferObject['status']): Promise<void> {
    await eventually(async () => {
      const { body } = await stage.request('GET', `/v1/calls/${callId}/transfers`);
      return (body?.data as TransferObject[]).at(-1)?.status === status;
    }, `the transfer is ${status}`);
  }

  /** The target answers the consultation. @returns the target's ID of the call */
  async function consults(callId: string): Promise<string> {
    const ringing = await target.incoming();
    await target.answer(ringing);
    await becomes(callId, 'consulting');
    return ringing;
  }

  /** The target rings when the application stops. @returns the target's ID of the call */
  async function ringsWithoutApplication(callId: string): Promise<string> {
    const ringing = await target.incoming();
    await becomes(callId, 'ringing');
    await stage.halt();
    return ringing;
  }

  const customerAndTarget = ({ customerCall }: Conversation, targetCall: string): Promise<void> =>
    talk(
      { phone: customer, hz: CUSTOMER_HZ, callId: customerCall },
      { phone: target, hz: TARGET_HZ, callId: targetCall },
    );

  /** Customer and agent hear each other again, as before the transfer. */
  async function backTogether({ customerCall, agentCall }: Conversation): Promise<void> {
    await Promise.all([
      hearsMore(customer, customerCall, AGENT_HZ, 0.5),
      hearsMore(agent, agentCall, CUSTOMER_HZ, 0.5),
    ]);
  }

  /** Resolves when the customer has heard music for a while, but neither the agent nor the target. */
  async function customerHearsMusic({ customerCall }: Conversation): Promise<void> {
    const heard = since(customer, customerCall);
    await customer.waitToHear(() => loudSeconds(heard()) > 1.5, { callId: customerCall });
    const music = slice(heard(), 0.5);
    expect(toneSeconds(music, AGENT_HZ), 'the customer hears the agent').to.be.below(0.2);
    expect(toneSeconds(music, TARGET_HZ), 'the customer hears the target').to.be.below(0.2);
  }

  /** A phone with its ID of a call. */
  type Party = readonly [phone: Baresip, call: string];

  /** The first party hangs up, which ends the call of the others. */
  async function endsBy(callId: string, [phone, call]: Party, ...others: Party[]): Promise<void> {
    await phone.hangup(call);
    await Promise.all(others.map(([other, id]) => other.closed(id)));
    expect(await stage.over(callId)).to.include({ status: 'ended', disposition: 'answered' });
  }

  it('blind: the customer hears music until the target answers, then talks to the target', async () => {
    const talking = await talkers.conversation();
    const { callId, customerCall, agentCall } = talking;
    const agentHears = since(agent, agentCall);
    await transfer(callId, 'blind');
    const ringing = await target.incoming();
    await becomes(callId, 'ringing');
    await customerHearsMusic(talking);
    await agent.waitToHear(() => loudSeconds(agentHears()) > 0.5, { callId: agentCall });
    expect(toneSeconds(slice(agentHears(), 0.5), CUSTOMER_HZ), 'the agent hears the customer').to.be.below(0.2);
    await target.answer(ringing);
    await agent.closed(agentCall);
    await customerAndTarget(talking, ringing);
    const event = await stage.receivedEvent(callId, 'call.transferred');
    expect(event.data).to.deep.include({ agent: '1003' });
    expect(event.data.transfer).to.deep.include({ type: 'blind', status: 'completed' });
    expect((await stage.read(callId)).legs.map(({ leg, status }) => `${leg} ${status}`)).to.deep.equal([
      'customer answered',
      'agent ended',
      'agent answered',
    ]);
    await endsBy(callId, [target, ringing], [customer, customerCall]);
  });

  it('blind to a busy target: customer and agent continue', async () => {
    const talking = await talkers.conversation();
    const { callId, customerCall } = talking;
    await transfer(callId, 'blind');
    await target.reject(await target.incoming());
    await becomes(callId, 'failed');
    await backTogether(talking);
    await endsBy(callId, [agent, talking.agentCall], [customer, customerCall]);
  });

  it('blind to an unavailable target: customer and agent continue', async () => {
    const talking = await talkers.conversation();
    await stage.newAgent('1905');
    await transfer(talking.callId, 'blind', { to: { type: 'agent', target: '1905' } });
    await becomes(talking.callId, 'failed');
    await backTogether(talking);
    await talkers.ends(talking);
  });

  it('blind to an external number, whose leg is charged separately; the recording continues', async () => {
    const carrier = await stage.carrier({ source: { toneHz: TARGET_HZ } });
    const talking = await talkers.conversation({ record: true });
    const { callId, customerCall, agentCall } = talking;
    await transfer(callId, 'blind', { to: { type: 'number', target: OUTSIDE } });
    const ringing = await carrier.incoming();
    await carrier.answer(ringing);
    await agent.closed(agentCall);
    await talk(
      { phone: customer, hz: CUSTOMER_HZ, callId: customerCall },
      { phone: carrier, hz: TARGET_HZ, callId: ringing },
    );
    await endsBy(callId, [customer, customerCall], [carrier, ringing]);
    expect((await stage.charges(callId)).map(({ number, direction }) => [number, direction])).to.deep.equal([
      [OUTSIDE, 'outbound'],
    ]);
    const [said, heard] = await stage.recording(callId);
    expect(toneSeconds(heard!, AGENT_HZ), 'the agent before the transfer').to.be.above(0.3);
    const { seconds } = said!;
    expect(Math.abs(seconds - heard!.seconds), 'the channels have the same length').to.be.below(0.1);
    expect(toneSeconds(slice(said!, seconds - 0.5), CUSTOMER_HZ), 'the customer at the end').to.be.above(0.3);
  });

  it('attended: agent and target talk privately, then customer and target talk', async () => {
    const talking = await talkers.conversation();
    const { callId, customerCall, agentCall } = talking;
    const started = await transfer(callId, 'attended');
    const ringing = await consults(callId);
    const targetHears = since(target, ringing);
    const agentHears = since(agent, agentCall);
    await Promise.all([
      customerHearsMusic(talking),
      target.waitToHear(() => toneSeconds(targetHears(), AGENT_HZ) > 1, { callId: ringing }),
      agent.waitToHear(() => toneSeconds(agentHears(), TARGET_HZ) > 1, { callId: agentCall }),
    ]);
    expect(toneSeconds(targetHears(), CUSTOMER_HZ), 'the target hears the customer').to.be.below(0.2);
    expect(toneSeconds(agentHears(), CUSTOMER_HZ), 'the agent hears the customer').to.be.below(0.2);
    await finish(started, 'complete');
    await agent.closed(agentCall);
    await customerAndTarget(talking, ringing);
    await endsBy(callId, [customer, customerCall], [target, ringing]);
  });

  it('attended and cancelled: customer and agent are reconnected', async () => {
    const talking = await talkers.conversation();
    const started = await transfer(talking.callId, 'attended');
    const ringing = await consults(talking.callId);
    await finish(started, 'cancel');
    await target.closed(ringing);
    await backTogether(talking);
    expect(await stage.read(talking.callId)).to.include({ agent: '1002', on_hold: false });
    await talkers.ends(talking);
  });

  it('attended: if the agent hangs up in the consultation, customer and target are connected', async () => {
    const talking = await talkers.conversation();
    const { callId, customerCall, agentCall } = talking;
    await transfer(callId, 'attended');
    const ringing = await consults(callId);
    await agent.hangup(agentCall);
    await customerAndTarget(talking, ringing);
    await becomes(callId, 'completed');
    await endsBy(callId, [target, ringing], [customer, customerCall]);
  });

  it('attended: if the customer hangs up in the consultation, the call ends for all', async () => {
    const { callId, customerCall, agentCall } = await talkers.conversation();
    await transfer(callId, 'attended');
    const ringing = await consults(callId);
    await endsBy(callId, [customer, customerCall], [agent, agentCall], [target, ringing]);
    await becomes(callId, 'failed');
  });

  describe('across a restart of the application', () => {
    it('connects a target who answered meanwhile', async () => {
      const talking = await talkers.conversation();
      const { callId, customerCall, agentCall } = talking;
      await transfer(callId, 'blind');
      const ringing = await ringsWithoutApplication(callId);
      await target.answer(ringing);
      await stage.resume();
      await agent.closed(agentCall);
      await customerAndTarget(talking, ringing);
      await endsBy(callId, [target, ringing], [customer, customerCall]);
    });

    it('returns the customer to the agent if the target rejected the call meanwhile', async () => {
      const talking = await talkers.conversation();
      await transfer(talking.callId, 'blind');
      const ringing = await ringsWithoutApplication(talking.callId);
      await target.reject(ringing);
      await stage.resume();
      await backTogether(talking);
      await becomes(talking.callId, 'failed');
      await talkers.ends(talking);
    });

    it('keeps a consultation private, and completes the transfer if the agent hung up meanwhile', async () => {
      const talking = await talkers.conversation();
      const { callId, customerCall, agentCall } = talking;
      await transfer(callId, 'attended');
      const ringing = await consults(callId);
      await stage.halt();
      await customerHearsMusic(talking);
      await agent.hangup(agentCall);
      await stage.resume();
      await customerAndTarget(talking, ringing);
      await becomes(callId, 'completed');
      await endsBy(callId, [customer, customerCall], [target, ringing]);
    });
  });
});
