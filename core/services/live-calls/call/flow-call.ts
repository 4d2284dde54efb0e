import { newId } from '../../../model/ids.js';
import { maskNumber } from '../../../model/access/masking.js';
import { WITHHELD_NUMBER } from '../../../model/phone-numbers.js';
import type { CommandOutcome, JoinConferenceCommand } from '../../../ports/command-bus.js';
import { EngineError } from '../../../ports/engine.js';
import type { CallHost } from './call-host.js';
import type { FlowControl, FlowParties, RecordingStep, SavedProgram } from '../../call-state/program.js';

/** What only a call flow may do with its call. Every method runs in the call's turn. */
export class FlowCall implements FlowControl {
  constructor(
    private readonly live: CallHost,
    private readonly joinConference: (command: JoinConferenceCommand) => Promise<CommandOutcome>,
  ) {}

  get parties(): FlowParties {
    const { customer_number, line_number, project_id, sandbox, program } = this.live.state.row;
    return {
      projectId: project_id,
      sandbox,
      customerNumber: customer_number === WITHHELD_NUMBER ? null : customer_number,
      customerNumberMasked: maskNumber(customer_number),
      lineNumber: line_number,
      given: (program as SavedProgram).variables ?? {},
    };
  }

  async record(legId: string, step: RecordingStep): Promise<void> {
    const { recordings } = this.live;
    try {
      await (step === 'start' ? recordings.start(legId, 2, null) : recordings[step](legId));
    } catch (error) {
      if (!(error instanceof EngineError) || error.kind === 'unreachable') throw error;
      this.live.note('recording.refused', { kind: error.kind });
    }
  }

  async join(wanted: Parameters<FlowControl['join']>[0]): Promise<boolean> {
    const { callId } = this.live;
    const command: JoinConferenceCommand = {
      ...wanted,
      type: 'join_conference',
      callId,
      conferenceId: null,
      requestId: newId(),
      actor: null,
    };
    try {
      return (await this.joinConference(command)).result === 'done';
    } catch (error) {
      if (!(error instanceof EngineError) || error.kind === 'unreachable') throw error;
      this.live.note('conference.refused', { kind: error.kind });
      return false;
    }
  }
}
