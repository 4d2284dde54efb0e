import { Q850 } from '../../core/model/call/hangup-cause.js';
import { newId } from '../../core/model/ids.js';
import type { LegEvent } from '../../core/ports/engine-events.js';
import type {
  CallControl,
  CallProgram,
  Ending,
  ProgramSignal,
  ProgramSpec,
  Prompts,
} from '../../core/services/call-state/program.js';
import { bilingualItems } from '../dialogue/bilingual.js';
import type { ConnectionState } from '../dialogue/connection.js';
import { NORMAL } from '../dialogue/endings.js';
import type { FlowAction } from '../flow/action.js';
import type { FlowDeps } from '../flow/deps.js';
import type { ActionProgress, FlowCall } from '../flow/flow-call.js';
import { LoadAction } from '../flow/machine/actions.js';
import { FlowMachine } from '../flow/machine/machine.js';
import type { Outcome } from '../flow/outcome.js';
import { stateAtStart, type FlowState } from '../flow/state.js';
import type { Task } from '../flow/task.js';
import { PlayTask } from '../flow/tasks/play-task.js';

type Spec = Extract<ProgramSpec, { type: 'callflow' }>;

/** What is saved with the call at each node. */
interface Saved extends ActionProgress {
  readonly [key: string]: unknown;
  readonly flow: FlowState;
  /** The flow ended with a fault, and the caller hears the apology. */
  readonly isOver?: true;
}

const APOLOGY = {
  ar: 'نعتذر، حدث خلل فني. نرجو الاتصال لاحقًا.',
  en: 'Sorry, something has gone wrong on our side. Please call again later.',
} as const;

const FAULT: Ending = { q850: Q850.TEMPORARY_FAILURE, status: 'failed', disposition: 'failed' };

/** Runs a version of a call flow on a phone call: performs the actions of its machine and passes their outcomes back. */
export class FlowProgram implements CallProgram {
  readonly #saved: Saved | null;
  #machine: FlowMachine | null = null;
  #task: Task | null = null;
  /** The action that waits until the caller is answered. */
  #awaitingAnswer: FlowAction | null = null;
  /** The flow ended with a fault, and the caller hears the apology. */
  #isOver = false;
  /** The party that was being rung when the application stopped. */
  #savedDial: ConnectionState | null = null;

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
    const { given } = call.flow.parties;
    const state = (at as FlowState | undefined) ?? stateAtStart(callflowId, await this.#version(call), given);
    await this.#run(call, this.#createMachine(call, state).begin());
  }

  async resume(call: CallControl): Promise<void> {
    const saved = this.#saved;
    if (!saved) return this.start(call);
    if (call.leg('customer')?.status === 'ended') return;
    if (saved.playbackId !== undefined) await call.stopPlay(saved.playbackId);
    const machine = this.#createMachine(call, saved.flow);
    if (saved.isOver) await this.#apologize(call);
    else {
      this.#savedDial = saved.dial ?? null;
      await this.#run(call, machine.begin());
    }
  }

  async onLegEvent(call: CallControl, event: LegEvent): Promise<void> {
    const customer = call.leg('customer');
    if (event.type === 'leg.answered' && event.legId === customer?.legId && this.#awaitingAnswer) {
      const action = this.#awaitingAnswer;
      this.#awaitingAnswer = null;
      return this.#run(call, action);
    }
    const outcome = (await this.#task?.onLegEvent?.(call, event)) ?? null;
    // The flow stops when the caller hangs up.
    if (event.type === 'leg.ended' && event.legId === customer?.legId) this.#task = null;
    else if (outcome !== null) await this.#finished(call, outcome);
  }

  async onSignal(call: CallControl, signal: ProgramSignal): Promise<void> {
    if (signal.type === 'taken_away') return this.#stop(call);
    const outcome = (await this.#task?.onSignal?.(call, signal)) ?? null;
    if (outcome !== null) await this.#finished(call, outcome);
  }

  onLegReplaced(call: CallControl, replacedLegId: string, legId: string): void {
    this.#task?.onLegReplaced?.(call, replacedLegId, legId);
  }

  onReplaced(call: CallControl): void {
    this.#stop(call).catch(() => call.note('flow.goes_on'));
  }

  /** The version to run. If none is active it is 0: no flow has that version, so the machine reports a fault. */
  async #version(call: CallControl): Promise<number> {
    const { callflowId, version } = this.spec;
    if (version !== null) return version;
    const { flow } = await new LoadAction(callflowId, null).perform({ call, deps: this.deps });
    return flow?.version ?? 0;
  }

  #createMachine(call: CallControl, state: FlowState): FlowMachine {
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
      emit: (type, data) => call.emit(type, data),
    });
    this.#machine = machine;
    return machine;
  }

  async #finished(call: CallControl, outcome: Outcome): Promise<void> {
    this.#task = null;
    if (this.#isOver) await call.end(NORMAL);
    else if (this.#machine) await this.#run(call, this.#machine.next(outcome));
  }

  /** Performs one action after another until one takes time, hands the call over or ends it. */
  async #run(call: CallControl, first: FlowAction): Promise<void> {
    let action = first;
    for (;;) {
      const machine = this.#machine;
      if (!machine) return;
      this.#save(call, this.#savedDial === null ? {} : { dial: this.#savedDial });
      if (action.needsAnswer && !(await this.#isAnswered(call, action))) return;
      const outcome = await action.perform(this.#flowCall(call));
      if (outcome === null) return;
      action = machine.next(outcome);
    }
  }

  #flowCall(call: CallControl): FlowCall {
    const { callflowId, version } = this.spec;
    return {
      call,
      deps: this.deps,
      prompts: this.prompts,
      place: this.#machine?.place,
      run: (task) => this.#start(call, task),
      save: (progress) => this.#save(call, progress),
      takeSavedDial: () => {
        const saved = this.#savedDial;
        this.#savedDial = null;
        return saved;
      },
      continuation: () => ({ type: 'callflow', callflowId, version, at: { ...(this.#machine?.state ?? {}) } }),
      continueAs: async (program) => {
        this.#machine = null;
        await call.continueAs(program);
        return null;
      },
      end: (ending) => this.#end(call, ending),
      fail: (reason) => this.#fail(call, reason),
    };
  }

  async #start<O extends Outcome>(call: CallControl, task: Task<O>): Promise<O | null> {
    this.#task = task;
    const outcome = await task.start(call);
    if (outcome !== null) this.#task = null;
    return outcome;
  }

  /** Answers an incoming call before the first action that needs it. @returns false if the action must wait for the answer */
  async #isAnswered(call: CallControl, action: FlowAction): Promise<boolean> {
    const customer = call.leg('customer');
    if (!customer || customer.status === 'ended') return false;
    if (customer.status === 'answered') {
      // The leg of a caller who comes from a queue is answered, but the call may not be marked so.
      call.markAnswered();
      return true;
    }
    this.#awaitingAnswer = action;
    await call.answer(customer.legId);
    return false;
  }

  async #end(call: CallControl, ending: Ending): Promise<null> {
    this.#machine = null;
    await call.end(ending);
    return null;
  }

  async #fail(call: CallControl, reason: string): Promise<null> {
    const place = this.#machine?.place;
    call.note('flow.fault', { node: place?.node ?? null, callflow_id: place?.callflowId ?? null, reason });
    if (call.leg('customer')?.status === 'answered') await this.#apologize(call);
    else await this.#end(call, FAULT);
    return null;
  }

  async #apologize(call: CallControl): Promise<void> {
    this.#isOver = true;
    this.#save(call, { isOver: true });
    const apology = await bilingualItems(this.prompts, APOLOGY);
    const task = new PlayTask(apology, 1, (playbackId) => this.#save(call, { isOver: true, playbackId }));
    if ((await this.#start(call, task)) !== null) await this.#end(call, NORMAL);
  }

  async #stop(call: CallControl): Promise<void> {
    const task = this.#task;
    this.#task = null;
    this.#machine = null;
    this.#awaitingAnswer = null;
    await task?.cancel?.(call);
  }

  #save(call: CallControl, progress: ActionProgress & Pick<Partial<Saved>, 'isOver'>): void {
    if (this.#machine) call.save({ flow: this.#machine.state, ...progress } satisfies Saved);
  }
}
