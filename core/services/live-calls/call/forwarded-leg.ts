import { unlessUnavailable } from '../../../data/errors.js';
import type { LegRow } from '../../../data/rows.js';
import type { Diversion, ForwardedPath, Unreached } from '../../../model/call/forwarding.js';
import type { LegEndpoint } from '../../../ports/engine.js';
import type { CallState } from '../../call-state/call-state.js';
import type { ForwardStep } from '../../call-state/program.js';
import type { AgentForwarding } from '../routing/forwarding.js';
import { admitLeg, type AdmissionContext, type WantedLeg } from './leg-admission.js';

export interface ForwardingContext extends AdmissionContext {
  /** Absent if no call is forwarded. */
  readonly forwarding?: AgentForwarding | undefined;
}

/**
 * Decides what a direct call does for a party, and notes it in the timeline. While nobody can decide, the call rings the
 * party.
 * @param unreached why the party was not reached; absent before it is dialled
 * @returns null if an unreached party forwards the call no further
 */
export async function forwardCall(
  state: CallState,
  { forwarding, clock }: ForwardingContext,
  path: ForwardedPath,
  ringSeconds: number,
  unreached?: Unreached,
): Promise<ForwardStep | null> {
  const direct: ForwardStep | null = unreached ? null : { type: 'dial', path, ringSeconds };
  if (!forwarding) return direct;
  const { row } = state;
  const call = { ...row, isFromOutside: row.direction === 'inbound' && state.legOf('customer')?.billable === true };
  const decided = unreached
    ? forwarding.after(call, path, unreached, ringSeconds)
    : forwarding.before(call, path, ringSeconds);
  const step = await unlessUnavailable<ForwardStep | null, ForwardStep | null>(decided, () => direct);
  const through = step?.type === 'dial' ? step.path.through : (step?.through ?? []);
  for (const { agent, case: when } of through.slice(path.through.length)) {
    state.note('call.forwarded', clock.now(), { agent, case: when });
  }
  if (step?.type === 'refused') state.note('call.not_forwarded', clock.now(), { reason: step.reason });
  return step;
}

/**
 * Admits a leg. One to a party to which an agent forwards the call needs the rights of the agent, and tells a carrier whose
 * call it is.
 * @param forwardedBy absent if no agent forwards the call
 * @returns as {@link admitLeg}
 */
export async function admitDialled(
  state: CallState,
  context: ForwardingContext,
  leg: WantedLeg,
  forwardedBy?: Diversion,
): ReturnType<typeof admitLeg> {
  if (!forwardedBy) return admitLeg(state, context, leg);
  const { agent, case: when } = forwardedBy;
  const { direction, line_number, project_id } = state.row;
  const line = direction === 'inbound' ? line_number : null;
  const number = line ?? (await context.forwarding?.numberOf(project_id, agent)) ?? null;
  const route = await admitLeg(state, context, { ...leg, forwarder: { agent, number } });
  if ('refused' in route || !route.billable) return route;
  const { endpoint } = route;
  const diversion = number === null ? {} : { diversion: { number, case: when } };
  if (endpoint.type === 'trunk') return { ...route, endpoint: { ...endpoint, ...diversion, forwarder: agent } };
  return endpoint.type === 'inside' ? { ...route, endpoint: { ...endpoint, ...diversion } } : route;
}

/** The agent who forwards the call by a leg to a carrier; undefined if none does. */
export function forwarderOf({ endpoint }: Pick<LegRow, 'endpoint'>): Diversion | undefined {
  const { forwarder: agent, diversion } = endpoint as Partial<Extract<LegEndpoint, { type: 'trunk' }>>;
  return agent === undefined ? undefined : { agent, case: diversion?.case ?? 'always' };
}
