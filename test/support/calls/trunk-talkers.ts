import { hearsMore, talk } from '../judges/hearing.js';
import type { Baresip } from '../phones/index.js';
import type { TestPlatform } from '../platform/platform.js';

/** The customer's number, behind the trunk. */
export const CUSTOMER = '+966501234517';
export const CARRIER_HZ = 900;
export const AGENT_HZ = 600;

/** The phones' own ids of their ends of one call. */
export interface Ends {
  readonly atCarrier: string;
  readonly atAgent: string;
}

/** A call between the customer behind the trunk and the agent. */
export interface TrunkConversation extends Ends {
  readonly callId: string;
}

/** The customer behind the trunk, who is called at the carrier's phone, and the agent 1001; each phone has a tone of its own. */
export class TrunkTalkers {
  /** @param call places a call that must be accepted; resolves with its id */
  constructor(
    private readonly call: (json: object) => Promise<string>,
    readonly carrier: Baresip,
    readonly agent: Baresip,
  ) {}

  /** With a new carrier. @param softphone the agent's, where there is one already */
  static async at(stage: TestPlatform, softphone?: Baresip): Promise<TrunkTalkers> {
    const agent = softphone ?? (await stage.softphone('1001', { source: { toneHz: AGENT_HZ } }));
    const carrier = await stage.carrier({ source: { toneHz: CARRIER_HZ } });
    return new TrunkTalkers(async (json) => (await stage.call(json)).call_id, carrier, agent);
  }

  /** The API is asked to call the customer, and to connect the agent then. @returns the call's id */
  place(to = CUSTOMER): Promise<string> {
    return this.call({ to, connect: { type: 'agent', target: '1001' } });
  }

  /** A call is placed, both answer, and hear each other. */
  async conversation(): Promise<TrunkConversation> {
    const callId = await this.place();
    return { callId, ...(await this.join(await this.carrier.incoming())) };
  }

  /** The customer answers a call that rings, the agent then, and they hear each other. */
  async join(atCarrier: string): Promise<Ends> {
    await this.carrier.answer(atCarrier);
    return this.pickUp(atCarrier);
  }

  /** The agent answers, and both hear each other. */
  async pickUp(atCarrier: string): Promise<Ends> {
    const atAgent = await this.agent.incoming();
    await this.agent.answer(atAgent);
    await this.talk({ atCarrier, atAgent });
    return { atCarrier, atAgent };
  }

  /** Resolves when each has heard the other; neither may have heard itself. */
  talk({ atCarrier, atAgent }: Ends): Promise<void> {
    return talk(
      { phone: this.carrier, hz: CARRIER_HZ, callId: atCarrier },
      { phone: this.agent, hz: AGENT_HZ, callId: atAgent },
    );
  }

  /** The conversation goes on: each hears the other for a second from now on. */
  async goesOn({ atCarrier, atAgent }: Ends): Promise<void> {
    await Promise.all([hearsMore(this.carrier, atCarrier, AGENT_HZ, 1), hearsMore(this.agent, atAgent, CARRIER_HZ, 1)]);
  }

  /** Resolves when the call is over at both phones. */
  async closed({ atCarrier, atAgent }: Ends): Promise<void> {
    await Promise.all([this.carrier.closed(atCarrier), this.agent.closed(atAgent)]);
  }

  /** Of a call that is over: for how long nothing at all was sent to either phone, at the most. */
  missingSeconds({ atCarrier, atAgent }: Ends): number {
    return Math.max(this.carrier.missingSeconds(atCarrier), this.agent.missingSeconds(atAgent));
  }
}
