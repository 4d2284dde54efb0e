import type { Destination } from '../../model/call/destinations.js';
import { parseNumber } from '../../model/phone-numbers.js';
import type { LegEndpoint } from '../../ports/engine.js';
import type { AgentRow, NumberRow, TrunkRow } from '../../data/rows.js';

/** Where a leg really goes. */
export interface DialRoute {
  readonly endpoint: LegEndpoint;
  /** E.164 of a leg to a number; null for others. */
  readonly number: string | null;
  /** Legs through a trunk cost money. */
  readonly billable: boolean;
  /** The extension of the agent whose softphone it is. */
  readonly agent: string | null;
}

/** What the directory knows; the data layer's repositories answer it. */
export interface Directory {
  numberByE164(e164: string): Promise<NumberRow | null>;
  agentByExtension(projectId: string, agent: string): Promise<AgentRow | null>;
  defaultTrunk(): Promise<TrunkRow | null>;
}

/** Numbers bound to numbers bound to numbers: followed this far. */
const LONGEST_CHAIN = 3;

/** Finds the way to a destination. */
export interface Routing {
  /** @returns null where nothing leads there now: an unknown agent, no trunk, a number nobody answers. */
  routeTo(projectId: string, to: Destination): Promise<DialRoute | null>;
}

/** To an agent's softphone, a number of this platform without leaving it, any other number by the default trunk, a SIP address directly. */
export class DirectoryRouting implements Routing {
  constructor(private readonly directory: Directory) {}

  async routeTo(projectId: string, to: Destination): Promise<DialRoute | null> {
    switch (to.type) {
      case 'agent':
        return this.#toAgent(projectId, to.target);
      case 'number':
        return this.#toNumber(to.target, LONGEST_CHAIN);
      case 'sip':
        return { endpoint: { type: 'sip', uri: to.target }, number: null, billable: false, agent: null };
      default:
        return null;
    }
  }

  async #toAgent(projectId: string, extension: string): Promise<DialRoute | null> {
    const agent = await this.directory.agentByExtension(projectId, extension);
    if (!agent) return null;
    return { endpoint: { type: 'softphone', aor: agent.aor }, number: null, billable: false, agent: agent.agent };
  }

  async #toNumber(e164: string, hopsLeft: number): Promise<DialRoute | null> {
    const own = await this.directory.numberByE164(e164);
    if (own?.binding?.type === 'agent' && own.binding.target !== null) {
      const route = await this.#toAgent(own.project_id, own.binding.target);
      return route && { ...route, number: e164 };
    }
    if (own?.binding?.type === 'number' && own.binding.target !== null) {
      return hopsLeft === 0 ? null : this.#toNumber(own.binding.target, hopsLeft - 1);
    }
    const trunk = await this.directory.defaultTrunk();
    if (!trunk) return null;
    if (!trunk.foreign_numbers && parseNumber(e164, { allowForeign: false }) === null) return null;
    return { endpoint: { type: 'trunk', trunkId: trunk.id, number: e164 }, number: e164, billable: true, agent: null };
  }
}
