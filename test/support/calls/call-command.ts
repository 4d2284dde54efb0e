import type { CallCommand, EngineCommand } from '../../../core/ports/command-bus.js';

/** The command, for a controller that alone serves an engine: it has no softphones. */
export function callCommandOf(command: EngineCommand): CallCommand {
  if (command.type === 'accept_softphone' || command.type === 'send_text')
    throw new Error('the controller has no softphones');
  return command;
}
