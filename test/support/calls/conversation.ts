import { expect } from 'chai';
import { talk } from '../judges/hearing.js';
import type { Baresip, BaresipOptions } from '../phones/index.js';
import type { TestPlatform } from '../platform/platform.js';
import { withPlatform } from '../platform/with-platform.js';

export const CUSTOMER_HZ = 600;
export const AGENT_HZ = 900;
export const TARGET_HZ = 1400;

/** A call between two phones. */
export interface Conversation {
  readonly callId: string;
  /** The phones' own ids of their calls. */
  readonly customerCall: string;
  readonly agentCall: string;
}

/** The softphones 1001 (the customer) and 1002 (the agent), each with its own tone. */
export class Talkers {
  private constructor(
    private readonly stage: TestPlatform,
    readonly customer: Baresip,
    readonly agent: Baresip,
  ) {}

  /** @param ofAgent overrides options of the agent's phone */
  static async at(stage: TestPlatform, ofAgent: Partial<BaresipOptions> = {}): Promise<Talkers> {
    const customer = await stage.softphone('1001', { source: { toneHz: CUSTOMER_HZ } });
    const agent = await stage.softphone('1002', { source: { toneHz: AGENT_HZ }, ...ofAgent });
    return new Talkers(stage, customer, agent);
  }

  /** The API calls the customer and connects the agent; both talk and hear each other. */
  async conversation(options: object = {}): Promise<Conversation> {
    const { stage, customer, agent } = this;
    const { call_id: callId } = await stage.call({
      to: stage.agent('1001').number,
      connect: { type: 'agent', target: '1002' },
      ...options,
    });
    const customerCall = await customer.incoming();
    await customer.answer(customerCall);
    const agentCall = await agent.incoming();
    await agent.answer(agentCall);
    await talk(
      { phone: customer, hz: CUSTOMER_HZ, callId: customerCall },
      { phone: agent, hz: AGENT_HZ, callId: agentCall },
    );
    return { callId, customerCall, agentCall };
  }

  /** Sends a control action, which must be accepted. */
  async does(callId: string, action: string, json: object = {}): Promise<void> {
    const answer = await this.stage.request('POST', `/v1/calls/${callId}/${action}`, { json });
    expect(answer.status, answer.text).to.equal(200);
    expect(answer.body).to.deep.include({ call_id: callId, action: action.replace('/', '_'), status: 'accepted' });
  }

  async ends({ callId, customerCall, agentCall }: Conversation): Promise<void> {
    await this.stage.hangup(callId);
    await Promise.all([this.customer.closed(customerCall), this.agent.closed(agentCall)]);
    await this.stage.over(callId);
  }
}

/** A platform on which customer and agent talk, and the softphone 1003 may be given the customer. */
export interface TransferStage {
  readonly stage: TestPlatform;
  readonly talkers: Talkers;
  readonly customer: Baresip;
  readonly agent: Baresip;
  readonly target: Baresip;
}

/** For a `describe`: {@link withPlatform} with the customer, the agent and the transfer target. */
export function withTarget(use: (made: TransferStage) => void): void {
  withPlatform(async (stage) => {
    const talkers = await Talkers.at(stage);
    await stage.newAgent('1003');
    const target = await stage.softphone('1003', { source: { toneHz: TARGET_HZ } });
    const { customer, agent } = talkers;
    use({ stage, talkers, customer, agent, target });
  });
}
