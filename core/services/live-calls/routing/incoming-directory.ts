import type { AgentRow, NumberRow, ProjectRow, QueueRow, VirtualNumberRow, WebSessionRow } from '../../../data/rows.js';
import type { CallerBlock } from '../../../model/call/refusal.js';
import type { BlockedCallerAnswer, BlockedEntry } from '../../../model/number/blocked-caller.js';

/** Look-ups for the calls of one engine; the data layer's repositories implement them. */
export interface IncomingDirectory {
  numberByE164(e164: string): Promise<NumberRow | null>;
  agentByAor(aor: string): Promise<AgentRow | null>;
  /** Returns the session of a registered browser by its SIP user name; null if it is over. */
  browser(aor: string): Promise<WebSessionRow | null>;
  agentByExtension(projectId: string, agent: string): Promise<AgentRow | null>;
  /** Returns the number that rings this agent, if there is one. */
  numberOfAgent(projectId: string, agent: string): Promise<NumberRow | null>;
  project(projectId: string): Promise<ProjectRow | null>;
  /** Returns null if the number is no longer allocated to an end user. */
  virtualNumber(id: string): Promise<VirtualNumberRow | null>;
  queueByDialCode(projectId: string, dialCode: string): Promise<QueueRow | null>;
  /** Returns the active version of the flow; null if the flow is not active. */
  activeFlow(callflowId: string): Promise<{ readonly project_id: string; readonly version: number } | null>;
  /** Returns a queue by its id or name. */
  queueNamed(projectId: string, name: string): Promise<QueueRow | null>;
  /**
   * The entry that blocks a call to the project; null if none does.
   * @param agent the agent that the call rings directly; null if it rings none
   * @param entries those that the caller's number matches
   */
  blockOf(projectId: string, agent: string | null, entries: readonly BlockedEntry[]): Promise<CallerBlock | null>;
  /** What blocked callers get that call the project. */
  blockedCallerAnswer(projectId: string): Promise<BlockedCallerAnswer>;
}
