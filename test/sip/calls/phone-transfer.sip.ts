import type { TransferObject } from '../../../core/model/objects/transfer.js';
import { expect } from 'chai';
import { CUSTOMER_HZ, TARGET_HZ, withTarget, type Talkers } from '../../support/calls/conversation.js';
import { talk } from '../../support/judges/hearing.js';
import type { Baresip } from '../../support/phones/index.js';
import type { TestPlatform } from '../../support/platform/platform.js';

describe("a softphone's own transfer (REFER)", () => {
  let stage: TestPlatform;
  let talkers: Talkers;
  let customer: Baresip;
  let agent: Baresip;
  let target: Baresip;

  withTarget((made) => {
    ({ stage, talkers, customer, agent, target } = made);
  });

  /** Presses the phone's transfer button. */
  async function pressTransfer(phone: Baresip, dialled: string): Promise<void> {
    await phone.command('transfer', dialled);
  }

  async function transfers(callId: string): Promise<TransferObject[]> {
    const { body } = await stage.request('GET', `/v1/calls/${callId}/transfers`);
    return body?.data as TransferObject[];
  }

  it('connects the customer to the target', async () => {
    const { callId, customerCall, agentCall } = await talkers.conversation();
    await pressTransfer(agent, '1003');
    const ringing = await target.incoming();
    await target.answer(ringing);
    await agent.closed(agentCall);
    await talk(
      { phone: customer, hz: CUSTOMER_HZ, callId: customerCall },
      { phone: target, hz: TARGET_HZ, callId: ringing },
    );
    expect(await transfers(callId)).to.have.length(1);
    expect((await transfers(callId))[0]).to.deep.include({ type: 'blind', status: 'completed' });
    await customer.hangup(customerCall);
    await target.closed(ringing);
    expect(await stage.over(callId)).to.include({ status: 'ended', disposition: 'answered' });
  });

  // baresip hangs up when its transfer fails; another test without phones shows the customer's return to the agent.
  it('reports to the phone that the target declined', async () => {
    const { callId, customerCall } = await talkers.conversation();
    await pressTransfer(agent, '1003');
    const ringing = await target.incoming();
    await target.hangup(ringing);
    expect((await agent.waitFor('TRANSFER_FAILED')).param).to.contain('503');
    await customer.closed(customerCall);
    expect((await transfers(callId))[0]).to.deep.include({ type: 'blind', status: 'failed' });
    await stage.over(callId);
  });

  it('is declined if the target does not exist', async () => {
    const { callId, customerCall } = await talkers.conversation();
    await pressTransfer(agent, '8100');
    expect((await agent.waitFor('TRANSFER_FAILED')).param).to.contain('603');
    await customer.closed(customerCall);
    expect(await transfers(callId)).to.deep.equal([]);
    await stage.over(callId);
  });

  it('is declined for the customer’s phone: only the agent may transfer', async () => {
    const { callId, agentCall } = await talkers.conversation();
    await pressTransfer(customer, '1003');
    expect((await customer.waitFor('TRANSFER_FAILED')).param).to.contain('603');
    await agent.closed(agentCall);
    expect(await transfers(callId)).to.deep.equal([]);
    await stage.over(callId);
  });
});
