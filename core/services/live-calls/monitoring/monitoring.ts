import type { LegRow } from '../../../data/rows.js';
import type { MonitorMode } from '../../../model/call/monitoring.js';
import { Q850 } from '../../../model/call/hangup-cause.js';
import type { CallCommand, CommandOutcome } from '../../../ports/command-bus.js';
import { EngineError } from '../../../ports/engine.js';
import type { CallState } from '../../call-state/call-state.js';
import type { LiveCall } from '../call/live-call.js';
import type { LiveCalls } from '../registry/live-calls.js';
import { newLeg } from '../../call-state/new-leg.js';
import type { SavedProgram, Supervisor } from '../../call-state/program.js';
import { callerIdFor } from '../call/ringing.js';

type Begin = Extract<CallCommand, { type: 'monitor' }>;
type Stop = Extract<CallCommand, { type: 'stop_monitor' }>;

/** How long a supervisor's phone rings. */
const RING_SECONDS = 30;

/** Where a supervisor's leg belongs. */
type Place =
  | { readonly in: 'bridge'; readonly bridgeId: string }
  | { readonly in: 'monitoring'; readonly targetLegId: string; readonly whispers: boolean };

/**
 * Supervisors of live calls. A supervisor has a leg of the call without being a party to it: programs, transfers and
 * conferences ignore the leg, it is not charged, and the call ends without it. After every event of the call, each such
 * leg is moved to where it belongs. Every method runs in the call's turn.
 */
export class Monitoring {
  /** The last place to which this process moved each leg, or to which the engine refused to move it. */
  readonly #placed = new Map<string, string>();

  constructor(private readonly calls: LiveCalls) {}

  /** Rings the supervisor's phone, or changes the mode of a supervisor who is already there. */
  async begin(live: LiveCall, command: Begin): Promise<CommandOutcome> {
    const { state } = live;
    const refused = this.#refusal(live);
    if (refused) return refused;
    const { agent, mode } = command;
    const current = supervisorsOf(state).find((one) => one.agent === agent && isLive(state, one.legId));
    if (current?.mode === mode) return { result: 'done' };
    if (!current) return this.#ring(live, command);
    this.#note(live, command, { mode });
    save(state, [...supervisorsOf(state).filter((one) => one !== current), { ...current, mode }]);
    const leg = state.leg(current.legId);
    if (leg?.status === 'answered') await this.#moveToPlace(live, leg, mode);
    return { result: 'done' };
  }

  #refusal({ state, status }: LiveCall): CommandOutcome | null {
    if (state.isFinal) return { result: 'not_active' };
    if (this.calls.engine.status.status === 'unreachable') return { result: 'not_controllable' };
    if (status !== 'answered') return { result: 'not_answered' };
    return state.legOf('agent')?.status === 'answered' ? null : { result: 'leg_not_connected' };
  }

  async #ring(live: LiveCall, command: Begin): Promise<CommandOutcome> {
    const { state } = live;
    const { agent, mode } = command;
    const route = await live.admit({ role: 'supervisor', to: { type: 'agent', target: agent } });
    if ('refused' in route) return { result: 'no_route' };
    const leg = newLeg(live.callId, 'supervisor', { ...route, billable: false }, this.calls.clock.now());
    this.#note(live, command, { mode });
    const others = supervisorsOf(state).filter(({ legId }) => isLive(state, legId));
    save(state, [...others, { legId: leg.id, agent, mode }]);
    const refused = await live.ringing.originate(leg, callerIdFor(state.row, leg), RING_SECONDS);
    if (refused === null) return { result: 'done' };
    return { result: 'engine_refused', kind: 'rejected', message: `The supervisor's phone is not reached: ${refused}` };
  }

  /** Hangs up the given supervisor, or all of them. A repeat does nothing. */
  async stop(live: LiveCall, command: Stop): Promise<CommandOutcome> {
    const { state } = live;
    if (state.isFinal) return { result: 'not_active' };
    if (this.calls.engine.status.status === 'unreachable') return { result: 'not_controllable' };
    const leaving = supervisorsOf(state).filter(
      ({ agent, legId }) => isLive(state, legId) && (command.agent === null || agent === command.agent),
    );
    for (const { agent, legId } of leaving) {
      this.#note(live, { ...command, agent });
      await live.hangupLeg(legId, Q850.NORMAL_CLEARING);
    }
    return { result: 'done' };
  }

  /**
   * Runs after every event of the call and after an outage: moves each supervisor's leg to its place, or hangs it up
   * with the call.
   */
  readonly follow = async (live: LiveCall): Promise<void> => {
    const { state } = live;
    const legs = state.legs.filter(({ role }) => role === 'supervisor');
    for (const { id, status } of legs) if (status === 'ended') this.#placed.delete(id);
    if (!this.calls.options.lease.mayCommand) return;
    const modes = new Map(supervisorsOf(state).map(({ legId, mode }) => [legId, mode]));
    const isOver = state.isFinal || live.ending !== null;
    for (const leg of legs.filter(({ status }) => status !== 'ended')) {
      try {
        if (isOver) await live.hangupLeg(leg.id, Q850.NORMAL_CLEARING);
        else if (leg.status === 'answered') await this.#moveToPlace(live, leg, modes.get(leg.id) ?? 'listen');
      } catch (error) {
        // The call continues without the supervisor. If the engine is unreachable, this is repeated when it is back.
        if (!(error instanceof EngineError)) throw error;
        if (error.kind !== 'unreachable') live.note('monitor.refused', { kind: error.kind });
      }
    }
  };

  /** Declines a transfer requested by the supervisor's phone, because the supervisor is not a party to the call. */
  async decline(live: LiveCall, legId: string): Promise<void> {
    if (this.calls.options.lease.mayCommand) await live.reportTransfer(legId, 'declined');
  }

  async #moveToPlace(live: LiveCall, leg: LegRow, mode: MonitorMode): Promise<void> {
    const { engine } = this.calls;
    const place = placeOf(live.state, mode);
    const key = JSON.stringify([mode, place, live.state.conference?.id]);
    if (!place || this.#placed.get(leg.id) === key) return;
    try {
      if (place.in === 'bridge') await engine.bridges.add(place.bridgeId, leg.id);
      else await engine.monitors.start({ legId: leg.id, targetLegId: place.targetLegId, whispers: place.whispers });
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      // A party hung up at this moment; its event will move the supervisor elsewhere.
      if (error.kind === 'no_such_leg') return;
      // Do not ask the engine again.
      if (error.kind !== 'unreachable') this.#placed.set(leg.id, key);
      throw error;
    }
    this.#placed.set(leg.id, key);
    live.note('monitor.mode', {
      mode,
      hears: live.state.leg(place.in === 'bridge' ? '' : place.targetLegId)?.role ?? 'all',
    });
  }

  #note(live: LiveCall, { type, agent, actor, requestId }: Begin | Stop, more: { mode?: MonitorMode } = {}): void {
    const action = type === 'monitor' ? 'control.monitor' : 'control.monitor_stop';
    live.note(action, { agent, ...more, actor, request_id: requestId });
  }
}

/** With the agent, wherever the agent is, or with the customer while no agent is connected. */
function placeOf(state: CallState, mode: MonitorMode): Place | null {
  if (mode === 'barge') return { in: 'bridge', bridgeId: state.conference?.id ?? state.row.id };
  const agent = state.legOf('agent');
  const heard = agent?.status === 'answered' ? agent : state.legOf('customer');
  if (heard?.status !== 'answered') return null;
  // A whisper must never reach the customer.
  return { in: 'monitoring', targetLegId: heard.id, whispers: mode === 'whisper' && heard === agent };
}

function isLive(state: CallState, legId: string): boolean {
  const leg = state.leg(legId);
  return leg !== undefined && leg.status !== 'ended';
}

function supervisorsOf({ row }: CallState): readonly Supervisor[] {
  return (row.program as SavedProgram).supervisors ?? [];
}

function save(state: CallState, supervisors: readonly Supervisor[]): void {
  state.set({ program: { ...(state.row.program as SavedProgram), supervisors } satisfies SavedProgram });
}
