import type { FlowScript, SimulationResult } from '../../core/model/flow/script.js';
import type { LoadedFlow } from '../../core/services/callflows/flow-cache.js';
import type { RenderedPrompt } from './prompt.js';

/** Names of the script's members that are lists. */
export type ScriptList = {
  [K in keyof FlowScript]-?: NonNullable<FlowScript[K]> extends readonly unknown[] ? K : never;
}[keyof FlowScript];
export type ScriptEntry<K extends ScriptList> = NonNullable<FlowScript[K]>[number];

/** The simulated call is over, or the flow has handed it over. */
export class SimulationEnd {
  constructor(
    readonly ending: SimulationResult['ending'],
    readonly reason: string | null = null,
    readonly handedTo: SimulationResult['handed_to'] = null,
  ) {}
}

/** A simulated call, as an action sees it. */
export interface SimulatedCall {
  /** What earlier actions of this call leave for later ones. */
  readonly memory: Map<string, string>;
  /** Takes the next entry of one of the script's lists; undefined after the last. */
  next<K extends ScriptList>(list: K): ScriptEntry<K> | undefined;
  /** Records that the script gives no outcome, and that the simulation continues as after a failure. */
  assumeFailure(list: ScriptList): void;
  /** Records prompts as heard. @returns the end of the call if the script says that the caller hangs up during one of them */
  hear(prompts: readonly RenderedPrompt[]): SimulationEnd | null;
  /** Moves the simulated clock forward. */
  pass(ms: number): void;
  /** Records a request to a customer's system. */
  request(request: Omit<SimulationResult['requests'][number], 'node'>): void;
  load(callflowId: string, version: number | null): Promise<LoadedFlow | null>;
}
