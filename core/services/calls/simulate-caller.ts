import type { Numbers } from '../../data/repositories/numbers/numbers.js';
import { invalidField } from '../../model/errors/index.js';
import { newId } from '../../model/ids.js';
import type { Clock } from '../../ports/clock.js';
import { CommandTimeout, type CommandBus, type CommandOutcome } from '../../ports/command-bus.js';
import { callFailed, noEngine } from './placement.js';
import type { PickEngine } from '../engines/pick.js';
import type { SandboxTrial } from '../sandbox/trial.js';

/** A simulated caller; numbers are in E.164. */
export interface CallerRequest {
  readonly from: string;
  /** A number of the project's sandbox. */
  readonly to: string;
  /** Pressed after the answer; `w` waits half a second. */
  readonly digits: string;
  /** After the answer. */
  readonly hangUpAfterSeconds: number;
  readonly metadata: Readonly<Record<string, string>>;
}

export interface SimulateCallerOptions {
  readonly numbers: Pick<Numbers, 'findInSandbox'>;
  readonly trial: SandboxTrial;
  readonly engines: Pick<PickEngine, 'sandbox'>;
  readonly bus: Pick<CommandBus, 'send'>;
  readonly clock: Clock;
}

/** Lets simulated callers call the numbers of a sandbox. */
export class SimulateCaller {
  constructor(private readonly options: SimulateCallerOptions) {}

  /**
   * Resolves when the number has taken the call.
   * @returns the call's id
   * @throws HatifError SANDBOX_EXPIRED, SANDBOX_MINUTES_EXCEEDED, VALIDATION_ERROR if nothing takes calls to the number
   * or the sandbox blocks the caller, CALL_FAILED
   */
  async call(
    { from, to, digits, hangUpAfterSeconds, metadata }: CallerRequest,
    { projectId, keyId, requestId }: { projectId: string; keyId: string; requestId: string },
  ): Promise<string> {
    const { numbers, trial, engines, clock } = this.options;
    await trial.assertRunning(projectId, clock.now());
    if ((await numbers.findInSandbox(projectId, to)) === null) {
      throw invalidField('to', { en: 'is not a number of your sandbox', ar: 'ليس رقمًا في بيئتك التجريبية' });
    }
    const secondsLeft = await trial.secondsLeft(projectId, clock.now());
    const engine = await engines.sandbox();
    if (!engine) throw noEngine();
    const callId = newId();
    const outcome = await this.#send(engine.id, {
      ...{ type: 'call_in', callId, projectId, from, to, digits, metadata, requestId, actor: keyId },
      hangUpAfterSeconds: Math.min(hangUpAfterSeconds, secondsLeft),
    });
    if (outcome.result === 'done') return callId;
    if (outcome.result === 'caller_blocked') {
      throw invalidField('from', {
        en: 'is on the block list of your sandbox, so the call was refused',
        ar: 'في قائمة الحظر في بيئتك التجريبية، لذا رُفضت المكالمة',
      });
    }
    if (outcome.result !== 'no_route') throw noEngine();
    throw invalidField('to', {
      en: 'nothing takes calls to this number: bind it to a flow, an agent or its voicemail box',
      ar: 'لا شيء يستقبل المكالمات إلى هذا الرقم: اربطه بمسار مكالمات أو موظف أو ببريده الصوتي',
    });
  }

  async #send(engineId: string, command: Parameters<CommandBus['send']>[1]): Promise<CommandOutcome> {
    try {
      return await this.options.bus.send(engineId, command);
    } catch (error) {
      if (!(error instanceof CommandTimeout)) throw error;
      throw callFailed('the simulator did not answer', 'لم يستجب المحاكي', error);
    }
  }
}
