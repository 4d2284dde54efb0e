import { hangupCause, Q850 } from '../../../model/call/hangup-cause.js';
import { newId } from '../../../model/ids.js';
import type { LegEvent } from '../../../ports/engine-events.js';
import type { CallArchive } from '../../call-state/call-archive.js';
import { CallState } from '../../call-state/call-state.js';
import { endWith, applyLegEvent } from '../../call-state/apply-leg-event.js';
import type { LiveCall } from '../call/live-call.js';
import type { LiveCalls } from '../registry/live-calls.js';
import { newLeg } from '../../call-state/new-leg.js';
import { startsAtOnce, type SavedProgram } from '../../call-state/program.js';

/** A placed call that its owner process finds later than this is not rung. */
export const STALE_AFTER_MS = 15_000;
/** An outbound leg that has neither been answered nor ended this long after its ring timeout is given up. */
export const SETUP_GRACE_MS = 15_000;

/** Originates the calls that the API has stored. */
export class Origination {
  constructor(
    private readonly calls: LiveCalls,
    private readonly archive: CallArchive,
  ) {}

  /** Rings the customer of a stored call once, or the party that its program rings first. */
  async place(callId: string): Promise<void> {
    if (this.calls.get(callId)) return;
    const call = await this.archive.find(callId);
    if (call?.originating_at !== null) return;
    const state = new CallState(call, []);
    if (state.isFinal) return;
    const live = this.calls.enter(state);
    const refused = this.#isStale(live) ? Q850.TEMPORARY_FAILURE : await this.#begin(live);
    if (refused !== null) {
      endWith(state, hangupCause(refused), this.calls.clock.now(), null, this.calls.onIllegal);
    }
    await this.calls.settle(live);
  }

  #isStale({ state }: LiveCall): boolean {
    return this.calls.clock.now().getTime() - state.row.created_at.getTime() > STALE_AFTER_MS;
  }

  /** @returns null, or the Q.850 cause for which nobody is rung */
  async #begin(live: LiveCall): Promise<number | null> {
    if (!startsAtOnce(live.state.row)) return this.#ringCustomer(live);
    this.#prefetchRoute(live);
    live.state.set({ originating_at: this.calls.clock.now() });
    await this.calls.commit(live);
    await live.program.start(live);
    return null;
  }

  /** @returns as {@link #begin} */
  async #ringCustomer(live: LiveCall): Promise<number | null> {
    const { row } = live.state;
    const now = this.calls.clock.now();
    const legId = newId();
    const route = await live.admit({ role: 'customer', to: { type: 'number', target: row.customer_number }, legId });
    if ('refused' in route) return route.refused;
    this.#prefetchRoute(live);
    live.state.set({ originating_at: now });
    const leg = newLeg(live.callId, 'customer', route, now, legId);
    const callerId = { number: row.caller_id_number, name: row.caller_id_name };
    const refused = await live.ringing.originate(leg, callerId, row.options.ring_timeout_seconds, 'wait');
    const waitMs = row.options.ring_timeout_seconds * 1000 + SETUP_GRACE_MS;
    if (refused === null) guardSetup(this.calls, live, leg.id, waitMs);
    return refused === null || (await this.calls.redial(live, leg)) ? null : refused;
  }

  /** Looks up the party that is rung later now as well, since the database may be unavailable then. */
  #prefetchRoute({ state: { row } }: LiveCall): void {
    const { spec } = row.program as SavedProgram;
    if (spec.type !== 'connect' && spec.type !== 'queue_callback') return;
    const to = spec.type === 'connect' ? spec.to : ({ type: 'number', target: spec.to } as const);
    // It is looked up again later, and a failure is reported then.
    this.calls.routing.routeTo(row.project_id, to).catch(() => undefined);
  }
}

/** Passes an event on after it was applied to the call. */
type Show = (live: LiveCall, event: LegEvent) => Promise<void>;
const toProgram: Show = (live, event) => live.program.onLegEvent(live, event);

/** Guards against a leg that never sends an event. The engine normally limits the ringing itself. */
export function guardSetup(calls: LiveCalls, live: LiveCall, legId: string, waitMs: number, show = toProgram): void {
  const { clock } = calls;
  const giveUp = async (): Promise<void> => {
    const status = live.state.leg(legId)?.status;
    if (status !== 'created' && status !== 'ringing') return;
    await live.hangupLeg(legId, Q850.NO_ANSWER);
    // No SIP status was received: this side gives up.
    const cause = { ...hangupCause(Q850.NO_ANSWER), sipCode: null };
    const event = calls.explained(live, { type: 'leg.ended', legId, at: clock.now(), cause });
    applyLegEvent(live.state, event, live.ending, calls.onIllegal);
    await calls.commit(live);
    await show(live, event);
    await calls.settle(live);
  };
  calls.guard(
    live.callId,
    clock.after(waitMs, () => calls.run(live.callId, giveUp)),
  );
}
