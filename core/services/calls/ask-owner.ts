import type { CallRow } from '../../data/rows.js';
import { HatifError } from '../../model/errors/index.js';
import { CommandTimeout, type CallCommand, type CommandBus, type CommandOutcome } from '../../ports/command-bus.js';

/** Sends a command to whoever owns the engine of the call, or of the conference. @throws HatifError CALL_NOT_CONTROLLABLE when nobody answers */
export async function askOwner(
  bus: CommandBus,
  { engine_id }: Pick<CallRow, 'engine_id'>,
  command: CallCommand,
): Promise<CommandOutcome> {
  try {
    return await bus.send(engine_id, command);
  } catch (error) {
    if (!(error instanceof CommandTimeout)) throw error;
    // Nobody owns the engine at the moment: a process has died and its successor is on the way.
    throw new HatifError('CALL_NOT_CONTROLLABLE', {}, { cause: error });
  }
}
