import type { Destination } from '../../core/model/call/destinations.js';
import { outcomeOfUnanswered, Q850 } from '../../core/model/call/hangup-cause.js';
import type { LegEvent } from '../../core/ports/engine-events.js';
import type { CallControl, CallProgram, ProgramSpec } from '../../core/services/call-state/program.js';
import { Connection, type ConnectionState, type Roles } from '../dialogue/connection.js';

const RING_SECONDS = 45;

/** The customer calls; the agent, or another party, is dialled. */
export const CUSTOMER_CALLS: Roles = { caller: 'customer', callee: 'agent' };
/** An agent's softphone calls a customer. */
export const AGENT_CALLS: Roles = { caller: 'agent', callee: 'customer' };

/** Dials another party and bridges it with the caller. The call ends when either party hangs up. */
export class ConnectProgram implements CallProgram {
  readonly #connection: Connection;

  constructor(
    to: Destination,
    private readonly roles: Roles,
    state: Readonly<Record<string, unknown>> | null,
    /** The program for an unanswered call; null: the call ends. */
    private readonly fallback: () => Promise<ProgramSpec | null> = () => Promise.resolve(null),
  ) {
    this.#connection = new Connection(to, roles, RING_SECONDS, state as ConnectionState | null, {
      save: (call, kept) => call.save(kept),
      over: (call, phase, q850) =>
        phase === 'joined'
          ? call.end({ ...outcomeOfUnanswered(q850), q850: Q850.NORMAL_CLEARING })
          : this.#unanswered(call, q850),
    });
  }

  start(call: CallControl): Promise<void> {
    return this.#connection.start(call);
  }

  resume(call: CallControl): Promise<void> {
    return this.#connection.resume(call);
  }

  onLegEvent(call: CallControl, event: LegEvent): Promise<void> {
    return this.#connection.onLegEvent(call, event);
  }

  onLegReplaced(call: CallControl, replacedLegId: string, legId: string): void {
    this.#connection.legReplaced(call, replacedLegId, legId);
  }

  async #unanswered(call: CallControl, q850: number): Promise<void> {
    const caller = call.leg(this.roles.caller);
    const fallback = caller && caller.status !== 'ended' ? await this.fallback() : null;
    if (fallback) await call.continueAs(fallback);
    else await call.end({ ...outcomeOfUnanswered(q850), q850 });
  }
}
