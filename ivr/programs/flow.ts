import { DatabaseUnavailable } from '../../core/data/errors.js';
import type { LoadedFlow } from '../../core/services/callflows/flow-cache.js';
import { Q850 } from '../../core/model/call/hangup-cause.js';
import { parseNumber } from '../../core/model/phone-numbers.js';
import { newId } from '../../core/model/ids.js';
import type { LegEvent } from '../../core/ports/engine.js';
import type {
  CallControl,
  CallProgram,
  Ending,
  ProgramSignal,
  ProgramSpec,
  Prompts,
} from '../../core/services/call-state/program.js';
import type { ConnectionState } from '../dialogue/connection.js';
import { bilingualItems } from '../dialogue/in-both.js';
import type { FlowAction, FlowActionOf, FlowOutcome } from '../flow/actions.js';
import { FlowMachine } from '../flow/machine/machine.js';
import { AskTask } from '../flow/phone/ask-task.js';
import type { FlowDeps } from '../flow/phone/deps.js';
import { DialTask } from '../flow/phone/dial-task.js';
import { OutsideTask } from '../flow/phone/outside-task.js';
import { PlayTask } from '../flow/phone/play-task.js';
import { soundOf } from '../flow/phone/sound.js';
import type { Task } from '../flow/phone/task.js';
import { stateAtStart, type FlowState } from '../flow/state.js';
import { NORMAL } from './endings.js';

type Spec = Extract<ProgramSpec, { type: 'callflow' }>;

/** As it is written down with the call at each node. */
interface Saved {
  readonly [key: string]: unknown;
  readonly flow: FlowState;
  /** What plays. */
  readonly playbackId?: string;
  readonly dial?: ConnectionState;
  /** The flow cannot go on; the caller is told so. */
  readonly isOver?: true;
}

const SORRY = {
  ar: 'نعتذر، حدث خلل فني. نرجو الاتصال لاحقًا.',
  en: 'Sorry, something has gone wrong on our side. Please call again later.',
} as const;

const ENDINGS: Readonly<Record<'normal' | 'busy' | 'rejected', Ending>> = {
  normal: NORMAL,
  busy: { q850: Q850.USER_BUSY, status: 'missed', disposition: 'busy' },
  rejected: { q850: Q850.CALL_REJECTED, status: 'missed', disposition: 'rejected' },
};
const FAULT: Ending = { q850: Q850.TEMPORARY_FAILURE, status: 'failed', disposition: 'failed' };

/** Runs a version of a call flow on a telephone call: does what its machine wants done, and tells it what became of it. */
export class FlowProgram implements CallProgram {
  readonly #saved: Saved | null;
  #machine: FlowMachine | null = null;
  #task: Task | null = null;
  /** What waits until the caller is answered. */
  #unheard: FlowAction | null = null;
  #isOver = false;
  /** Of a party that was rung when the application went. */
  #dial: ConnectionState | null = null;

  constructor(
    private readonly spec: Spec,
    private readonly deps: FlowDeps,
    private readonly prompts: Prompts,
    state: Readonly<Record<string, unknown>> | null,
  ) {
    this.#saved = state as Saved | null;
  }

  async start(call: CallControl): Promise<void> {
    const { at, callflowId } = this.spec;
    const state = (at as FlowState | undefined) ?? stateAtStart(callflowId, await this.#version(call));
    await this.#go(call, this.#begin(call, state).begin());
  }

  async resume(call: CallControl): Promise<void> {
    const saved = this.#saved;
    if (!saved) return this.start(call);
    if (call.leg('customer')?.status === 'ended') return;
    if (saved.playbackId !== undefined) await call.stopPlay(saved.playbackId);
    const machine = this.#begin(call, saved.flow);
    if (saved.isOver) await this.#apologize(call);
    else {
      this.#dial = saved.dial ?? null;
      await this.#go(call, machine.begin());
    }
  }

  async onLegEvent(call: CallControl, event: LegEvent): Promise<void> {
    const customer = call.leg('customer');
    if (event.type === 'leg.answered' && event.legId === customer?.legId && this.#unheard) {
      const action = this.#unheard;
      this.#unheard = null;
      return this.#go(call, action);
    }
    const outcome = (await this.#task?.onLegEvent?.(call, event)) ?? null;
    // Who is gone hears nothing any more.
    if (event.type === 'leg.ended' && event.legId === customer?.legId) this.#task = null;
    else if (outcome) await this.#finished(call, outcome);
  }

  async onSignal(call: CallControl, signal: ProgramSignal): Promise<void> {
    if (signal.type === 'taken_away') return this.#drop(call);
    const outcome = (await this.#task?.onSignal?.(call, signal)) ?? null;
    if (outcome) await this.#finished(call, outcome);
  }

  onReplaced(call: CallControl): void {
    this.#drop(call).catch(() => call.note('flow.goes_on'));
  }

  /** 0 where none is active: such a version there never is, which is a fault that the caller is told of. */
  async #version(call: CallControl): Promise<number> {
    const { callflowId, version } = this.spec;
    return version ?? (await this.#load(call, { callflowId, version }))?.version ?? 0;
  }

  #begin(call: CallControl, state: FlowState): FlowMachine {
    const { customerNumber, customerNumberMasked, lineNumber } = call.flow.parties;
    const machine = new FlowMachine(state, {
      facts: {
        callId: call.callId,
        direction: call.direction,
        callerNumber: customerNumber ?? '',
        callerNumberMasked: customerNumberMasked,
        lineNumber: lineNumber ?? '',
      },
      now: () => this.deps.clock.now(),
      newId,
      entered: ({ callflowId, version, node }, type) =>
        call.note('flow.node', { callflow_id: callflowId, version, node, type }),
      tell: (type, data) => call.emit(type, data),
    });
    this.#machine = machine;
    return machine;
  }

  async #finished(call: CallControl, outcome: FlowOutcome): Promise<void> {
    this.#task = null;
    if (this.#isOver) await call.end(NORMAL);
    else if (this.#machine) await this.#go(call, this.#machine.next(outcome));
  }

  /** Does one thing after another until something takes time. */
  async #go(call: CallControl, first: FlowAction): Promise<void> {
    let action = first;
    for (;;) {
      const machine = this.#machine;
      if (!machine) return;
      this.#save(call, this.#dial === null ? {} : { dial: this.#dial });
      const outcome = await this.#do(call, action);
      if (!outcome) return;
      action = machine.next(outcome);
    }
  }

  /** @returns what became of it, or null where it takes time or the flow is over */
  async #do(call: CallControl, action: FlowAction): Promise<FlowOutcome | null> {
    if (HEARD.has(action.type) && !(await this.#isHeard(call, action))) return null;
    switch (action.type) {
      case 'load':
        return { type: 'loaded', flow: await this.#load(call, action) };
      case 'play': {
        const sound = await soundOf(call, action.items, this.prompts, this.deps);
        return this.#start(call, new PlayTask(sound, action.loop, (playbackId) => this.#save(call, { playbackId })));
      }
      case 'ask':
        return this.#start(call, new AskTask(action, await soundOf(call, action.prompt, this.prompts, this.deps)));
      case 'dial': {
        const saved = this.#dial;
        this.#dial = null;
        return this.#start(call, new DialTask(action, saved, (state) => this.#save(call, { dial: state })));
      }
      case 'http':
        return this.#outside(
          call,
          async (projectId) => ({ type: 'responded', ...(await this.deps.requests.send(projectId, action)) }),
          { type: 'responded', status: null, body: '' },
        );
      case 'send_code':
        return this.#outside(call, (projectId) => this.#sendCode(projectId, action), NOT_SENT);
      case 'check_code': {
        const { verificationId, code } = action;
        return this.#outside(
          call,
          async (projectId) => {
            const checked = await this.deps.verification.check(projectId, verificationId, code);
            return { type: 'checked', ...checked };
          },
          { type: 'checked', verified: false, isOver: true },
        );
      }
      case 'record':
        return this.#record(call, action.does);
      case 'conference':
        return (await call.flow.join(action)) ? null : { type: 'refused' };
      case 'queue': {
        const { queueId, comesBack } = action;
        return this.#handOver(call, { type: 'queue', queueId, ...(comesBack ? { orElse: this.#here() } : {}) });
      }
      case 'connect':
        return this.#handOver(call, { type: 'connect', to: action.to });
      case 'voicemail':
        return this.#voicemail(call, action.number);
      case 'end':
        return this.#end(call, ENDINGS[action.reason]);
      case 'fault':
        return this.#fault(call, action.reason);
    }
  }

  #outside(
    call: CallControl,
    work: (projectId: string) => Promise<FlowOutcome>,
    failed: FlowOutcome,
  ): Promise<FlowOutcome | null> {
    const { projectId } = call.flow.parties;
    return this.#start(call, new OutsideTask(() => work(projectId), failed));
  }

  async #sendCode(projectId: string, action: FlowActionOf<'send_code'>): Promise<FlowOutcome> {
    const flow = this.#machine?.place;
    if (!flow) return NOT_SENT;
    const sent = await this.deps.verification.send(projectId, flow, action);
    return 'refused' in sent ? { type: 'not_sent', why: sent.refused } : { type: 'verifying', ...sent };
  }

  async #voicemail(call: CallControl, number: string | null): Promise<null> {
    const { projectId, lineNumber } = call.flow.parties;
    const e164 = number === null ? lineNumber : (parseNumber(number, { allowForeign: true })?.e164 ?? null);
    const numberId = e164 === null ? null : await this.deps.numberId(projectId, e164);
    if (numberId === null) return this.#fault(call, 'there is no such voicemail box');
    return this.#handOver(call, { type: 'voicemail', numberId });
  }

  /** A flow that cannot be read now cannot be run. */
  async #load(
    call: CallControl,
    { callflowId, version }: Pick<FlowActionOf<'load'>, 'callflowId' | 'version'>,
  ): Promise<LoadedFlow | null> {
    try {
      return await this.deps.load(call.flow.parties.projectId, callflowId, version);
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable)) throw error;
      call.note('flow.unreadable', { callflow_id: callflowId });
      return null;
    }
  }

  async #start(call: CallControl, task: Task): Promise<FlowOutcome | null> {
    this.#task = task;
    const outcome = await task.start(call);
    if (outcome) this.#task = null;
    return outcome;
  }

  /** A caller who came in is answered when there is something to be heard, and not before. */
  async #isHeard(call: CallControl, action: FlowAction): Promise<boolean> {
    const customer = call.leg('customer');
    if (!customer || customer.status === 'ended') return false;
    if (customer.status === 'answered') {
      // One who waited in a queue before was not picked up yet.
      call.markAnswered();
      return true;
    }
    this.#unheard = action;
    await call.answer(customer.legId);
    return false;
  }

  /** Nobody is recorded who could not be told so where the project wants it. */
  async #record(call: CallControl, does: 'start' | 'stop' | 'pause' | 'resume'): Promise<FlowOutcome | null> {
    const customer = call.leg('customer');
    if (!customer) return null;
    const told = does === 'start' ? await this.deps.announcement(call.flow.parties.projectId) : [];
    if (told === null) {
      call.note('recording.not_announced');
      return DONE;
    }
    await call.flow.record(customer.legId, does);
    if (told.length === 0) return DONE;
    const task = new PlayTask(told, 1, (playbackId) => this.#save(call, { playbackId }));
    return this.#start(call, new Then(task, DONE));
  }

  /** The call goes on at this node when it comes back. */
  #here(): Spec {
    const { callflowId, version } = this.spec;
    return { type: 'callflow', callflowId, version, at: { ...(this.#machine?.state ?? {}) } };
  }

  async #handOver(call: CallControl, to: ProgramSpec): Promise<null> {
    this.#machine = null;
    await call.continueAs(to);
    return null;
  }

  async #end(call: CallControl, ending: Ending): Promise<null> {
    this.#machine = null;
    await call.end(ending);
    return null;
  }

  async #fault(call: CallControl, reason: string): Promise<null> {
    const place = this.#machine?.place;
    call.note('flow.fault', { node: place?.node ?? null, callflow_id: place?.callflowId ?? null, reason });
    if (call.leg('customer')?.status === 'answered') await this.#apologize(call);
    else await this.#end(call, FAULT);
    return null;
  }

  async #apologize(call: CallControl): Promise<void> {
    this.#isOver = true;
    this.#save(call, { isOver: true });
    const sorry = await bilingualItems(this.prompts, SORRY);
    const task = new PlayTask(sorry, 1, (playbackId) => this.#save(call, { isOver: true, playbackId }));
    if (await this.#start(call, task)) await this.#end(call, NORMAL);
  }

  async #drop(call: CallControl): Promise<void> {
    const task = this.#task;
    this.#task = null;
    this.#machine = null;
    this.#unheard = null;
    await task?.cancel?.(call);
  }

  #save(call: CallControl, more: Omit<Partial<Saved>, 'flow'>): void {
    if (this.#machine) call.save({ flow: this.#machine.state, ...more } satisfies Saved);
  }
}

const NOT_SENT: FlowOutcome = { type: 'not_sent', why: 'not_sent' };
const DONE: FlowOutcome = { type: 'done' };

/** What only somebody who was answered can hear or do. */
const HEARD: ReadonlySet<FlowAction['type']> = new Set(['play', 'ask', 'record', 'conference']);

/** A task whose outcome stands for another. */
class Then implements Task {
  constructor(
    private readonly task: Task,
    private readonly outcome: FlowOutcome,
  ) {}

  async start(call: CallControl): Promise<FlowOutcome | null> {
    return (await this.task.start(call)) && this.outcome;
  }

  async onLegEvent(call: CallControl, event: LegEvent): Promise<FlowOutcome | null> {
    return ((await this.task.onLegEvent?.(call, event)) ?? null) && this.outcome;
  }

  async cancel(call: CallControl): Promise<void> {
    await this.task.cancel?.(call);
  }
}
