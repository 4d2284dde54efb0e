import { unlessUnavailable } from '../../../data/errors.js';
import type { Calls } from '../../../data/repositories/calls/calls.js';
import type { AgentRow, CallRow } from '../../../data/rows.js';
import type { Destination } from '../../../model/call/destinations.js';
import {
  forwardCases,
  MAX_FORWARDS,
  type ForwardCase,
  type ForwardedPath,
  type Unreached,
} from '../../../model/call/forwarding.js';
import { Q850 } from '../../../model/call/hangup-cause.js';
import type { CallerBlock } from '../../../model/call/refusal.js';
import { entriesAgainst } from '../../../model/number/blocked-caller.js';
import { WITHHELD_NUMBER } from '../../../model/phone-numbers.js';
import type { Clock } from '../../../ports/clock.js';
import type { RefusedCall } from '../../blocked-callers/reports.js';
import type { ForwardStep, ProgramSpec } from '../../call-state/program.js';
import type { Routing } from '../../routing/destinations.js';
import { callerIdOf } from './caller-id.js';
import type { IncomingDirectory } from './incoming-directory.js';
import type { OnwardRouter } from './onward.js';

export interface AgentForwardingOptions {
  readonly directory: Pick<IncomingDirectory, 'agentByExtension' | 'blockOf' | 'numberOfAgent' | 'project'>;
  readonly routing: Routing;
  readonly onward: Pick<OnwardRouter, 'to'>;
  readonly calls: Pick<Calls, 'hasCalled'>;
  /** Numbers whose centres call back. */
  readonly emergency: ReadonlySet<string>;
  readonly clock: Clock;
  /** Called for each call that the list of an agent refuses. */
  readonly onBlocked?: (block: CallerBlock, call: RefusedCall) => void;
}

/** The call that may be forwarded. */
export interface ForwardableCall extends Pick<CallRow, 'project_id' | 'customer_number' | 'line_number'> {
  /** Whether the customer called the project from outside: the lists of agents concern nobody else. */
  readonly isFromOutside: boolean;
}

/** The result of a forward that an agent has set. */
type Followed = { readonly path: ForwardedPath } | Exclude<ForwardStep, { type: 'dial' }>;

/** An emergency centre calls back within this time, possibly from another number. */
const CALLBACK_MS = 30 * 60_000;

/**
 * Decides where a direct call for an agent goes: to the agent's phone, or to where the agent forwards it. A forward to
 * something that no longer exists has no effect. Queues offer their callers to phones, and do not ask here.
 */
export class AgentForwarding {
  constructor(private readonly options: AgentForwardingOptions) {}

  /**
   * Decides before anything is dialled.
   * @param ringSeconds how long the caller lets a phone ring
   * @throws DatabaseUnavailable
   */
  async before(call: ForwardableCall, path: ForwardedPath, ringSeconds: number): Promise<ForwardStep> {
    const agent = await this.#agentOf(call, path.to);
    if (!agent) return { type: 'dial', path, ringSeconds };
    if (await this.#isBlocked(call, agent)) {
      return { type: 'refused', q850: Q850.CALL_REJECTED, reason: 'caller_blocked', through: path.through };
    }
    const { always, do_not_disturb, no_answer, no_answer_seconds } = agent.forwarding;
    if ((always !== null || do_not_disturb) && !(await this.#isEmergencyCallback(call, agent))) {
      const followed =
        (await this.#follow(call, path, agent, 'always')) ??
        (do_not_disturb ? await this.#follow(call, path, agent, 'busy') : null);
      if (followed) return this.#goOn(call, followed, ringSeconds);
      if (do_not_disturb) {
        return { type: 'refused', q850: Q850.USER_BUSY, reason: 'do_not_disturb', through: path.through };
      }
    }
    const limit = no_answer === null ? ringSeconds : Math.min(ringSeconds, no_answer_seconds);
    return { type: 'dial', path, ringSeconds: limit };
  }

  /**
   * Decides after the party at the end of the path was not reached.
   * @returns null if the call is forwarded no further
   * @throws DatabaseUnavailable
   */
  async after(
    call: ForwardableCall,
    path: ForwardedPath,
    unreached: Unreached,
    ringSeconds: number,
  ): Promise<ForwardStep | null> {
    const agent = await this.#agentOf(call, path.to);
    const when = agent && forwardCases(unreached).find((each) => agent.forwarding[each] !== null);
    if (!agent || !when) return null;
    // The caller gave up before the agent's own time was over.
    if (when === 'no_answer' && agent.forwarding.no_answer_seconds > ringSeconds) return null;
    const followed = await this.#follow(call, path, agent, when);
    return followed && this.#goOn(call, followed, ringSeconds);
  }

  /** The number as which the agent forwards calls; null if the agent has none. */
  async numberOf(projectId: string, agent: string): Promise<string | null> {
    const { directory } = this.options;
    const row = await directory.agentByExtension(projectId, agent);
    return row && callerIdOf(directory, row);
  }

  async #goOn(call: ForwardableCall, followed: Followed, ringSeconds: number): Promise<ForwardStep> {
    return 'path' in followed ? this.before(call, followed.path, ringSeconds) : followed;
  }

  /** @returns null if the agent forwards nothing in this case, or to something that no longer exists */
  async #follow(
    call: ForwardableCall,
    path: ForwardedPath,
    agent: AgentRow,
    when: ForwardCase,
  ): Promise<Followed | null> {
    const to = agent.forwarding[when];
    if (to === null) return null;
    const through = [...path.through, { agent: agent.agent, case: when }];
    if (to.type === 'voicemail') {
      const spec = await this.#voicemail(agent, to.target);
      return spec && { type: 'continue', spec, through };
    }
    const colleague = await this.#agentOf(call, to);
    if (to.type === 'agent' && !colleague) return null;
    const isLoop =
      through.length > MAX_FORWARDS ||
      (colleague !== null && through.some((passed) => passed.agent === colleague.agent)) ||
      (to.type === 'number' && comesBack(call, to.target));
    if (!isLoop) return { path: { to, through } };
    return { type: 'refused', q850: Q850.EXCHANGE_ROUTING_ERROR, reason: 'loop', through: path.through };
  }

  async #voicemail({ project_id, agent }: AgentRow, box: string | null): Promise<ProgramSpec | null> {
    const target = box ?? (await this.options.directory.numberOfAgent(project_id, agent))?.e164;
    return target === undefined ? null : this.options.onward.to(project_id, { type: 'voicemail', target });
  }

  /** The agent whose softphone a call to the destination rings; null if it rings none of the project. */
  async #agentOf({ project_id }: ForwardableCall, to: Destination): Promise<AgentRow | null> {
    if (to.type !== 'agent' && to.type !== 'number') return null;
    const extension =
      to.type === 'agent' ? to.target : ((await this.options.routing.routeTo(project_id, to))?.agent ?? null);
    return extension === null ? null : this.options.directory.agentByExtension(project_id, extension);
  }

  /**
   * Whether the agent's own list blocks the caller. Those of the project and the installation were asked when the call
   * came in.
   */
  async #isBlocked(call: ForwardableCall, agent: AgentRow): Promise<boolean> {
    const { directory, emergency, clock, onBlocked } = this.options;
    const { project_id, customer_number, line_number } = call;
    if (!call.isFromOutside) return false;
    const block = await directory.blockOf(project_id, agent.agent, entriesAgainst(customer_number, emergency));
    if (block?.of !== 'agent' || (await this.#isEmergencyCallback(call, agent))) return false;
    const caller = customer_number === WITHHELD_NUMBER ? null : customer_number;
    onBlocked?.(block, { caller, line: line_number, at: clock.now() });
    return true;
  }

  /**
   * Whether an emergency centre may be calling back: the call shows its number, or the agent has just called one. Such a
   * call rings the agent's phone first.
   */
  async #isEmergencyCallback({ customer_number }: ForwardableCall, { project_id, agent }: AgentRow): Promise<boolean> {
    const { calls, emergency, clock } = this.options;
    if (emergency.has(customer_number)) return true;
    const since = new Date(clock.now().getTime() - CALLBACK_MS);
    return unlessUnavailable(calls.hasCalled(project_id, agent, [...emergency], since), () => false);
  }
}

/** Whether a forward to the number leads back: to the caller, or as a call of ours that has come back before. */
function comesBack({ customer_number, line_number }: ForwardableCall, target: string): boolean {
  return customer_number === target || (line_number !== null && customer_number === line_number);
}
