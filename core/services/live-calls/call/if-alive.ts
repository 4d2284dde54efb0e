import { EngineError } from '../../../ports/engine.js';

/** A command to a leg that has just gone is no fault: its end is on the way. */
export async function ifAlive(command: Promise<void>): Promise<void> {
  try {
    await command;
  } catch (error) {
    if (!(error instanceof EngineError && error.kind === 'no_such_leg')) throw error;
  }
}
