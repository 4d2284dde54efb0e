import { outcomeOfUnanswered, Q850 } from '../../../core/model/call/hangup-cause.js';
import type { LegEvent } from '../../../core/ports/engine.js';
import type { CallControl } from '../../../core/services/call-state/program.js';
import { Connection, type ConnectionState } from '../../dialogue/connection.js';
import type { DialStatus, FlowActionOf, FlowOutcome } from '../actions.js';
import type { Task } from './task.js';

/** Ring another party for the caller. */
export class DialTask implements Task {
  readonly #connection: Connection;
  #outcome: FlowOutcome | null = null;

  /** @param saved of the same dialling before a restart */
  constructor(
    { to, ringSeconds, comesBack }: FlowActionOf<'dial'>,
    private readonly saved: ConnectionState | null,
    keep: (state: ConnectionState) => void,
  ) {
    const roles = { caller: 'customer', callee: 'agent' } as const;
    this.#connection = new Connection(to, roles, ringSeconds, saved, {
      save: (_, state) => keep(state),
      over: async (call, phase, q850) => {
        if (phase === 'joined' && !comesBack) {
          await call.end({ ...outcomeOfUnanswered(q850), q850: Q850.NORMAL_CLEARING });
          return;
        }
        this.#outcome = { type: 'dialled', status: phase === 'joined' ? 'answered' : statusOf(q850) };
      },
    });
  }

  async start(call: CallControl): Promise<FlowOutcome | null> {
    await (this.saved === null ? this.#connection.start(call) : this.#connection.resume(call));
    return this.#outcome;
  }

  async onLegEvent(call: CallControl, event: LegEvent): Promise<FlowOutcome | null> {
    await this.#connection.onLegEvent(call, event);
    return this.#outcome;
  }

  async cancel(call: CallControl): Promise<void> {
    await this.#connection.cancel(call);
  }
}

function statusOf(q850: number): DialStatus {
  const { disposition } = outcomeOfUnanswered(q850);
  if (disposition === 'busy' || disposition === 'rejected') return 'busy';
  return disposition === 'no_answer' ? 'no_answer' : 'failed';
}
