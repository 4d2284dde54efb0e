import type { CallRow, LegRow } from '../../../data/rows.js';
import type { LegRole } from '../../../model/call/call.js';
import type { Destination } from '../../../model/call/destinations.js';
import { Q850 } from '../../../model/call/hangup-cause.js';
import type { Refusal } from '../../../model/call/refusal.js';
import { DatabaseUnavailable } from '../../../data/errors.js';
import { HatifError } from '../../../model/errors/index.js';
import type { Clock } from '../../../ports/clock.js';
import type { CallState } from '../../call-state/call-state.js';
import { hopsOf, MAX_HOPS, type SavedProgram } from '../../call-state/program.js';
import { GUEST } from '../../dialling/dialled-leg.js';
import type { LegGate } from '../../dialling/leg-gate.js';
import type { TrunkOffer } from '../../../model/trunks/choice.js';
import { ClassRefused, classOfLeg } from '../../dialling/policy-stage.js';
import type { DialRoute, Routing } from '../../routing/destinations.js';
import { chargedLegs } from './charged-legs.js';

export interface AdmissionContext {
  readonly routing: Routing;
  readonly gate: Pick<LegGate, 'admit' | 'admitIncoming' | 'isEmergency' | 'release'>;
  readonly clock: Clock;
  /** Takes room for a leg on the first trunk that has some; null if all are full. */
  takeTrunk(legId: string, offers: readonly TrunkOffer[]): Promise<TrunkOffer | null>;
}

/** A leg that a live call wants to dial. */
export interface WantedLeg {
  readonly role: LegRole;
  readonly to: Destination;
  /** The extension of the agent whose softphone asks for the leg, or `GUEST`; null if the platform dials. */
  readonly dialler?: string | null;
  /** The agent who forwards the call by this leg, and the number that it shows; absent if nobody does. */
  readonly forwarder?: { readonly agent: string; readonly number: string | null } | undefined;
  /** Only whether it would be admitted: nothing is counted or held. */
  readonly isTrial?: boolean;
  /** The id that the leg will have; absent for one that is not dialled. */
  readonly legId?: string;
  /** The leg that no carrier carried, in whose place this one is dialled, and the trunks that were tried. */
  readonly after?: { readonly legId: string; readonly tried: ReadonlySet<string> };
}

/** The Q.850 cause of a refusal by the gate. */
const CAUSES: ReadonlyMap<string, number> = new Map([
  ['INVALID_PHONE_NUMBER', Q850.INVALID_NUMBER_FORMAT],
  ['CALL_VELOCITY_EXCEEDED', Q850.SWITCH_CONGESTION],
  ['CALL_FAILED', Q850.SWITCH_CONGESTION],
]);

const NO_CREDIT: ReadonlySet<string> = new Set(['INSUFFICIENT_CREDITS', 'SPEND_CAP_EXCEEDED']);

/**
 * Routes a leg of a live call and takes it through the gate. A refusal is noted in the call's timeline.
 * @returns the route, or the Q.850 cause for which the leg is not dialled
 */
export async function admitLeg(
  state: CallState,
  context: AdmissionContext,
  { role, to, dialler = null, forwarder, isTrial = false, legId, after }: WantedLeg,
): Promise<DialRoute | { readonly refused: number }> {
  const { gate, clock } = context;
  const { id, organization_id, project_id, sandbox, kind, program } = state.row;
  const wanted = await context.routing.routeTo(project_id, to);
  const route = after && wanted ? withoutTrunks(wanted, after.tried) : wanted;
  if (!route) {
    if (!after) state.note('leg.no_route', clock.now(), { leg: role, type: to.type });
    return { refused: Q850.NO_ROUTE_DESTINATION };
  }
  if (route.endpoint.type === 'inside' && hopsOf(state.row) >= MAX_HOPS) {
    state.note('leg.barred', clock.now(), { leg: role, type: to.type, reason: 'loop' });
    return { refused: Q850.EXCHANGE_ROUTING_ERROR };
  }
  // The customer's leg of a call that was placed has been counted before the call was stored, and a leg after another
  // that no carrier carried has been counted with that one.
  const isPlaced = role === 'customer' && (program as SavedProgram).spec.type !== 'dial_out';
  const isCounted = !isPlaced && !isTrial && !after;
  const from = { organizationId: organization_id, projectId: project_id, sandbox, kind, field: 'to' };
  const agent = (dialler === GUEST ? null : dialler) ?? forwarder?.agent ?? agentOf(state, role);
  const forwarded = forwarder && {
    forwarder: forwarder.agent,
    ...(route.billable && forwarder.number !== null && { callerIdNumber: forwarder.number }),
  };
  const call = { callId: id, legId: legId ?? null, agent, others: isTrial ? null : chargedLegs(state) };
  try {
    if (after) await gate.release(after.legId);
    await gate.admit({ ...from, ...call, ...forwarded, to, route, dialler, isCounted });
    const carried = legId === undefined ? route : await onTrunk(route, legId, context, after?.legId);
    if (!carried) {
      if (legId !== undefined) await gate.release(legId);
      state.note('leg.barred', clock.now(), { leg: role, type: to.type, reason: 'trunks_full' });
      return { refused: Q850.NO_CIRCUIT_AVAILABLE };
    }
    return gate.isEmergency({ to, dialler }) ? { ...carried, billable: false } : carried;
  } catch (error) {
    const refused = causeOf(error);
    const reason = error instanceof HatifError ? String(error.code) : 'unavailable';
    const destinationClass = error instanceof ClassRefused ? error.destinationClass : classOfLeg(to, route);
    const barred = destinationClass === null ? {} : { destination_class: destinationClass };
    state.note('leg.barred', clock.now(), { leg: role, type: to.type, ...barred, reason });
    return { refused };
  }
}

/** Who dials if the phone that made the call asks for a leg; null if the platform made it. */
export function diallerIn({ agent, kind }: Pick<CallRow, 'agent' | 'kind'>): string | null {
  return agent ?? (kind === 'web' ? GUEST : null);
}

/** The route without the trunks that were tried; null if none remains. */
function withoutTrunks(route: DialRoute, tried: ReadonlySet<string>): DialRoute | null {
  const trunks = route.trunks?.filter(({ trunkId }) => !tried.has(trunkId)) ?? [];
  return trunks.length === 0 ? null : { ...route, trunks };
}

/** The route on the first of its trunks that has room for the leg; null if none has. */
async function onTrunk(
  route: DialRoute,
  legId: string,
  context: Pick<AdmissionContext, 'takeTrunk'>,
  after: string | undefined,
): Promise<DialRoute | null> {
  const { endpoint, trunks } = route;
  if (endpoint.type !== 'trunk' || !trunks) return route;
  const taken = await context.takeTrunk(legId, trunks);
  if (!taken) return null;
  return { ...route, endpoint: { ...endpoint, trunkId: taken.trunkId, ...(after !== undefined && { after }) } };
}

/** The agent of a leg: the one who is on the call, or the one that a customer who is called first is connected with. */
function agentOf({ row, legs }: CallState, role: LegRole): string | null {
  const { spec } = row.program as SavedProgram;
  if (role === 'customer' && spec.type === 'connect' && spec.to.type === 'agent') return spec.to.target;
  const isOnCall = legs.some((leg) => leg.role === 'agent' && leg.answered_at !== null && leg.status !== 'ended');
  return isOnCall ? row.agent : null;
}

/** @returns null, or why an incoming leg is refused before the call begins */
export async function refusalOfIncoming(
  gate: AdmissionContext['gate'],
  call: Pick<CallRow, 'organization_id' | 'project_id'>,
  { billable, number }: Pick<LegRow, 'billable' | 'number'>,
): Promise<Refusal | null> {
  if (!billable) return null;
  try {
    await gate.admitIncoming({ organizationId: call.organization_id, projectId: call.project_id }, number);
    return null;
  } catch (error) {
    const refuse = causeOf(error);
    if (!(error instanceof HatifError)) return { refuse, reason: 'unavailable' };
    return { refuse, reason: NO_CREDIT.has(String(error.code)) ? 'no_credit' : 'limit' };
  }
}

/** @throws the error if it is no refusal */
function causeOf(error: unknown): number {
  // What a leg may cost is not known now.
  if (error instanceof DatabaseUnavailable) return Q850.TEMPORARY_FAILURE;
  if (!(error instanceof HatifError)) throw error;
  return CAUSES.get(String(error.code)) ?? Q850.CALL_REJECTED;
}
