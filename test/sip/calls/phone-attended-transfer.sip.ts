import type { TransferObject } from '../../../core/model/objects/transfer.js';
import { expect } from 'chai';
import { refersAttended } from '../../support/calls/attended.js';
import { AGENT_HZ, CUSTOMER_HZ, Talkers } from '../../support/calls/conversation.js';
import { eventually } from '../../support/eventually.js';
import { talk } from '../../support/judges/hearing.js';
import type { Baresip } from '../../support/phones/index.js';
import type { TestPlatform } from '../../support/platform/platform.js';
import { withPlatform } from '../../support/platform/with-platform.js';

const TARGET_HZ = 1400;

for (const allowed of [false, true]) {
  describe(`a softphone's own attended transfer (REFER with Replaces), ${allowed ? 'allowed' : 'by default'}`, () => {
    let stage: TestPlatform;
    let talkers: Talkers;
    let target: Baresip;

    withPlatform(
      async (made) => {
        stage = made;
        talkers = await Talkers.at(stage, { trace: true });
        await stage.newAgent('1003');
        target = await stage.softphone('1003', { source: { toneHz: TARGET_HZ } });
      },
      { settings: allowed ? { SOFTPHONE_ATTENDED_TRANSFER: 'true' } : {} },
    );

    /** The agent talks to the customer and, on a second call, to the target of the transfer. */
    async function consulting() {
      const talking = await talkers.conversation();
      const { agent } = talkers;
      const second = await agent.dial('1003');
      const ringing = await target.incoming();
      await target.answer(ringing);
      await agent.waitFor('CALL_ESTABLISHED', { callId: second });
      await talk({ phone: target, hz: TARGET_HZ, callId: ringing }, { phone: agent, hz: AGENT_HZ, callId: second });
      return { ...talking, second, ringing };
    }

    const refer = (first: string, second: string): Promise<void> =>
      refersAttended(talkers.agent, first, second, `sip:1003@127.0.0.1:${stage.parts.sip.port}`);

    async function transfers(callId: string): Promise<TransferObject[]> {
      const { body } = await stage.request('GET', `/v1/calls/${callId}/transfers`);
      return body?.data as TransferObject[];
    }

    if (allowed) {
      it('connects the customer to the consulted party, whose phone rings once more', async () => {
        const { callId, customerCall, agentCall, second, ringing } = await consulting();
        await refer(agentCall, second);
        await target.closed(ringing);
        const again = await target.incoming();
        await target.answer(again);
        // Asterisk does not report success, which may lock up its SIP stack. Its failure report comes before the end
        // of the call or too late.
        const { agent } = talkers;
        await Promise.any([agent.waitFor('TRANSFER_FAILED'), agent.closed(agentCall)]);
        await talk(
          { phone: talkers.customer, hz: CUSTOMER_HZ, callId: customerCall },
          { phone: target, hz: TARGET_HZ, callId: again },
        );
        expect(await transfers(callId)).to.have.length(1);
        const event = await stage.receivedEvent(callId, 'call.transferred');
        expect(event.data.transfer).to.include({ status: 'completed' });
        expect(await stage.read(callId)).to.include({ agent: '1003' });
        await talkers.customer.hangup(customerCall);
        await target.closed(again);
        expect(await stage.over(callId)).to.include({ status: 'ended', disposition: 'answered' });
      });
    } else {
      it('is declined, and both calls continue', async () => {
        const { callId, agentCall, second, ringing } = await consulting();
        await refer(agentCall, second);
        expect((await talkers.agent.waitFor('TRANSFER_FAILED')).param).to.contain('603');
        expect(await transfers(callId)).to.deep.equal([]);
        expect(target.call(ringing).closedAt, 'the consultation continues').to.equal(null);
        await talkers.agent.hangup(second);
        await target.closed(ringing);
        // The phone hangs up after the failed transfer.
        await eventually(async () => (await stage.read(callId)).status === 'ended', 'the end');
      });
    }
  });
}
