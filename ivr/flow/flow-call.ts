import type { CallControl, Ending, ProgramSpec, Prompts } from '../../core/services/call-state/program.js';
import type { ConnectionState } from '../dialogue/connection.js';
import type { FlowDeps } from './deps.js';
import type { Outcome } from './outcome.js';
import type { FlowFrame } from './state.js';
import type { Task } from './task.js';

/** What an action saves with the call, so that another process can take the call over. */
export interface ActionProgress {
  /** The running playback, which the other process stops before it repeats the node. */
  readonly playbackId?: string;
  readonly dial?: ConnectionState;
}

/** A phone call that runs a flow, as an action sees it. The methods that end the flow return null: no outcome follows. */
export interface FlowCall {
  readonly call: CallControl;
  readonly deps: FlowDeps;
  readonly prompts: Prompts;
  /** The flow and node that the call is at. */
  readonly place: FlowFrame | undefined;
  /** @returns the outcome if the task finished at once, otherwise null */
  run<O extends Outcome>(task: Task<O>): Promise<O | null>;
  save(progress: ActionProgress): void;
  /** The party that was being rung when the application stopped; null on every further call. */
  takeSavedDial(): ConnectionState | null;
  /** A program that continues the flow at this node. */
  continuation(): ProgramSpec;
  /** Hands the call over to another program. */
  continueAs(program: ProgramSpec): Promise<null>;
  end(ending: Ending): Promise<null>;
  /** Ends the flow with a fault: an answered caller hears an apology before the call ends. */
  fail(reason: string): Promise<null>;
}
