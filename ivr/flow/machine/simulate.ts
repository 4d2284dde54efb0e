import { maskNumber } from '../../../core/model/access/masking.js';
import type { FlowScript, SimulationResult } from '../../../core/model/flow/script.js';
import { newId } from '../../../core/model/ids.js';
import type { LoadedFlow } from '../../../core/services/callflows/flow-cache.js';
import type { RenderedPrompt } from '../prompt.js';
import { SimulationEnd, type ScriptEntry, type ScriptList, type SimulatedCall } from '../simulated-call.js';
import { stateAtStart } from '../state.js';
import { FlowMachine } from './machine.js';

/** Loads a flow; null version: the active one. Returns null if there is none. */
type LoadFlow = (callflowId: string, version: number | null) => Promise<LoadedFlow | null>;

const CALLER = '+966500000001';
const LINE = '+966110000000';

/** Runs a flow on the machine of real calls, with a scripted caller and without an engine. */
export async function simulateFlow(
  flow: LoadedFlow,
  script: FlowScript,
  load: LoadFlow,
  now: Date,
): Promise<SimulationResult> {
  return new Simulation(flow, script, load, script.at === undefined ? now : new Date(script.at)).run();
}

class Simulation implements SimulatedCall {
  readonly memory = new Map<string, string>();
  readonly #machine: FlowMachine;
  readonly #path: SimulationResult['path'] = [];
  readonly #prompts: SimulationResult['prompts'] = [];
  readonly #requests: SimulationResult['requests'] = [];
  readonly #events: SimulationResult['events'] = [];
  readonly #unscripted: SimulationResult['unscripted'] = [];
  /** By list of the script, the number of entries that have been taken. */
  readonly #taken = new Map<ScriptList, number>();

  constructor(
    private readonly flow: LoadedFlow,
    private readonly script: FlowScript,
    private readonly loadFlow: LoadFlow,
    private now: Date,
  ) {
    const callId = newId();
    const { caller_number: callerNumber = CALLER, line_number: lineNumber = LINE } = script;
    const callerNumberMasked = maskNumber(callerNumber);
    const { callflowId, version } = flow;
    const state = { ...stateAtStart(callflowId, version), variables: script.variables ?? {} };
    this.#machine = new FlowMachine(state, {
      facts: { callId, direction: 'inbound', callerNumber, callerNumberMasked, lineNumber },
      now: () => this.now,
      newId,
      entered: (place, type) =>
        this.#path.push({ callflow_id: place.callflowId, version: place.version, node: place.node, type }),
      emit: (type, data) => this.#events.push({ type, data: { ...data } }),
    });
  }

  async run(): Promise<SimulationResult> {
    let action = this.#machine.begin();
    for (;;) {
      const outcome = await action.simulate(this);
      if (outcome instanceof SimulationEnd) return this.#result(outcome);
      action = this.#machine.next(outcome);
    }
  }

  next<K extends ScriptList>(list: K): ScriptEntry<K> | undefined {
    const index = this.#taken.get(list) ?? 0;
    this.#taken.set(list, index + 1);
    return (this.script[list] as readonly ScriptEntry<K>[] | undefined)?.[index];
  }

  assumeFailure(list: ScriptList): void {
    this.#unscripted.push({ node: this.#node, member: list });
  }

  hear(prompts: readonly RenderedPrompt[]): SimulationEnd | null {
    const node = this.#node;
    for (const prompt of prompts) {
      const isLast = this.#prompts.length === this.script.hang_up_after;
      if ('audioId' in prompt) this.#prompts.push({ node, text: null, language: null, audio_id: prompt.audioId });
      else this.#prompts.push({ node, text: prompt.text, language: prompt.language, audio_id: null });
      if (isLast) return new SimulationEnd('caller_hung_up');
    }
    return null;
  }

  pass(ms: number): void {
    this.now = new Date(this.now.getTime() + ms);
  }

  request(request: Omit<SimulationResult['requests'][number], 'node'>): void {
    this.#requests.push({ node: this.#node, ...request });
  }

  async load(callflowId: string, version: number | null): Promise<LoadedFlow | null> {
    const { flow } = this;
    const isOwn = callflowId === flow.callflowId && (version === null || version === flow.version);
    return isOwn ? flow : this.loadFlow(callflowId, version);
  }

  get #node(): string {
    return this.#machine.place?.node ?? '';
  }

  #result({ ending, reason, handedTo }: SimulationEnd): SimulationResult {
    const { steps, variables } = this.#machine.state;
    return {
      callflow_id: this.flow.callflowId,
      version: this.flow.version,
      ending,
      reason,
      handed_to: handedTo,
      steps,
      path: this.#path,
      prompts: this.#prompts,
      requests: this.#requests,
      unscripted: this.#unscripted,
      variables: { ...variables },
      events: this.#events,
    };
  }
}
