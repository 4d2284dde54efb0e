import { newId } from '../../core/model/ids.js';
import type { LegRole } from '../../core/model/call.js';
import type { CallControl, CallProgram, ProgramSpec } from '../../core/services/calls/program.js';
import { outcomeOfUnanswered, Q850 } from '../../core/model/hangup-cause.js';
import type { Destination } from '../../core/model/destinations.js';
import type { LegEvent } from '../../core/ports/engine.js';
import { NO_ANSWER } from './endings.js';

/** How long the other party rings when nothing else is said. */
const RING_SECONDS = 45;

interface State {
  readonly [key: string]: unknown;
  readonly phase: 'ringing' | 'joined';
  readonly calleeLegId: string;
  /** The ringback that an already answered caller hears meanwhile. */
  readonly ringback: string | null;
}

/** As it is written down; the leg that is rung is not known before it is. */
type Saved =
  | State
  | {
      readonly [key: string]: unknown;
      readonly phase: 'ringing';
      readonly calleeLegId: null;
      readonly ringback: string | null;
    };

function isBegun(saved: Saved): saved is State {
  return saved.calleeLegId !== null;
}

/** Whose leg is there, and whose is rung. */
export interface Roles {
  readonly caller: LegRole;
  readonly callee: LegRole;
}

/** The customer is there, the agent (or another party) is rung. */
export const CUSTOMER_CALLS: Roles = { caller: 'customer', callee: 'agent' };
/** An agent's softphone calls a customer. */
export const AGENT_CALLS: Roles = { caller: 'agent', callee: 'customer' };

/**
 * Ring another party and join it with the one who is there; whoever hangs up first ends both. An incoming call stays unanswered until the
 * other party answers, so the caller hears the real ringing and pays nothing for a call nobody took.
 */
export class ConnectProgram implements CallProgram {
  #state: State | null;
  /** What an owner before may have begun to play. */
  readonly #ringback: string | null;

  constructor(
    private readonly to: Destination,
    private readonly roles: Roles,
    state: Readonly<Record<string, unknown>> | null,
    /** What the call goes on as where nobody takes it; null: it ends. */
    private readonly instead: () => Promise<ProgramSpec | null> = () => Promise.resolve(null),
  ) {
    const saved = state as Saved | null;
    this.#ringback = saved?.ringback ?? null;
    this.#state = saved !== null && isBegun(saved) ? saved : null;
  }

  async start(call: CallControl): Promise<void> {
    const caller = call.leg(this.roles.caller);
    if (!caller) return;
    const ringback = caller.status === 'answered' ? newId() : null;
    // Written down with the leg that is rung: who takes over here could not stop a tone whose id nobody knows, and the join would wait for its end.
    call.save({ phase: 'ringing', calleeLegId: null, ringback } satisfies Saved);
    const dialled = await call.dial(this.roles.callee, this.to, RING_SECONDS);
    if ('refused' in dialled) return this.#unanswered(call, dialled.refused);
    const calleeLegId = dialled.legId;
    if (ringback !== null) await call.ringback(caller.legId, ringback);
    this.#save(call, { phase: 'ringing', calleeLegId, ringback });
  }

  async resume(call: CallControl): Promise<void> {
    const callee = call.leg(this.roles.callee);
    if (!callee) return this.start(call);
    // A leg that was rung just before the application went, ahead of the note about it, must not be rung a second time.
    const state = this.#state ?? { phase: 'ringing', calleeLegId: callee.legId, ringback: this.#ringback };
    this.#save(call, state);
    if (callee.status === 'ended') await this.#calleeEnded(call, state, callee.hangupQ850 ?? NO_ANSWER.q850);
    else if (callee.status === 'ringing') await this.#calleeRings(call);
    else if (callee.status === 'answered' && state.phase === 'ringing') await this.#calleeAnswered(call, state);
  }

  async onLegEvent(call: CallControl, event: LegEvent): Promise<void> {
    const state = this.#state;
    if (state === null) return;
    const caller = call.leg(this.roles.caller);
    if (event.type === 'leg.ringing' || event.type === 'leg.progress') {
      if (event.legId === state.calleeLegId) await this.#calleeRings(call);
    } else if (event.type === 'leg.answered') {
      if (event.legId === state.calleeLegId) await this.#calleeAnswered(call, state);
      else if (call.leg(this.roles.callee)?.status === 'answered') await this.#join(call, state);
    } else if (event.type === 'leg.ended') {
      if (event.legId === state.calleeLegId) {
        await this.#calleeEnded(call, state, event.cause.q850);
      } else if (event.legId === caller?.legId) {
        await call.hangupLeg(state.calleeLegId, Q850.NORMAL_CLEARING);
      }
    }
  }

  /** Only now does a caller who waits for the answer hear that it rings: before, nobody is being rung. */
  async #calleeRings(call: CallControl): Promise<void> {
    const caller = call.leg(this.roles.caller);
    if (caller?.status === 'ringing') await call.ring(caller.legId);
  }

  async #calleeAnswered(call: CallControl, state: State): Promise<void> {
    const caller = call.leg(this.roles.caller);
    if (!caller || caller.status === 'ended') await call.hangupLeg(state.calleeLegId, Q850.NORMAL_CLEARING);
    else if (caller.status === 'answered') await this.#join(call, state);
    else await call.answer(caller.legId);
  }

  async #calleeEnded(call: CallControl, { phase, ringback }: State, q850: number): Promise<void> {
    if (phase === 'ringing') await this.#unanswered(call, q850, ringback);
    else await call.end({ ...outcomeOfUnanswered(q850), q850: Q850.NORMAL_CLEARING });
  }

  async #unanswered(call: CallControl, q850: number, ringback: string | null = null): Promise<void> {
    const caller = call.leg(this.roles.caller);
    const instead = caller && caller.status !== 'ended' ? await this.instead() : null;
    if (!instead) return call.end({ ...outcomeOfUnanswered(q850), q850 });
    if (ringback !== null) await call.stopPlay(ringback);
    await call.goOnAs(instead);
  }

  async #join(call: CallControl, state: State): Promise<void> {
    const caller = call.leg(this.roles.caller);
    if (!caller || state.phase === 'joined') return;
    if (state.ringback !== null) await call.stopPlay(state.ringback);
    await call.join([caller.legId, state.calleeLegId]);
    call.pickUp();
    this.#save(call, { ...state, phase: 'joined', ringback: null });
  }

  #save(call: CallControl, state: State): void {
    this.#state = state;
    call.save(state);
  }
}
