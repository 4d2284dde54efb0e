import type { FlowScript, SimulationResult } from '../../../core/model/flow/script.js';
import { newId } from '../../../core/model/ids.js';
import { maskNumber } from '../../../core/model/access/masking.js';
import type { FlowAction, FlowActionOf, FlowOutcome, Spoken } from '../actions.js';
import type { LoadedFlow } from '../../../core/services/callflows/flow-cache.js';
import { FlowMachine } from './machine.js';
import { stateAtStart } from '../state.js';

/** The flow, in this version or the active one; null where there is none. */
export type LoadFlow = (callflowId: string, version: number | null) => Promise<LoadedFlow | null>;

const CALLER = '+966500000001';
const LINE = '+966110000000';

/** Runs a flow with a caller and a world out of a script: the machine of real calls, without an engine. */
export async function simulateFlow(
  flow: LoadedFlow,
  script: FlowScript,
  load: LoadFlow,
  now: Date,
): Promise<SimulationResult> {
  return new Simulation(flow, script, load, script.at === undefined ? now : new Date(script.at)).run();
}

type Ending = Pick<SimulationResult, 'ending' | 'reason' | 'handed_to'>;

class Simulation {
  readonly #machine: FlowMachine;
  readonly #path: SimulationResult['path'] = [];
  readonly #prompts: SimulationResult['prompts'] = [];
  readonly #requests: SimulationResult['requests'] = [];
  readonly #events: SimulationResult['events'] = [];
  readonly #inputs: NonNullable<FlowScript['inputs']>;
  readonly #http: NonNullable<FlowScript['http']>;
  readonly #dials: NonNullable<FlowScript['dials']>;
  readonly #queues: NonNullable<FlowScript['queues']>;
  readonly #conferences: NonNullable<FlowScript['conferences']>;
  readonly #verifications: NonNullable<FlowScript['verifications']>;
  /** The code that is right now. */
  #code: string | undefined;

  constructor(
    private readonly flow: LoadedFlow,
    private readonly script: FlowScript,
    private readonly load: LoadFlow,
    private at: Date,
  ) {
    const callId = newId();
    const { caller_number: callerNumber = CALLER, line_number: lineNumber = LINE } = script;
    const callerNumberMasked = maskNumber(callerNumber);
    const { callflowId, version } = flow;
    const state = { ...stateAtStart(callflowId, version), variables: script.variables ?? {} };
    this.#machine = new FlowMachine(state, {
      facts: { callId, direction: 'inbound', callerNumber, callerNumberMasked, lineNumber },
      now: () => this.at,
      newId,
      entered: (place, type) =>
        this.#path.push({ callflow_id: place.callflowId, version: place.version, node: place.node, type }),
      tell: (type, data) => this.#events.push({ type, data: { ...data } }),
    });
    this.#inputs = [...(script.inputs ?? [])];
    this.#http = [...(script.http ?? [])];
    this.#dials = [...(script.dials ?? [])];
    this.#queues = [...(script.queues ?? [])];
    this.#conferences = [...(script.conferences ?? [])];
    this.#verifications = [...(script.verifications ?? [])];
  }

  async run(): Promise<SimulationResult> {
    let action = this.#machine.begin();
    for (;;) {
      const done = await this.#do(action);
      if ('ending' in done) return this.#result(done);
      action = this.#machine.next(done);
    }
  }

  async #do(action: FlowAction): Promise<FlowOutcome | Ending> {
    switch (action.type) {
      case 'load':
        return { type: 'loaded', flow: await this.#loaded(action) };
      case 'play':
        return this.#hear(action.items) ?? { type: 'played' };
      case 'ask':
        return this.#hear(action.prompt) ?? this.#answer(action);
      case 'dial': {
        const status = this.#dials.shift() ?? 'answered';
        if (status !== 'answered' || action.comesBack) return { type: 'dialled', status };
        return { ending: 'talked', reason: null, handed_to: { ...action.to } };
      }
      case 'http':
        return this.#respond(action);
      case 'record':
        return { type: 'done' };
      case 'send_code': {
        const next = this.#verifications.shift();
        this.#code = next?.code;
        if (next === undefined || next.sent === false) return { type: 'not_sent', why: 'not_sent' };
        return { type: 'verifying', verificationId: newId() };
      }
      case 'check_code':
        return { type: 'checked', verified: action.code === this.#code, isOver: false };
      case 'conference':
        if (this.#conferences.shift() === 'refused') return { type: 'refused' };
        return { ending: 'conference', reason: null, handed_to: { type: 'conference', target: action.name } };
      case 'queue':
        if (this.#queues.shift() === 'not_served' && action.comesBack) return { type: 'not_served' };
        return { ending: 'queue', reason: null, handed_to: { type: 'queue', target: action.queueId } };
      case 'connect':
        return { ending: 'connect', reason: null, handed_to: { ...action.to } };
      case 'voicemail':
        return { ending: 'voicemail', reason: null, handed_to: { type: 'voicemail', target: action.number } };
      case 'end':
        return { ending: 'hangup', reason: action.reason, handed_to: null };
      case 'fault':
        return { ending: 'fault', reason: action.reason, handed_to: null };
    }
  }

  #loaded({ callflowId, version }: FlowActionOf<'load'>): Promise<LoadedFlow | null> | LoadedFlow {
    const isOwn = callflowId === this.flow.callflowId && (version === null || version === this.flow.version);
    return isOwn ? this.flow : this.load(callflowId, version);
  }

  /** @returns how the call ended, where the caller hangs up meanwhile */
  #hear(items: readonly Spoken[]): Ending | null {
    const node = this.#machine.place?.node ?? '';
    for (const item of items) {
      const isLast = this.#prompts.length === this.script.hang_up_after;
      if ('audioId' in item) this.#prompts.push({ node, text: null, language: null, audio_id: item.audioId });
      else this.#prompts.push({ node, text: item.text, language: item.language, audio_id: null });
      if (isLast) return HUNG_UP;
    }
    return null;
  }

  #answer({ maxDigits, terminator, firstDigitMs, nextDigitMs }: FlowActionOf<'ask'>): FlowOutcome | Ending {
    const input = this.#inputs.shift() ?? { silence: true };
    if ('hang_up' in input) return HUNG_UP;
    if ('silence' in input) {
      this.#pass(firstDigitMs);
      return { type: 'answered', digits: '', by: 'silence' };
    }
    const end = terminator === null ? -1 : input.digits.indexOf(terminator);
    const digits = (end < 0 ? input.digits : input.digits.slice(0, end)).slice(0, maxDigits);
    if (digits.length === maxDigits) return { type: 'answered', digits, by: 'length' };
    if (end >= 0) return { type: 'answered', digits, by: 'terminator' };
    this.#pass(nextDigitMs);
    return { type: 'answered', digits, by: 'timeout' };
  }

  #respond({ url, headers, data, timeoutMs }: FlowActionOf<'http'>): FlowOutcome {
    this.#requests.push({ node: this.#machine.place?.node ?? '', url, headers: { ...headers }, data: { ...data } });
    const answer = this.#http.shift() ?? { failure: 'timeout' };
    if ('status' in answer) {
      return { type: 'responded', status: answer.status, body: JSON.stringify(answer.body ?? null) };
    }
    this.#pass(timeoutMs);
    return { type: 'responded', status: null, body: '' };
  }

  #pass(ms: number): void {
    this.at = new Date(this.at.getTime() + ms);
  }

  #result(ending: Ending): SimulationResult {
    const { steps, variables } = this.#machine.state;
    return {
      callflow_id: this.flow.callflowId,
      version: this.flow.version,
      ...ending,
      steps,
      path: this.#path,
      prompts: this.#prompts,
      requests: this.#requests,
      variables: { ...variables },
      events: this.#events,
    };
  }
}

const HUNG_UP: Ending = { ending: 'caller_hung_up', reason: null, handed_to: null };
