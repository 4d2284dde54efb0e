import type { CallProgram } from '../../core/services/call-state/program.js';

/** The call waits for commands from the API. */
export class IdleProgram implements CallProgram {
  start(): Promise<void> {
    return Promise.resolve();
  }

  resume(): Promise<void> {
    return Promise.resolve();
  }

  onLegEvent(): Promise<void> {
    return Promise.resolve();
  }
}
