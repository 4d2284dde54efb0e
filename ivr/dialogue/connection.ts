import type { LegRole } from '../../core/model/call/call.js';
import type { Destination } from '../../core/model/call/destinations.js';
import type { ForwardedPath, Unreached } from '../../core/model/call/forwarding.js';
import { Q850 } from '../../core/model/call/hangup-cause.js';
import { newId } from '../../core/model/ids.js';
import type { LegEvent } from '../../core/ports/engine-events.js';
import type { CallControl, ForwardStep, LegView } from '../../core/services/call-state/program.js';

/** The state that is saved with the call. */
export interface ConnectionState {
  readonly [key: string]: unknown;
  readonly phase: 'ringing' | 'joined';
  /** Null until the engine has accepted the leg. */
  readonly calleeLegId: string | null;
  /** The playback of the ringback tone; null if the caller is not answered and hears the real ringing. */
  readonly ringback: string | null;
  /** The last leg with the callee's role before this one; absent if there was none. */
  readonly before?: string | null;
  /** The party that is dialled; absent if it is the first one. */
  readonly path?: ForwardedPath;
}

/** The role of the leg that exists, and of the leg that is dialled. */
export interface Roles {
  readonly caller: LegRole;
  readonly callee: LegRole;
}

/** What a connection reports to its program. */
export interface ConnectionHooks {
  /** Saves the state with the call. */
  save(call: CallControl, state: ConnectionState): void;
  /** The other party was not dialled (`refused`), was not reached (`ringing`), or hung up (`joined`). */
  over(call: CallControl, phase: ConnectionState['phase'] | 'refused', q850: number): Promise<void>;
}

/**
 * Dials another party, or the one to which it forwards its calls, and bridges it with the caller. An incoming call stays
 * unanswered until the other party answers, so the caller hears the real ringing and does not pay for an unanswered call.
 */
export class Connection {
  constructor(
    private readonly to: Destination,
    private readonly roles: Roles,
    private readonly ringSeconds: number,
    private state: ConnectionState | null,
    private readonly hooks: ConnectionHooks,
  ) {}

  start(call: CallControl): Promise<void> {
    return this.#begin(call, this.#direct);
  }

  async #begin(call: CallControl, path: ForwardedPath): Promise<void> {
    // The party that dials a customer stays with its program.
    const isForwardable = this.roles.caller === 'customer';
    const step = isForwardable ? await call.forward(path, this.ringSeconds) : null;
    await this.#take(call, step ?? { type: 'dial', path, ringSeconds: this.ringSeconds });
  }

  get #direct(): ForwardedPath {
    return { to: this.to, through: [] };
  }

  /** @param endedBy why an earlier party was not reached */
  async #take(call: CallControl, step: ForwardStep, endedBy?: Unreached): Promise<void> {
    switch (step.type) {
      case 'dial':
        return this.#dial(call, step.path, step.ringSeconds);
      case 'continue':
        return call.continueAs(step.spec);
      case 'refused':
        // How the earlier party ended says more than that the call came back to it.
        return this.hooks.over(call, 'refused', step.reason === 'loop' && endedBy ? endedBy.q850 : step.q850);
    }
  }

  async #dial(call: CallControl, path: ForwardedPath, ringSeconds: number): Promise<void> {
    const caller = call.leg(this.roles.caller);
    if (!caller) return;
    const inside = this.roles.caller === 'customer' ? await call.inside(path.to) : null;
    if (inside && 'program' in inside) return call.continueAs(inside.program);
    if (inside) return this.hooks.over(call, 'refused', inside.refused);
    const ringback = caller.status === 'answered' ? newId() : null;
    const before = this.#latest(call)?.legId ?? null;
    const dialling: ConnectionState = {
      phase: 'ringing',
      calleeLegId: null,
      ringback,
      ...(before === null ? {} : { before }),
      ...(path.through.length === 0 ? {} : { path }),
    };
    // Saved together with the new leg: a process that takes over must know the tone's id, or it could not stop the tone before the bridge.
    this.#save(call, dialling);
    const forwardedBy = path.through.at(-1);
    const dialled = await call.dial(this.roles.callee, path.to, ringSeconds, { forwardedBy });
    if ('refused' in dialled) {
      await this.#unreached(call, 'refused', path, { q850: dialled.refused, hasRung: false });
      return;
    }
    const calleeLegId = dialled.legId;
    if (ringback !== null) await call.ringback(caller.legId, ringback);
    this.#save(call, { ...dialling, calleeLegId });
  }

  /** A caller who waits is forwarded, if the party wants that. */
  async #unreached(
    call: CallControl,
    phase: 'refused' | 'ringing',
    path: ForwardedPath,
    unreached: Unreached,
  ): Promise<void> {
    const caller = call.leg(this.roles.caller);
    const isWaiting = this.roles.caller === 'customer' && caller !== null && caller.status !== 'ended';
    const step = isWaiting ? await call.forward(path, this.ringSeconds, unreached) : null;
    if (step) await this.#take(call, step, unreached);
    else await this.hooks.over(call, phase, unreached.q850);
  }

  async resume(call: CallControl): Promise<void> {
    const saved = this.state;
    const latest = this.#latest(call);
    // A leg that was dialled just before a crash, before its id was saved, must not be dialled again.
    const callee =
      saved?.calleeLegId == null
        ? latest?.legId === saved?.before
          ? null
          : latest
        : this.#leg(call, saved.calleeLegId);
    if (!callee) return this.#begin(call, saved?.path ?? this.#direct);
    const state: ConnectionState = {
      phase: saved?.phase ?? 'ringing',
      calleeLegId: callee.legId,
      ringback: saved?.ringback ?? null,
      ...(saved?.path && { path: saved.path }),
    };
    this.#save(call, state);
    if (callee.status === 'ended') await this.#calleeEnded(call, state, callee.hangupQ850 ?? Q850.NO_ANSWER);
    else if (callee.status === 'ringing') await this.#calleeRinging(call);
    else if (callee.status === 'answered' && state.phase === 'ringing') await this.#calleeAnswered(call, state);
  }

  async onLegEvent(call: CallControl, event: LegEvent): Promise<void> {
    const { state } = this;
    if (state?.calleeLegId == null) return;
    const caller = call.leg(this.roles.caller);
    if (event.type === 'leg.ringing' || event.type === 'leg.progress') {
      if (event.legId === state.calleeLegId) await this.#calleeRinging(call);
    } else if (event.type === 'leg.answered') {
      if (event.legId === state.calleeLegId) await this.#calleeAnswered(call, state);
      else if (this.#leg(call, state.calleeLegId)?.status === 'answered') await this.#join(call, state);
    } else if (event.type === 'leg.ended') {
      if (event.legId === state.calleeLegId) await this.#calleeEnded(call, state, event.cause.q850);
      else if (event.legId === caller?.legId) await call.hangupLeg(state.calleeLegId, Q850.NORMAL_CLEARING);
    }
  }

  /** Another leg to the other party took the place of the one that was dialled. */
  legReplaced(call: CallControl, replacedLegId: string, legId: string): void {
    if (this.state?.calleeLegId === replacedLegId) this.#save(call, { ...this.state, calleeLegId: legId });
  }

  /** Stops ringing the other party. */
  async cancel(call: CallControl): Promise<void> {
    const { state } = this;
    this.state = null;
    if (state?.ringback != null) await call.stopPlay(state.ringback);
    if (state?.calleeLegId != null && state.phase === 'ringing') {
      await call.hangupLeg(state.calleeLegId, Q850.NORMAL_CLEARING);
    }
  }

  /** An unanswered caller hears ringing only once the other phone rings. */
  async #calleeRinging(call: CallControl): Promise<void> {
    const caller = call.leg(this.roles.caller);
    if (caller?.status === 'ringing') await call.ring(caller.legId);
  }

  async #calleeAnswered(call: CallControl, state: ConnectionState): Promise<void> {
    const caller = call.leg(this.roles.caller);
    if (!caller || caller.status === 'ended') {
      if (state.calleeLegId !== null) await call.hangupLeg(state.calleeLegId, Q850.NORMAL_CLEARING);
    } else if (caller.status === 'answered') await this.#join(call, state);
    else await call.answer(caller.legId);
  }

  async #calleeEnded(call: CallControl, state: ConnectionState, q850: number): Promise<void> {
    const { phase, ringback, calleeLegId, path = this.#direct } = state;
    this.state = null;
    if (ringback !== null) await call.stopPlay(ringback);
    const callee = calleeLegId === null ? null : this.#leg(call, calleeLegId);
    // A party that answered was reached, even if it hung up before both were joined.
    if (phase === 'joined' || callee?.wasAnswered === true) return this.hooks.over(call, phase, q850);
    await this.#unreached(call, phase, path, { q850, hasRung: callee?.hasRung === true });
  }

  async #join(call: CallControl, state: ConnectionState): Promise<void> {
    const caller = call.leg(this.roles.caller);
    if (!caller || state.calleeLegId === null || state.phase === 'joined') return;
    if (state.ringback !== null) await call.stopPlay(state.ringback);
    await call.join([caller.legId, state.calleeLegId]);
    call.markAnswered();
    this.#save(call, { ...state, phase: 'joined', ringback: null });
  }

  #leg(call: CallControl, id: string): LegView | null {
    return call.queue.legs().find(({ legId }) => legId === id) ?? null;
  }

  /** The newest leg with the callee's role. */
  #latest(call: CallControl): LegView | null {
    return call.queue.legs().findLast(({ role }) => role === this.roles.callee) ?? null;
  }

  #save(call: CallControl, state: ConnectionState): void {
    this.state = state;
    this.hooks.save(call, state);
  }
}
