import type { RecordingStep } from '../../../core/services/call-state/program.js';
import type { FlowAction } from '../action.js';
import type { FlowCall } from '../flow-call.js';
import { act, type NodeBehaviour } from '../node.js';
import { DONE, type Done } from '../outcome.js';
import { PlayTask } from '../tasks/play-task.js';

export const record: NodeBehaviour<'record'> = ({ action, next }) =>
  act(new RecordAction(action), () => ({ go: next }));

/** Starts, stops, pauses or resumes the recording. If the project requires an announcement that cannot be played, nothing is recorded. */
class RecordAction implements FlowAction<Done> {
  readonly needsAnswer = true;

  constructor(private readonly step: RecordingStep) {}

  async perform(flow: FlowCall): Promise<Done | null> {
    const { call, deps } = flow;
    const customer = call.leg('customer');
    if (!customer) return null;
    const announcement = this.step === 'start' ? await deps.announcement(call.flow.parties.projectId) : [];
    if (announcement === null) {
      call.note('recording.not_announced');
      return DONE;
    }
    await call.flow.record(customer.legId, this.step);
    return flow.run(new PlayTask(announcement, 1, (playbackId) => flow.save({ playbackId })));
  }

  simulate(): Done {
    return DONE;
  }
}
