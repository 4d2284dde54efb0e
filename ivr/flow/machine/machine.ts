import type { EventData, EventType } from '../../../core/model/events/index.js';
import type { FlowNode, FlowNodeType } from '../../../core/model/flow/node-types.js';
import { RETURN, type FlowPrompt } from '../../../core/model/flow/parts/fields.js';
import {
  MAX_DEPTH,
  MAX_SILENT_STEPS,
  MAX_STEPS,
  MAX_VALUE_LENGTH,
  MAX_VARIABLES,
} from '../../../core/model/flow/parts/limits.js';
import { fill } from '../../../core/model/flow/parts/template.js';
import type { LoadedFlow } from '../../../core/services/callflows/flow-cache.js';
import type { FlowAction } from '../action.js';
import { FlowError, type FlowFacts, type NodeContext, type Step } from '../node.js';
import { enterNode } from '../nodes/index.js';
import type { Outcome } from '../outcome.js';
import type { RenderedPrompt } from '../prompt.js';
import { EndAction } from '../shared/end-action.js';
import type { FlowFrame, FlowState, NodeNotes } from '../state.js';
import { FaultAction, LoadAction } from './actions.js';
import { caseAfter, speakValue } from './speak-value.js';

/** What the machine needs from its surroundings, and what it reports to them. */
export interface FlowEnvironment {
  readonly facts: FlowFacts;
  now(): Date;
  newId(): string;
  /** The call has arrived at a node. */
  entered?(place: FlowFrame, type: FlowNodeType): void;
  /** Sends an event to the customer's webhooks. */
  emit<T extends EventType>(type: T, data: EventData<T>): void;
}

/** An action without an outcome yet, and how the flow continues with it. */
interface Pending {
  readonly action: FlowAction;
  readonly onOutcome: (outcome: Outcome) => FlowAction;
}

/**
 * Runs a flow: takes the outcome of the last action and returns the next action. It performs no action and waits for nothing itself, so phone
 * calls and the simulator run flows identically. Its state is a plain value that can be saved and passed to another machine.
 */
export class FlowMachine {
  #state: FlowState;
  readonly #flows = new Map<string, LoadedFlow>();
  #pending: Pending | null = null;

  constructor(
    state: FlowState,
    private readonly environment: FlowEnvironment,
  ) {
    this.#state = state;
  }

  get state(): FlowState {
    return this.#state;
  }

  /** The flow and node that the call is at; undefined after the end of the last flow. */
  get place(): FlowFrame | undefined {
    return this.#state.frames.at(-1);
  }

  /** Starts the flow, or enters the current node again after a restart. */
  begin(): FlowAction {
    return this.#guarded(() => this.#arrive());
  }

  /** Continues with the outcome of the last action. */
  next(outcome: Outcome): FlowAction {
    return this.#guarded(() => {
      const pending = this.#pending;
      if (!pending) throw new FlowError('no action was pending');
      this.#pending = null;
      if (pending.action.isActivity?.(outcome)) this.#change({ silentSteps: 0 });
      return pending.onOutcome(outcome);
    });
  }

  #guarded(work: () => FlowAction): FlowAction {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof FlowError)) throw error;
      return new FaultAction(error.message);
    }
  }

  #await<O extends Outcome>(action: FlowAction<O>, onOutcome: (outcome: O) => FlowAction): FlowAction {
    this.#pending = { action, onOutcome: onOutcome as (outcome: Outcome) => FlowAction };
    return action;
  }

  /** Enters the current node, after loading its flow if necessary. */
  #arrive(): FlowAction {
    const { place } = this;
    if (!place) return new EndAction('normal');
    const flow = this.#flows.get(keyOf(place));
    if (!flow) {
      return this.#await(new LoadAction(place.callflowId, place.version), (loaded) => {
        this.#loaded(loaded.flow);
        return this.#arrive();
      });
    }
    if (place.node === '') this.#start(flow);
    const { node, ctx } = this.#current();
    return this.#follow(enterNode(node, ctx));
  }

  #start({ graph }: LoadedFlow): void {
    for (const [name, value] of Object.entries(graph.variables ?? {})) {
      // A variable that the calling flow has set keeps its value.
      if (!Object.hasOwn(this.#state.variables, name)) this.#set(name, this.#fill(String(value)));
    }
    this.#move(graph.start);
  }

  #follow(first: Step): FlowAction {
    let step = first;
    for (;;) {
      if ('action' in step) {
        const { action, onOutcome } = step;
        return this.#await(action, (outcome) => this.#follow(onOutcome(outcome)));
      }
      if ('enterFlow' in step) return this.#enter(step.enterFlow, step.returns);
      const isInSameFlow = this.#go(step.go);
      if (!isInSameFlow) return this.#arrive();
      const { node, ctx } = this.#current();
      step = enterNode(node, ctx);
    }
  }

  /** @returns false if the call returned to the calling flow, or if the outermost flow is over */
  #go(target: string | undefined): boolean {
    if (target === undefined) throw new FlowError('the link to the next node is missing');
    if (target !== RETURN) {
      this.#move(target);
      return true;
    }
    const frames = this.#state.frames.slice(0, -1);
    // The calling node is entered again; this note makes it continue.
    this.#change({ frames, notes: frames.length > 0 ? { returned: true } : null });
    return false;
  }

  #enter(callflowId: string, returns: boolean): FlowAction {
    if (returns && this.#state.frames.length >= MAX_DEPTH) throw new FlowError('too many flows within flows');
    return this.#await(new LoadAction(callflowId, null), (loaded) => {
      const flow = this.#loaded(loaded.flow);
      const { frames } = this.#state;
      const frame = { callflowId: flow.callflowId, version: flow.version, node: '' };
      this.#change({ frames: [...(returns ? frames : frames.slice(0, -1)), frame], notes: null });
      return this.#arrive();
    });
  }

  #loaded(flow: LoadedFlow | null): LoadedFlow {
    if (!flow) throw new FlowError('there is no such active flow');
    this.#flows.set(keyOf(flow), flow);
    return flow;
  }

  #move(node: string): void {
    const { frames, steps, silentSteps } = this.#state;
    const place = frames.at(-1);
    if (!place) throw new FlowError('the call is in no flow');
    if (steps >= MAX_STEPS) throw new FlowError(`the flow took more than ${MAX_STEPS} steps`);
    if (silentSteps >= MAX_SILENT_STEPS)
      throw new FlowError(`the flow took ${MAX_SILENT_STEPS} steps while nobody did anything`);
    const moved = { ...place, node };
    this.#change({
      frames: [...frames.slice(0, -1), moved],
      notes: null,
      steps: steps + 1,
      silentSteps: silentSteps + 1,
    });
    this.environment.entered?.(moved, this.#current().node.type);
  }

  #current(): { readonly node: FlowNode; readonly ctx: NodeContext } {
    const place = this.place;
    const graph = place && this.#flows.get(keyOf(place))?.graph;
    const node = graph && Object.hasOwn(graph.nodes, place.node) ? graph.nodes[place.node] : undefined;
    if (!node || !graph) throw new FlowError(`there is no node ${place?.node ?? ''}`);
    return { node, ctx: this.#contextOf(place, graph.language ?? 'ar') };
  }

  #contextOf({ node: id, callflowId }: FlowFrame, language: NodeContext['language']): NodeContext {
    const { environment } = this;
    const state = (): FlowState => this.#state;
    return {
      id,
      callflowId,
      language,
      facts: environment.facts,
      get now() {
        return environment.now();
      },
      get notes() {
        return state().notes;
      },
      note: (notes: NodeNotes) => this.#change({ notes }),
      variable: (name) => this.#variable(name),
      set: (name, value) => this.#set(name, value),
      fill: (template, encode) => this.#fill(template, encode),
      render: (prompts) => prompts.map((prompt) => this.#render(prompt, language)),
      newId: () => environment.newId(),
      emit: (type, data) => environment.emit(type, data),
    };
  }

  #render(prompt: FlowPrompt, flowLanguage: NodeContext['language']): RenderedPrompt {
    if ('audio_id' in prompt) return { audioId: prompt.audio_id };
    const language = prompt.language ?? flowLanguage;
    const text = fill(
      prompt.text,
      (name) => this.#variable(name),
      (value, format, before) => speakValue(value, format, language, caseAfter(before)),
    );
    return { text, language };
  }

  #fill(template: string, encode: (value: string) => string = (value) => value): string {
    return fill(template, (name) => encode(this.#variable(name)));
  }

  #variable(name: string): string {
    const { variables } = this.#state;
    if (Object.hasOwn(variables, name)) return variables[name] ?? '';
    const { facts } = this.environment;
    switch (name) {
      case 'call_id':
        return facts.callId;
      case 'caller_number':
        return facts.callerNumber;
      case 'caller_number_masked':
        return facts.callerNumberMasked;
      case 'line_number':
        return facts.lineNumber;
      case 'direction':
        return facts.direction;
      case 'now':
        return this.environment.now().toISOString();
      default:
        return '';
    }
  }

  #set(name: string, value: string): void {
    const { variables } = this.#state;
    if (!Object.hasOwn(variables, name) && Object.keys(variables).length >= MAX_VARIABLES) {
      throw new FlowError(`the flow has more than ${MAX_VARIABLES} variables`);
    }
    this.#change({ variables: { ...variables, [name]: storable(value) } });
  }

  #change(changes: Partial<FlowState>): void {
    this.#state = { ...this.#state, ...changes };
  }
}

/** PostgreSQL's jsonb can store neither NUL nor an unpaired surrogate. */
function storable(value: string): string {
  return value.slice(0, MAX_VALUE_LENGTH).replace(/[\0\p{Surrogate}]/gu, '');
}

function keyOf({ callflowId, version }: Pick<FlowFrame, 'callflowId' | 'version'>): string {
  return `${callflowId} ${version}`;
}
