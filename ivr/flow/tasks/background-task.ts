import type { CallControl, ProgramSignal } from '../../../core/services/call-state/program.js';
import type { Outcome } from '../outcome.js';
import type { Task } from '../task.js';

const FINISHED = 'background';

/**
 * Work outside the call, such as an HTTP request. The call's events are handled while it runs, so a caller who hangs up is noticed at once.
 * Its end is reported as a timer, so the outcome is handled in sequence with the call's other events.
 */
export class BackgroundTask<O extends Outcome> implements Task<O> {
  #outcome: O | null = null;

  /** @param failed the outcome if the work throws */
  constructor(
    private readonly work: () => Promise<O>,
    private readonly failed: O,
  ) {}

  start(call: CallControl): Promise<O | null> {
    const finish = (outcome: O): void => {
      this.#outcome = outcome;
      call.startTimer(0, FINISHED);
    };
    this.work().then(finish, (error: unknown) => {
      call.note('flow.outside_failed', { reason: error instanceof Error ? error.name : 'unknown' });
      finish(this.failed);
    });
    return Promise.resolve(null);
  }

  onSignal(_: CallControl, signal: ProgramSignal): Promise<O | null> {
    const isFinished = signal.type === 'later' && signal.key === FINISHED;
    return Promise.resolve(isFinished ? this.#outcome : null);
  }

  cancel(call: CallControl): Promise<void> {
    call.cancelTimer(FINISHED);
    return Promise.resolve();
  }
}
