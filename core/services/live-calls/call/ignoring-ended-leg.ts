import { EngineError } from '../../../ports/engine.js';

/** Runs a command to a leg. Ignores `no_such_leg`: the leg has just ended, and its end event is on the way. */
export async function ignoringEndedLeg(command: Promise<void>): Promise<void> {
  try {
    await command;
  } catch (error) {
    if (!(error instanceof EngineError && error.kind === 'no_such_leg')) throw error;
  }
}
