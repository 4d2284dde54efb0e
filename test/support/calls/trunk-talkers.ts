import { hearsMore, talk } from '../judges/hearing.js';
import type { Baresip } from '../phones/index.js';
import type { TestPlatform } from '../platform/platform.js';

/** The number of the customer behind the trunk. */
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

/** The customer behind the trunk (the carrier's phone) and the agent 1001; each phone has its own tone. */
export class TrunkTalkers {
  /** @param call places a call, which must be accepted, and resolves with its id */
  constructor(
    private readonly call: (json: object) => Promise<string>,
    readonly carrier: Baresip,
    readonly agent: Baresip,
  ) {}

  /** Starts a new carrier. @param softphone the agent's, if it exists already */
  static async at(stage: TestPlatform, softphone?: Baresip): Promise<TrunkTalkers> {
    const agent = softphone ?? (await stage.softphone('1001', { source: { toneHz: AGENT_HZ } }));
    const carrier = await stage.carrier({ source: { toneHz: CARRIER_HZ } });
    return new TrunkTalkers(async (json) => (await stage.call(json)).call_id, carrier, agent);
  }

  /** Calls the customer through the API, to be connected with the agent. @returns the call's id */
  place(to = CUSTOMER): Promise<string> {
    return this.call({ to, connect: { type: 'agent', target: '1001' } });
  }

  /** Places a call; both parties answer and hear each other. */
  async conversation(): Promise<TrunkConversation> {
    const callId = await this.place();
    return { callId, ...(await this.join(await this.carrier.incoming())) };
  }

  /** The customer answers a ringing call, then the agent does, and they hear each other. */
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

  /** Resolves when each party has heard the other for another second. */
  async keepTalking({ atCarrier, atAgent }: Ends): Promise<void> {
    await Promise.all([hearsMore(this.carrier, atCarrier, AGENT_HZ, 1), hearsMore(this.agent, atAgent, CARRIER_HZ, 1)]);
  }

  /** Resolves when the call is over at both phones. */
  async closed({ atCarrier, atAgent }: Ends): Promise<void> {
    await Promise.all([this.carrier.closed(atCarrier), this.agent.closed(atAgent)]);
  }

  /** For a call that is over: the time for which one phone received no packets; the longer one of both phones. */
  missingSeconds({ atCarrier, atAgent }: Ends): number {
    return Math.max(this.carrier.missingSeconds(atCarrier), this.agent.missingSeconds(atAgent));
  }
}
