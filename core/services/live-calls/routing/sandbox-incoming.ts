import type { NumberRow } from '../../../data/rows.js';
import { Q850 } from '../../../model/call/hangup-cause.js';
import type { CallerBlock } from '../../../model/call/refusal.js';
import type { BlockedEntry } from '../../../model/number/blocked-caller.js';
import type { LegEvent } from '../../../ports/engine-events.js';
import type { Logger } from '../../../ports/logger.js';
import type { InsideRoute } from '../../call-state/program.js';
import { IncomingRouter, type IncomingDecision, type IncomingRoutes } from './incoming.js';
import type { IncomingDirectory } from './incoming-directory.js';

type IncomingEvent = Extract<LegEvent, { type: 'leg.incoming' }>;

export interface SandboxIncomingOptions {
  readonly numberOf: (projectId: string, e164: string) => Promise<NumberRow | null>;
  /** Returns the active version; null if the project's sandbox has no such active flow. */
  readonly activeFlow: (
    projectId: string,
    callflowId: string,
  ) => Promise<{ readonly project_id: string; readonly version: number } | null>;
  /** The entry that blocks a caller of the project's sandbox; null if none does. */
  readonly blockOf: (projectId: string, entries: readonly BlockedEntry[]) => Promise<CallerBlock | null>;
  readonly log: Logger;
}

const nothing = () => Promise.resolve(null);

/**
 * Routes the simulated callers of the sandbox to the sandbox numbers of their project. In the simulator each project has
 * a trunk of its own, whose id is that of the project.
 */
export class SandboxIncoming implements IncomingRoutes {
  constructor(private readonly options: SandboxIncomingOptions) {}

  isEmergency(): boolean {
    return false;
  }

  async route(event: IncomingEvent): Promise<IncomingDecision> {
    if (event.source.type !== 'trunk') return { refuse: Q850.CALL_REJECTED, reason: 'not_allowed' };
    const decided = await this.#of(event.source.trunkId).route(event);
    if ('refuse' in decided) return decided;
    return { ...decided, leg: { ...decided.leg, billable: false }, call: { ...decided.call, sandbox: true } };
  }

  /** Simulated phones do not ask for transfers. */
  transferTarget(): Promise<null> {
    return nothing();
  }

  insideRoute(projectId: string, e164: string): Promise<InsideRoute> {
    return this.#of(projectId).insideRoute(projectId, e164);
  }

  #of(projectId: string): IncomingRouter {
    const { numberOf, activeFlow, blockOf, log } = this.options;
    const directory: IncomingDirectory = {
      numberByE164: (e164) => numberOf(projectId, e164),
      activeFlow: (callflowId) => activeFlow(projectId, callflowId),
      // The list of an agent concerns the phone, which the sandbox does not have.
      blockOf: (_, agent, entries) => blockOf(projectId, entries),
      // The answer to the request says that the caller is blocked.
      blockedCallerAnswer: () => Promise.resolve('declined'),
      agentByAor: nothing,
      browser: nothing,
      queueNamed: nothing,
      agentByExtension: nothing,
      numberOfAgent: nothing,
      project: nothing,
      virtualNumber: nothing,
      queueByDialCode: nothing,
    };
    return new IncomingRouter(directory, log);
  }
}
