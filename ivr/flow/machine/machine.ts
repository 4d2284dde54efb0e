import type { EventData, EventType } from '../../../core/model/events/index.js';
import type { FlowNode, FlowNodeType } from '../../../core/model/flow/definition.js';
import {
  MAX_DEPTH,
  MAX_SILENT_STEPS,
  MAX_STEPS,
  MAX_VALUE_LENGTH,
  MAX_VARIABLES,
} from '../../../core/model/flow/limits.js';
import { RETURN, type FlowPrompt } from '../../../core/model/flow/parts.js';
import { fill } from '../../../core/model/flow/template.js';
import type { FlowAction, FlowOutcome, Spoken } from '../actions.js';
import type { LoadedFlow } from '../../../core/services/callflows/flow-cache.js';
import { enterNode, resumeNode } from './behaviours.js';
import { FlowError, type FlowFacts, type NodeContext, type Step } from '../node.js';
import { caseBehind, speakValue } from '../speak-value.js';
import type { FlowFrame, FlowState, NodeNotes } from '../state.js';

/** What a machine needs of the world, and tells it. */
export interface FlowWorld {
  readonly facts: FlowFacts;
  now(): Date;
  newId(): string;
  /** The call arrives at a node. */
  entered?(place: FlowFrame, type: FlowNodeType): void;
  tell<T extends EventType>(type: T, data: EventData<T>): void;
}

/**
 * Runs a flow: takes what became of its last action, says what to do next. It does nothing itself and waits for nothing, so a phone call and
 * the simulator run the very same flow. Its state is a value that can be kept and given to another machine.
 */
export class FlowMachine {
  #state: FlowState;
  readonly #flows = new Map<string, LoadedFlow>();
  /** A flow that is waited for, and whether the call comes back from it. */
  #entering: { readonly callflowId: string; readonly back: boolean } | null = null;

  constructor(
    state: FlowState,
    private readonly world: FlowWorld,
  ) {
    this.#state = state;
  }

  get state(): FlowState {
    return this.#state;
  }

  /** Where the call is. */
  get place(): FlowFrame | undefined {
    return this.#state.frames.at(-1);
  }

  /** Begins, or begins the node again at which the call was. */
  begin(): FlowAction {
    return this.#guarded(() => this.#arrive());
  }

  /** Goes on after what became of the last action. */
  next(outcome: FlowOutcome): FlowAction {
    return this.#guarded(() => {
      if (outcome.type === 'loaded') return this.#loaded(outcome.flow);
      if (isSomebodysDoing(outcome)) this.#change({ silentSteps: 0 });
      const { node, ctx } = this.#current();
      return this.#follow(resumeNode(node, outcome, ctx));
    });
  }

  #guarded(work: () => FlowAction): FlowAction {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof FlowError)) throw error;
      return { type: 'fault', reason: error.message };
    }
  }

  /** The node at which the call is, from its beginning. */
  #arrive(): FlowAction {
    const place = this.place;
    if (!place) return { type: 'end', reason: 'normal' };
    const flow = this.#flows.get(keyOf(place));
    if (!flow) return { type: 'load', callflowId: place.callflowId, version: place.version };
    if (place.node === '') this.#start(flow);
    const { node, ctx } = this.#current();
    return this.#follow(enterNode(node, ctx));
  }

  #start({ graph }: LoadedFlow): void {
    for (const [name, value] of Object.entries(graph.variables ?? {})) {
      // What the flow that called this one has set stays.
      if (!Object.hasOwn(this.#state.variables, name)) this.#set(name, this.#text(String(value)));
    }
    this.#move(graph.start);
  }

  #follow(first: Step): FlowAction {
    let step = first;
    for (;;) {
      if ('act' in step) return step.act;
      if ('into' in step) return this.#enter(step.into, step.back);
      const isThere = this.#go(step.go);
      if (!isThere) return this.#arrive();
      const { node, ctx } = this.#current();
      step = enterNode(node, ctx);
    }
  }

  /** @returns false where the call came back to another flow, or to the end of all */
  #go(target: string | undefined): boolean {
    if (target === undefined) throw new FlowError('nothing says where to go on');
    if (target !== RETURN) {
      this.#move(target);
      return true;
    }
    const frames = this.#state.frames.slice(0, -1);
    // The node that called is begun anew, and sees by its notes that it did.
    this.#change({ frames, notes: frames.length > 0 ? { returned: true } : null });
    return false;
  }

  #enter(callflowId: string, back: boolean): FlowAction {
    if (back && this.#state.notes?.returned === true) {
      const { node } = this.#current();
      return this.#follow({ go: node.type === 'subflow' ? node.next : undefined });
    }
    if (back && this.#state.frames.length >= MAX_DEPTH) throw new FlowError('too many flows within flows');
    this.#entering = { callflowId, back };
    return { type: 'load', callflowId, version: null };
  }

  #loaded(flow: LoadedFlow | null): FlowAction {
    const entering = this.#entering;
    this.#entering = null;
    if (!flow) throw new FlowError('there is no such active flow');
    this.#flows.set(keyOf(flow), flow);
    if (entering) {
      const { frames } = this.#state;
      const frame = { callflowId: flow.callflowId, version: flow.version, node: '' };
      this.#change({ frames: [...(entering.back ? frames : frames.slice(0, -1)), frame], notes: null });
    }
    return this.#arrive();
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
    this.world.entered?.(moved, this.#current().node.type);
  }

  #current(): { readonly node: FlowNode; readonly ctx: NodeContext } {
    const place = this.place;
    const graph = place && this.#flows.get(keyOf(place))?.graph;
    const node = graph && Object.hasOwn(graph.nodes, place.node) ? graph.nodes[place.node] : undefined;
    if (!node || !graph) throw new FlowError(`there is no node ${place?.node ?? ''}`);
    return { node, ctx: this.#contextOf(place, graph.language ?? 'ar') };
  }

  #contextOf({ node: id, callflowId }: FlowFrame, language: NodeContext['language']): NodeContext {
    const { world } = this;
    return {
      id,
      callflowId,
      language,
      now: world.now(),
      facts: world.facts,
      notes: this.#state.notes,
      note: (notes: NodeNotes) => this.#change({ notes }),
      valueOf: (name) => this.#valueOf(name),
      set: (name, value) => this.#set(name, value),
      text: (template, encode) => this.#text(template, encode),
      spoken: (prompts) => prompts.map((prompt) => this.#spoken(prompt, language)),
      newId: () => world.newId(),
      tell: (type, data) => world.tell(type, data),
    };
  }

  #spoken(prompt: FlowPrompt, language: NodeContext['language']): Spoken {
    if ('audio_id' in prompt) return { audioId: prompt.audio_id };
    const spoken = prompt.language ?? language;
    const text = fill(
      prompt.text,
      (name) => this.#valueOf(name),
      (value, format, before) => speakValue(value, format, spoken, caseBehind(before)),
    );
    return { text, language: spoken };
  }

  #text(template: string, encode: (value: string) => string = (value) => value): string {
    return fill(template, (name) => encode(this.#valueOf(name)));
  }

  #valueOf(name: string): string {
    const { variables } = this.#state;
    if (Object.hasOwn(variables, name)) return variables[name] ?? '';
    const { facts } = this.world;
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
        return this.world.now().toISOString();
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

/** PostgreSQL's jsonb can hold neither NUL nor half of a surrogate pair. */
function storable(value: string): string {
  return value.slice(0, MAX_VALUE_LENGTH).replace(/[\0\p{Surrogate}]/gu, '');
}

function keyOf({ callflowId, version }: Pick<FlowFrame, 'callflowId' | 'version'>): string {
  return `${callflowId} ${version}`;
}

function isSomebodysDoing(outcome: FlowOutcome): boolean {
  if (outcome.type === 'answered') return outcome.by !== 'silence';
  return outcome.type === 'dialled' && outcome.status === 'answered';
}
