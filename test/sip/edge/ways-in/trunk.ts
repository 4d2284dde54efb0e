import { expect } from 'chai';
import { AGENT_HZ, CUSTOMER } from '../../../support/calls/trunk-talkers.js';
import { eventually } from '../../../support/eventually.js';
import { hears } from '../../../support/judges/hearing.js';
import { Sipp, type SippOptions } from '../../../support/phones/index.js';
import type { WayIn } from '../../../support/stages/way-in.js';

const CALLS = 20;

/** What a scripted carrier does, on every way in. It takes the place of the carrier with a person at it. */
export function trunkCases(wayIn: () => WayIn): void {
  const emptied = (): Promise<unknown> =>
    eventually(async () => (await wayIn().legs()) === 0, 'the engine has no leg left');
  const calling = (options: Pick<SippOptions, 'scenario'> & Partial<SippOptions>): Promise<Sipp> => {
    const { carrierPort: port, address: remote } = wayIn();
    return Sipp.start({ port, remote, caller: '+966501234567', ...options });
  };
  const place = (): Promise<string> =>
    wayIn().application.call({ to: CUSTOMER, connect: { type: 'agent', target: '1001' } });

  before(() => wayIn().talkers.carrier.close());

  it('takes many calls of a trunk', async () => {
    const number = wayIn().application.bootstrap.line_number;
    const callers = await calling({
      ...{ scenario: 'uac-routed', number, calls: CALLS, callsPerSecond: 5, atOnce: CALLS, pauseMs: 500 },
    });
    const { successful, failed, errors } = await callers.done;
    await callers.stop();
    expect({ successful, failed }, errors).to.deep.equal({ successful: CALLS, failed: 0 });
    await emptied();
  });

  it('stops ringing when a trunk gives its call up', async () => {
    const { application, talkers } = wayIn();
    const caller = await calling({
      ...{ scenario: 'uac-cancel', number: application.bootstrap.sip.agents[0]!.number, pauseMs: 300 },
    });
    const ringing = await talkers.agent.incoming();
    await talkers.agent.closed(ringing);
    const { successful, errors } = await caller.done;
    await caller.stop();
    expect(successful, errors).to.equal(1);
    await emptied();
  });

  it('calls a trunk, which sends the phone its own audio back', async () => {
    const { application, talkers } = wayIn();
    const { agent } = talkers;
    const carrier = await Sipp.start({ scenario: 'uas-answer', port: wayIn().carrierPort, echo: true });
    const callId = await place();
    const atAgent = await agent.incoming();
    await agent.answer(atAgent);
    await agent.waitToHear(hears(AGENT_HZ, 1), { callId: atAgent });
    await agent.hangup(atAgent);
    await agent.closed(atAgent);
    await application.becomes(callId, 'ended');
    await emptied();
    const { successful, errors } = await carrier.stop();
    expect(successful, errors).to.equal(1);
  });

  it('learns that a trunk hangs up, and that another callee is busy', async () => {
    const { application, talkers } = wayIn();
    const { agent } = talkers;
    const leaving = await Sipp.start({ scenario: 'uas-answer-then-bye', port: wayIn().carrierPort, pauseMs: 3_000 });
    const answered = await place();
    const atAgent = await agent.incoming();
    await agent.answer(atAgent);
    await agent.closed(atAgent);
    await application.becomes(answered, 'ended');
    await leaving.stop();
    const busy = await Sipp.start({ scenario: 'uas-reject', port: wayIn().carrierPort, status: 486 });
    const refused = await place();
    expect(await application.becomes(refused, 'missed')).to.include({ disposition: 'busy' });
    await busy.stop();
    await emptied();
  });
}
