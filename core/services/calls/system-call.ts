import type { CallRow } from '../../data/rows.js';
import { HatifError } from '../../model/errors/index.js';
import type { Clock } from '../../ports/clock.js';
import type { PickEngine } from '../engines/pick.js';
import type { DialRoute, Routing } from '../routing/destinations.js';
import type { SandboxDestinations } from '../sandbox/destinations.js';
import type { SandboxTrial } from '../sandbox/trial.js';
import { callFailed, noEngine, noTrunk, type Placement, type Placer } from './placement.js';
import type { ProgramSpec } from '../call-state/program.js';

/** A call that the platform itself makes for a project. */
export interface SystemCallRequest {
  /** E.164. */
  readonly to: string;
  readonly program: ProgramSpec;
  readonly ringTimeoutSeconds: number;
  readonly maxDurationSeconds: number;
  /** Use the simulator, which rings nobody and costs nothing. */
  readonly sandbox: boolean;
}

type PayingPlacer = Pick<Placer, 'projectId' | 'organizationId'>;

export interface SystemCallOptions {
  readonly placement: Placement;
  readonly routing: Routing;
  readonly engines: Pick<PickEngine, 'live' | 'sandbox'>;
  readonly trial: SandboxTrial;
  readonly destinations: Pick<SandboxDestinations, 'check'>;
  readonly clock: Clock;
}

/**
 * Places calls that speak a code or ask for one. They show the project's main number, and usage and cost count them.
 * Nobody can see, control, record or transcribe them, because their audio is a secret: their ids must not leave the
 * platform.
 */
export class SystemCall {
  constructor(private readonly options: SystemCallOptions) {}

  /**
   * Checks the number, without placing a call there.
   * @throws HatifError INVALID_PHONE_NUMBER, SANDBOX_EXPIRED, SANDBOX_MINUTES_EXCEEDED, SANDBOX_DESTINATION_NOT_ALLOWED,
   * SANDBOX_SIMULATED_SERVER_ERROR
   */
  async checkNumber(to: string, placer: PayingPlacer, sandbox: boolean): Promise<void> {
    const { placement, trial, destinations, clock } = this.options;
    if (!sandbox) return placement.checkDestination(to);
    await trial.assertRunning(placer.projectId, clock.now());
    await destinations.check(to, placer);
  }

  /** Checks that a call to the number may be placed now. @throws HatifError as {@link checkNumber} and {@link LegGate.admit} */
  async check(to: string, placer: PayingPlacer, sandbox: boolean): Promise<void> {
    await this.checkNumber(to, placer, sandbox);
    if (!sandbox) await this.#admit(to, placer, false);
  }

  /** Changes nothing if it throws. @throws HatifError as {@link check}, and CALL_FAILED */
  async place(request: SystemCallRequest, placer: Placer): Promise<CallRow> {
    await this.checkNumber(request.to, placer, request.sandbox);
    return request.sandbox ? this.#simulate(request, placer) : this.#ring(request, placer);
  }

  async #ring(request: SystemCallRequest, placer: Placer): Promise<CallRow> {
    const { placement, engines } = this.options;
    const callerIdNumber = await placement.callerId(null, placer).catch(noCallerId);
    const route = await this.#admit(request.to, placer, true);
    const engine = await engines.live([route]);
    if (!engine) throw noEngine();
    if (!route) throw noTrunk();
    return this.#place(request, placer, engine.id, callerIdNumber, route);
  }

  async #simulate(request: SystemCallRequest, placer: Placer): Promise<CallRow> {
    const { trial, clock, engines } = this.options;
    const secondsLeft = await trial.secondsLeft(placer.projectId, clock.now());
    const engine = await engines.sandbox();
    if (!engine) throw noEngine();
    // The engine counts from the originate, but the trial's remaining seconds count from the answer.
    const maxDurationSeconds = Math.min(request.maxDurationSeconds, request.ringTimeoutSeconds + secondsLeft);
    return this.#place({ ...request, maxDurationSeconds }, placer, engine.id, placer.mainNumber);
  }

  async #admit(target: string, placer: PayingPlacer, isCounted: boolean): Promise<DialRoute | null> {
    const { placement, routing } = this.options;
    const to = { type: 'number', target } as const;
    const route = await routing.routeTo(placer.projectId, to);
    await placement.admit({ kind: 'outbound', to, route, isCounted }, placer);
    return route;
  }

  #place(
    request: SystemCallRequest,
    placer: Placer,
    engineId: string,
    callerIdNumber: string | null,
    route: DialRoute | null = null,
  ): Promise<CallRow> {
    const fixed = {
      kind: 'outbound',
      system: true,
      record: false,
      sendDigits: null,
      webhookUrl: null,
      metadata: {},
    } as const;
    const call = { ...request, ...fixed, engineId, callerIdNumber, callerIdName: null };
    return this.options.placement.place(call, placer, route);
  }
}

/** The request is valid even if the project has no number to show. */
function noCallerId(error: unknown): never {
  if (!(error instanceof HatifError)) throw error;
  throw callFailed('the project has no main number to call from', 'لا يوجد للمشروع رقم رئيسي للاتصال منه', error);
}
