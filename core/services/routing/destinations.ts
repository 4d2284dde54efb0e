import type { Destination } from '../../model/call/destinations.js';
import { isInDemoBlock } from '../../model/number/demo.js';
import type { TrunkOffer } from '../../model/trunks/choice.js';
import type { LegEndpoint } from '../../ports/engine.js';
import type { RingingBrowser, WebCallee } from '../../data/repositories/web-calling/sessions.js';
import type { AgentRow, NumberRow } from '../../data/rows.js';
import { parseSipUri } from '../../model/sip-uri.js';
import { WEB_HOST } from '../../model/web-calling.js';

/** The endpoint to which a leg is dialled. */
export interface DialRoute {
  readonly endpoint: LegEndpoint;
  /** E.164 if the leg goes to a number; otherwise null. */
  readonly number: string | null;
  /** Legs through a trunk, to SIP addresses (not to browsers) and to numbers of other projects are charged. */
  readonly billable: boolean;
  /** The extension of the agent who owns the softphone; null for any other endpoint. */
  readonly agent: string | null;
  /** The trunks that may carry the leg, in the order in which they are tried; the endpoint names the first. */
  readonly trunks?: readonly TrunkOffer[];
}

/** Look-ups needed for routing; the data layer's repositories implement them. */
export interface Directory {
  numberByE164(e164: string): Promise<NumberRow | null>;
  agentByExtension(projectId: string, agent: string): Promise<AgentRow | null>;
  /** The browser that calls for an agent, or for an identity, ring; null if none is registered. */
  ringingBrowser(projectId: string, of: WebCallee): Promise<RingingBrowser | null>;
  /** Whether the number is the demo's, with or without an owner. */
  isDemoNumber(e164: string): Promise<boolean>;
  /** The trunks that may carry a call of the project to a number, in the order in which they are tried. */
  trunksTo(projectId: string, number: string): Promise<readonly TrunkOffer[]>;
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
   * @returns null if there is no route now: an unknown agent, no trunk, an unconnected number of the
   * demo, or a chain of bound numbers that is too long.
   */
  routeTo(projectId: string, to: Destination): Promise<DialRoute | null>;
}

/**
 * Routes agents to their softphones, SIP addresses directly, numbers of the installation inside, and other numbers
 * through the trunks that the operator's routes name. A number inside is called as a second call, which is the number's project's: that project
 * decides what answers, and pays for it. Within one project nothing is charged, and its agents' phones and forwards
 * are rung as legs of the same call. A number of the demo that nobody has never goes through the trunk: no carrier
 * delivers it.
 */
export class DirectoryRouting implements Routing {
  constructor(private readonly directory: Directory) {}

  async routeTo(projectId: string, to: Destination): Promise<DialRoute | null> {
    switch (to.type) {
      case 'agent':
        return this.#toAgent(projectId, to.target);
      case 'number':
        return this.#toNumber(projectId, to.target, MAX_HOPS);
      case 'sip': {
        const identity = identityIn(to.target);
        if (identity !== null) return this.#toIdentity(projectId, identity);
        return { endpoint: { type: 'sip', uri: to.target }, number: null, billable: true, agent: null };
      }
      default:
        return null;
    }
  }

  async #toAgent(projectId: string, extension: string): Promise<DialRoute | null> {
    const agent = await this.directory.agentByExtension(projectId, extension);
    if (!agent) return null;
    // An agent who opened a browser for calls wants them there.
    const browser = await this.directory.ringingBrowser(projectId, { agent: extension });
    const endpoint = { type: 'softphone', aor: browser?.aor ?? agent.aor } as const;
    return { endpoint, number: null, billable: false, agent: agent.agent };
  }

  async #toIdentity(projectId: string, identity: string): Promise<DialRoute | null> {
    const browser = await this.directory.ringingBrowser(projectId, { identity });
    if (!browser) return null;
    return { endpoint: { type: 'softphone', aor: browser.aor }, number: null, billable: false, agent: browser.agent };
  }

  async #toNumber(projectId: string, e164: string, hopsLeft: number): Promise<DialRoute | null> {
    const known = await this.directory.numberByE164(e164);
    if (known && staysInside(known, projectId)) return this.#inside(projectId, known, hopsLeft);
    if (isInDemoBlock(e164) && (await this.directory.isDemoNumber(e164))) return null;
    const trunks = await this.directory.trunksTo(projectId, e164);
    const [first] = trunks;
    if (!first) return null;
    const endpoint = { type: 'trunk', trunkId: first.trunkId, number: e164 } as const;
    return { endpoint, number: e164, billable: true, agent: null, trunks };
  }

  async #inside(projectId: string, { project_id, e164, binding }: NumberRow, hopsLeft: number) {
    const isOwn = project_id === projectId;
    if (isOwn && binding?.type === 'agent' && binding.target !== null) {
      const route = await this.#toAgent(projectId, binding.target);
      return route && { ...route, number: e164 };
    }
    if (isOwn && binding?.type === 'number' && binding.target !== null) {
      return hopsLeft === 0 ? null : this.#toNumber(projectId, binding.target, hopsLeft - 1);
    }
    const endpoint = { type: 'inside', number: e164 } as const;
    return { endpoint, number: e164, billable: !isOwn, agent: null };
  }
}

/** The identity of `sip:<identity>@web`; null for any other SIP address. */
export function identityIn(target: string): string | null {
  const uri = parseSipUri(target);
  return uri?.host === WEB_HOST && uri.port === null ? uri.user : null;
}
