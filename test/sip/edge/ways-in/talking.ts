import type { TransferObject } from '../../../../core/model/objects/transfer.js';
import { expect } from 'chai';
import { AGENT_HZ, CARRIER_HZ, CUSTOMER, type TrunkConversation } from '../../../support/calls/trunk-talkers.js';
import { eventually } from '../../../support/eventually.js';
import { loudSeconds, slice, toneSeconds, type Audio } from '../../../support/judges/audio.js';
import { hearsMore, since, talk } from '../../../support/judges/hearing.js';
import { COLLEAGUE_HZ, type WayIn } from '../../../support/stages/way-in.js';

/** Audio that was sent before may still arrive for this time. */
const ON_ITS_WAY_SECONDS = 0.8;

/** What phones and a carrier with people at them do, on every way in. */
export function talkingCases(wayIn: () => WayIn): void {
  const extension = (): string => wayIn().application.bootstrap.sip.agents[0]!.number;
  const emptied = (): Promise<unknown> =>
    eventually(async () => (await wayIn().legs()) === 0, 'the engine has no leg left');

  it('connects a call of the API with a phone, which holds it and hangs up', async () => {
    const { talkers, application, engine } = wayIn();
    const { callId, ...ends } = await talkers.conversation();
    await talkers.agent.hold();
    await hearsNoAgent();
    await talkers.agent.resume();
    // baresip 1.1 does not record what it hears after its own hold.
    await hearsMore(talkers.carrier, ends.atCarrier, AGENT_HZ, 1);
    await talkers.agent.hangup(ends.atAgent);
    await talkers.closed(ends);
    await application.becomes(callId, 'ended');
    await emptied();

    /** The customer hears music or, from FreeSWITCH, silence. */
    async function hearsNoAgent(): Promise<void> {
      const { carrier } = talkers;
      const heard = since(carrier, ends.atCarrier);
      const music = (): Audio => slice(heard(), ON_ITS_WAY_SECONDS);
      const lasts = engine() === 'asterisk' ? loudSeconds : ({ seconds }: Audio): number => seconds;
      await carrier.waitToHear(() => lasts(music()) > 1, { callId: ends.atCarrier });
      expect(toneSeconds(music(), AGENT_HZ), 'the agent on hold').to.be.below(0.2);
    }
  });

  it('ends a call at the phone that the API hangs up', async () => {
    const { talkers, application } = wayIn();
    const { callId, ...ends } = await talkers.conversation();
    await application.hangup(callId);
    await talkers.closed(ends);
    await emptied();
  });

  it('rings a phone for a caller behind the trunk, who hangs up', async () => {
    const { talkers, uri } = wayIn();
    const ends = await talkers.pickUp(await talkers.carrier.dial(uri(extension())));
    await talkers.carrier.hangup(ends.atCarrier);
    await talkers.closed(ends);
    await emptied();
  });

  it('stops ringing when the caller gives up, and tells a caller that the phone rejects the call', async () => {
    const { uri, talkers } = wayIn();
    const { carrier, agent } = talkers;
    const first = await carrier.dial(uri(extension()));
    const ringing = await agent.incoming();
    await carrier.hangup(first);
    await agent.closed(ringing);
    const second = await carrier.dial(uri(extension()));
    await agent.reject(await agent.incoming());
    expect(await carrier.closed(second)).to.match(/^[46]\d\d /);
    await emptied();
  });

  it('lets a phone call a number of its own and a customer', async () => {
    const { talkers, phoneUri, application } = wayIn();
    const { carrier, agent } = talkers;
    const line = await agent.dial(phoneUri(application.bootstrap.line_number));
    await agent.waitFor('CALL_ESTABLISHED', { callId: line });
    await agent.waitToHear((audio) => loudSeconds(audio) > 0.4, { callId: line });
    await agent.hangup(line);
    await agent.closed(line);
    const atAgent = await agent.dial(phoneUri(CUSTOMER));
    const atCarrier = await carrier.incoming();
    await carrier.answer(atCarrier);
    await talkers.talk({ atCarrier, atAgent });
    await carrier.hangup(atCarrier);
    await talkers.closed({ atCarrier, atAgent });
    await emptied();
  });

  it('passes digits on, of both sides and of the API', async () => {
    const { talkers, application } = wayIn();
    const { carrier, agent } = talkers;
    const { callId, ...ends } = await talkers.conversation();
    await agent.sendDtmf('15#');
    await carrier.digits('15#', ends.atCarrier);
    await carrier.sendDtmf('904*');
    await agent.digits('904*', ends.atAgent);
    // Asterisk sends a digit of the API at once, also into the middle of one that the other party is still pressing.
    await talkers.keepTalking(ends);
    const answer = await application.request('POST', `/v1/calls/${callId}/dtmf`, { digits: '26', leg: 'agent' });
    expect(answer.status, answer.text).to.equal(200);
    await agent.digits('26', ends.atAgent);
    await carrier.hangup(ends.atCarrier);
    await talkers.closed(ends);
    await emptied();
  });

  for (const how of ['the API', 'the phone'] as const) {
    it(`transfers a call to a colleague, as ${how} wishes`, async () => {
      const { talkers, colleague, application } = wayIn();
      const talking = await talkers.conversation();
      const to = application.bootstrap.sip.agents[1]!.agent;
      if (how === 'the phone') await talkers.agent.command('transfer', to);
      else await transferred(talking, 'blind', to);
      await given(talking);
      await colleague.closed();
      expect((await transfers(talking)).map(({ type, status }) => `${type} ${status}`)).to.deep.equal([
        'blind completed',
      ]);
    });
  }

  it('transfers a call after a consultation', async () => {
    const { talkers, colleague, application } = wayIn();
    const talking = await talkers.conversation();
    const { transfer_id: id } = await transferred(talking, 'attended', application.bootstrap.sip.agents[1]!.agent);
    const consulted = await colleague.incoming();
    await colleague.answer(consulted);
    await talk(
      { phone: talkers.agent, hz: AGENT_HZ, callId: talking.atAgent },
      { phone: colleague, hz: COLLEAGUE_HZ, callId: consulted },
    );
    expect(toneSeconds(colleague.heard(consulted), CARRIER_HZ), 'the customer is not heard').to.equal(0);
    const path = `/v1/calls/${talking.callId}/transfers/${id}/complete`;
    const answer = await application.request('POST', path, {});
    expect(answer.status, answer.text).to.equal(200);
    await givenTo(talking, consulted);
  });

  async function transferred(
    { callId }: TrunkConversation,
    type: 'blind' | 'attended',
    target: string,
  ): Promise<TransferObject> {
    const json = { type, to: { type: 'agent', target } };
    const answer = await wayIn().application.request('POST', `/v1/calls/${callId}/transfer`, json);
    expect(answer.status, answer.text).to.equal(202);
    return answer.body as unknown as TransferObject;
  }

  async function transfers({ callId }: TrunkConversation): Promise<readonly TransferObject[]> {
    const { body } = await wayIn().application.request('GET', `/v1/calls/${callId}/transfers`);
    return body?.data as TransferObject[];
  }

  /** The colleague's phone rings, and is answered. */
  async function given(talking: TrunkConversation): Promise<void> {
    const { colleague } = wayIn();
    const ringing = await colleague.incoming();
    await colleague.answer(ringing);
    await givenTo(talking, ringing);
  }

  /** The agent is out of the call, and the customer and the colleague talk until the customer hangs up. */
  async function givenTo({ callId, atCarrier, atAgent }: TrunkConversation, atColleague: string): Promise<void> {
    const { talkers, colleague, application } = wayIn();
    // baresip does not report the end of a call that it hangs up because its transfer failed, as FreeSWITCH says.
    const { agent } = talkers;
    await Promise.any([agent.closed(atAgent), agent.waitFor('TRANSFER_FAILED', { callId: atAgent })]);
    await talk(
      { phone: talkers.carrier, hz: CARRIER_HZ, callId: atCarrier },
      { phone: colleague, hz: COLLEAGUE_HZ, callId: atColleague },
    );
    await talkers.carrier.hangup(atCarrier);
    await talkers.carrier.closed(atCarrier);
    await application.becomes(callId, 'ended');
    await emptied();
  }
}
