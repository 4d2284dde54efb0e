import type { CallControl, ProgramSignal } from '../../../core/services/call-state/program.js';
import type { FlowOutcome } from '../actions.js';
import type { Task } from './task.js';

const DONE = 'outside';

/** Something that others do. The call's mailbox does not wait for it: who hangs up meanwhile is heard at once. */
export class OutsideTask implements Task {
  #outcome: FlowOutcome | null = null;

  /** @param failed what stands for work that nobody could do */
  constructor(
    private readonly work: () => Promise<FlowOutcome>,
    private readonly failed: FlowOutcome,
  ) {}

  start(call: CallControl): Promise<FlowOutcome | null> {
    const done = (outcome: FlowOutcome): void => {
      this.#outcome = outcome;
      call.startTimer(0, DONE);
    };
    this.work().then(done, (error: unknown) => {
      call.note('flow.outside_failed', { reason: error instanceof Error ? error.name : 'unknown' });
      done(this.failed);
    });
    return Promise.resolve(null);
  }

  onSignal(_: CallControl, signal: ProgramSignal): Promise<FlowOutcome | null> {
    const isDone = signal.type === 'later' && signal.key === DONE;
    return Promise.resolve(isDone ? this.#outcome : null);
  }

  cancel(call: CallControl): Promise<void> {
    call.cancelTimer(DONE);
    return Promise.resolve();
  }
}
