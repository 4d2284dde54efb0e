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
  /** The extension of the agent who owns the softphone; null for an agent of another project. */
  readonly agent: string | null;
}

/** Look-ups needed for routing; the data layer's repositories implement them. */
export interface Directory {
  numberByE164(e164: string): Promise<NumberRow | null>;
  agentByExtension(projectId: string, agent: string): Promise<AgentRow | null>;
  defaultTrunk(): Promise<TrunkRow | null>;
}

/**
 * Whether calls of this project to an assigned number stay on the platform. A customer's own number is delivered by
 * another carrier: the project that proved it takes only its own calls from that carrier, never another project's.
 */
export function staysInside(
  { project_id, source }: Pick<NumberRow, 'project_id' | 'source'>,
  projectId: string,
): boolean {
  return project_id === projectId || source !== 'own';
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
 * and SIP addresses directly. A number that another project forwards to a number goes through the trunk, too: it comes
 * back as a call of that project, which pays for the forwarding.
 */
export class DirectoryRouting implements Routing {
  constructor(private readonly directory: Directory) {}

  async routeTo(projectId: string, to: Destination): Promise<DialRoute | null> {
    switch (to.type) {
      case 'agent':
        return this.#toAgent(projectId, to.target);
      case 'number':
        return this.#toNumber(projectId, to.target, MAX_HOPS);
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

  async #toNumber(projectId: string, e164: string, hopsLeft: number): Promise<DialRoute | null> {
    const known = await this.directory.numberByE164(e164);
    const binding = known && staysInside(known, projectId) ? known.binding : null;
    const isOwn = known?.project_id === projectId;
    if (known && binding?.type === 'agent' && binding.target !== null) {
      const route = await this.#toAgent(known.project_id, binding.target);
      return route && { ...route, number: e164, agent: isOwn ? route.agent : null };
    }
    if (isOwn && binding?.type === 'number' && binding.target !== null) {
      return hopsLeft === 0 ? null : this.#toNumber(projectId, binding.target, hopsLeft - 1);
    }
    const trunk = await this.directory.defaultTrunk();
    if (!trunk) return null;
    if (!trunk.foreign_numbers && parseNumber(e164, { allowForeign: false }) === null) return null;
    return { endpoint: { type: 'trunk', trunkId: trunk.id, number: e164 }, number: e164, billable: true, agent: null };
  }
}
