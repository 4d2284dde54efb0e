import type { Destination } from '../../model/call/destinations.js';
import { parseNumber } from '../../model/phone-numbers.js';
import type { LegEndpoint } from '../../ports/engine.js';
import type { AgentRow, NumberRow, TrunkRow } from '../../data/rows.js';

/** The endpoint to which a leg is dialled. */
export interface DialRoute {
  readonly endpoint: LegEndpoint;
  /** E.164 if the leg goes to a number; otherwise null. */
  readonly number: string | null;
  /** Legs through a trunk and to SIP addresses are charged. */
  readonly billable: boolean;
  /** The extension of the agent who owns the softphone. */
  readonly agent: string | null;
}

/** Look-ups needed for routing; the data layer's repositories implement them. */
export interface Directory {
  numberByE164(e164: string): Promise<NumberRow | null>;
  agentByExtension(projectId: string, agent: string): Promise<AgentRow | null>;
  defaultTrunk(): Promise<TrunkRow | null>;
}

/** How many bindings of numbers to other numbers are followed. */
const MAX_HOPS = 3;

/** Resolves destinations to routes. */
export interface Routing {
  /**
   * @returns null if there is no route now: an unknown agent, no trunk, or a chain of bound numbers that is too long.
   */
  routeTo(projectId: string, to: Destination): Promise<DialRoute | null>;
}

/**
 * Routes agents to their softphones, the platform's own numbers internally, other numbers through the default trunk,
 * and SIP addresses directly.
 */
export class DirectoryRouting implements Routing {
  constructor(private readonly directory: Directory) {}

  async routeTo(projectId: string, to: Destination): Promise<DialRoute | null> {
    switch (to.type) {
      case 'agent':
        return this.#toAgent(projectId, to.target);
      case 'number':
        return this.#toNumber(to.target, MAX_HOPS);
      case 'sip':
        return { endpoint: { type: 'sip', uri: to.target }, number: null, billable: true, agent: null };
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
