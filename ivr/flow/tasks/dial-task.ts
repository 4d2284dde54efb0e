import { outcomeOfUnanswered, Q850 } from '../../../core/model/call/hangup-cause.js';
import type { Destination } from '../../../core/model/call/destinations.js';
import type { LegEvent } from '../../../core/ports/engine-events.js';
import type { CallControl } from '../../../core/services/call-state/program.js';
import { Connection, type ConnectionState } from '../../dialogue/connection.js';
import type { Task } from '../task.js';

/** `answered`: the other party was bridged with the caller and has hung up. */
export type DialStatus = 'answered' | 'busy' | 'no_answer' | 'failed';

export interface DialTaskOptions {
  readonly to: Destination;
  readonly ringSeconds: number;
  /** The caller returns to the flow if the other party hangs up first; otherwise the call ends then. */
  readonly returns: boolean;
  /** State of the same attempt before a restart. */
  readonly saved: ConnectionState | null;
  readonly save: (state: ConnectionState) => void;
}

/** Rings another party and bridges it with the caller. */
export class DialTask implements Task<DialStatus> {
  readonly #connection: Connection;
  #status: DialStatus | null = null;

  constructor(private readonly options: DialTaskOptions) {
    const { to, ringSeconds, returns, saved, save } = options;
    const roles = { caller: 'customer', callee: 'agent' } as const;
    this.#connection = new Connection(to, roles, ringSeconds, saved, {
      save: (_, state) => save(state),
      over: async (call, phase, q850) => {
        if (phase === 'joined' && !returns) {
          await call.end({ ...outcomeOfUnanswered(q850), q850: Q850.NORMAL_CLEARING });
          return;
        }
        // Nobody declined a call that was not dialled.
        const isBarred = phase === 'refused' && q850 === Q850.CALL_REJECTED;
        if (phase === 'joined') this.#status = 'answered';
        else this.#status = isBarred ? 'failed' : statusOf(q850);
      },
    });
  }

  async start(call: CallControl): Promise<DialStatus | null> {
    await (this.options.saved === null ? this.#connection.start(call) : this.#connection.resume(call));
    return this.#status;
  }

  async onLegEvent(call: CallControl, event: LegEvent): Promise<DialStatus | null> {
    await this.#connection.onLegEvent(call, event);
    return this.#status;
  }

  onLegReplaced(call: CallControl, replacedLegId: string, legId: string): void {
    this.#connection.legReplaced(call, replacedLegId, legId);
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
