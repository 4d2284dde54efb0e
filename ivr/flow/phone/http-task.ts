import type { CallControl, ProgramSignal } from '../../../core/services/calls/program.js';
import type { FlowRequests } from '../../../core/services/callflows/requests.js';
import type { FlowActionOf, FlowOutcome } from '../actions.js';
import type { Task } from './task.js';

const ANSWER = 'http';

/** Ask a system outside. The call's mailbox does not wait for it: who hangs up meanwhile is heard at once. */
export class HttpTask implements Task {
  #outcome: FlowOutcome | null = null;

  constructor(
    private readonly action: FlowActionOf<'http'>,
    private readonly requests: Pick<FlowRequests, 'send'>,
  ) {}

  start(call: CallControl): Promise<FlowOutcome | null> {
    const done = (outcome: FlowOutcome): void => {
      this.#outcome = outcome;
      call.later(0, ANSWER);
    };
    this.requests.send(call.flow.parties.projectId, this.action).then(
      ({ status, body }) => done({ type: 'responded', status, body }),
      (error: unknown) => {
        call.note('flow.request_failed', { reason: error instanceof Error ? error.name : 'unknown' });
        done({ type: 'responded', status: null, body: '' });
      },
    );
    return Promise.resolve(null);
  }

  onSignal(_: CallControl, signal: ProgramSignal): Promise<FlowOutcome | null> {
    const isAnswer = signal.type === 'later' && signal.key === ANSWER;
    return Promise.resolve(isAnswer ? this.#outcome : null);
  }

  cancel(call: CallControl): Promise<void> {
    call.notLater(ANSWER);
    return Promise.resolve();
  }
}
