import type { CallRow } from '../../data/rows.js';
import type { CallStatus } from '../../model/call/call.js';
import { HatifError, type Phrase } from '../../model/errors/index.js';
import { MAX_TRANSFERS } from '../../model/call/transfer.js';
import { CommandTimeout, type CallCommand, type CommandBus, type CommandOutcome } from '../../ports/command-bus.js';

/**
 * Sends a command once to the process that owns the engine of the call or conference. If the owner received it but does
 * not reply in time, the outcome is unknown, and is returned like an engine's timeout.
 * @throws HatifError CALL_NOT_CONTROLLABLE if no process receives it
 */
export async function askOwner(
  bus: Pick<CommandBus, 'send'>,
  { engine_id }: Pick<CallRow, 'engine_id'>,
  command: CallCommand,
): Promise<CommandOutcome> {
  try {
    return await bus.send(engine_id, command);
  } catch (error) {
    if (!(error instanceof CommandTimeout)) throw error;
    if (error.wasReceived) return { result: 'engine_refused', kind: 'timeout', message: error.message };
    // No process owns the engine at the moment: one has died, and its successor has not taken over.
    throw new HatifError('CALL_NOT_CONTROLLABLE', {}, { cause: error });
  }
}

/** Why the owner did not execute the command. */
export type Refusal = Exclude<CommandOutcome, { result: 'done' }>;

/**
 * Maps a refusal to the API's error. A missing target or transfer is reported by the caller of this function, which
 * named it.
 * @param status the call's current status
 * @param action the requested action
 */
export function errorOf(refusal: Refusal, status: CallStatus, action: Phrase | string): HatifError {
  switch (refusal.result) {
    case 'not_active':
      return new HatifError('CALL_NOT_ACTIVE', { status });
    case 'not_answered':
      return new HatifError('CALL_NOT_ANSWERED', { status });
    case 'leg_not_connected':
      return new HatifError('AGENT_LEG_NOT_CONNECTED');
    case 'not_announced':
      return new HatifError('RECORDING_SERVICE_UNAVAILABLE');
    case 'transfer_in_progress':
      return new HatifError('TRANSFER_IN_PROGRESS');
    case 'in_conference':
      return new HatifError('CALL_ALREADY_IN_CONFERENCE', { conference_id: refusal.conferenceId });
    case 'conference_full':
      return new HatifError('CONFERENCE_FULL', { max: refusal.max });
    case 'conference_ended':
      return new HatifError('CONFERENCE_ENDED', { conference_id: refusal.conferenceId });
    case 'transfer_limit':
      return new HatifError('TRANSFER_LIMIT_REACHED', { max: MAX_TRANSFERS });
    case 'engine_refused':
      return new HatifError('CALL_CONTROL_FAILED', { action }, { cause: refusal });
    default:
      return new HatifError('CALL_NOT_CONTROLLABLE');
  }
}
