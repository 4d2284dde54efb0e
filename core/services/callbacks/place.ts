import type { CallRow, Destination as DestinationRow } from '../../data/rows.js';
import { invalidField, type HatifError } from '../../model/errors/index.js';
import type { Clock } from '../../ports/clock.js';
import { programOf } from '../calls/incoming.js';
import { callFailed, noEngine, noTrunk, type NewCall, type Placement, type Placer } from '../calls/placement.js';
import type { ProgramSpec } from '../calls/program.js';
import type { PickEngine } from '../engines/pick.js';
import type { Routing } from '../routing/destinations.js';
import { sandboxDestination } from '../sandbox/destinations.js';
import type { SandboxTrial } from '../sandbox/trial.js';

/** A customer to be called back; numbers are E.164 already. */
export type CallbackRequest = Pick<NewCall, 'to' | 'callerIdNumber' | 'callerIdName' | 'webhookUrl' | 'metadata'>;

export interface CallbackPlacer extends Placer {
  /** With whom the customer is joined. */
  readonly defaultDestination: DestinationRow | null;
  /** The simulator rings nobody and costs nothing. */
  readonly sandbox: boolean;
}

export interface PlaceCallbackOptions {
  readonly placement: Placement;
  readonly routing: Routing;
  readonly trial: SandboxTrial;
  readonly clock: Clock;
  readonly engines: Pick<PickEngine, 'live' | 'sandbox'>;
  /** @throws HatifError when the address may not be called back. */
  readonly checkWebhookUrl: (url: string) => void;
}

const RING_SECONDS = 45;
const MAX_DURATION_SECONDS = 14_400;

/** Whom a sandbox callback is joined with where the project has no default destination yet. */
const SANDBOX_AGENT: ProgramSpec = { type: 'connect', to: { type: 'sip', target: 'sip:agent@sandbox.invalid' } };

/**
 * Places callbacks: the customer is rung and, after the answer, joined with the project's default destination. A callback is a call of
 * the kind `callback`; its id is the call's.
 */
export class PlaceCallback {
  constructor(private readonly options: PlaceCallbackOptions) {}

  /** The checks are those of an outbound call, in the same order. Nothing was changed when it throws. */
  place(request: CallbackRequest, placer: CallbackPlacer): Promise<CallRow> {
    return placer.sandbox ? this.#simulate(request, placer) : this.#ring(request, placer);
  }

  /** @throws HatifError VALIDATION_ERROR, CLI_NOT_OWNED, INVALID_PHONE_NUMBER, WEBHOOK_URL_INVALID, CALL_FAILED */
  async #ring(request: CallbackRequest, placer: CallbackPlacer): Promise<CallRow> {
    const { placement, routing, engines } = this.options;
    const program = joinedWith(placer);
    if (!program) throw noDestination();
    const callerIdNumber = await placement.callerId(request.callerIdNumber, placer);
    await placement.checkDestination(request.to);
    this.#checkWebhookUrl(request);
    const route = await routing.routeTo(placer.projectId, { type: 'number', target: request.to });
    const onward = program.type === 'connect' ? await routing.routeTo(placer.projectId, program.to) : null;
    const engine = await engines.live([route, onward]);
    if (!engine) throw noEngine();
    if (!route) throw noTrunk();
    if (program.type === 'connect' && !onward) {
      throw callFailed(
        'nothing leads to the default destination of the project',
        'لا شيء يصل إلى الوجهة الافتراضية للمشروع',
      );
    }
    const limits = { ringTimeoutSeconds: RING_SECONDS, maxDurationSeconds: MAX_DURATION_SECONDS };
    return this.#place(request, placer, { ...limits, engineId: engine.id, callerIdNumber, program });
  }

  /** @throws HatifError SANDBOX_*, CLI_NOT_OWNED, WEBHOOK_URL_INVALID, CALL_FAILED */
  async #simulate(request: CallbackRequest, placer: CallbackPlacer): Promise<CallRow> {
    const { placement, trial, clock, engines } = this.options;
    await trial.assertRunning(placer.projectId, clock.now());
    if (request.callerIdNumber !== null) await placement.callerId(request.callerIdNumber, placer);
    const { ringTimeoutSeconds } = sandboxDestination(request.to);
    this.#checkWebhookUrl(request);
    const secondsLeft = await trial.secondsLeft(placer.projectId, clock.now());
    const engine = await engines.sandbox();
    if (!engine) throw noEngine();
    return this.#place(request, placer, {
      engineId: engine.id,
      callerIdNumber: request.callerIdNumber ?? placer.mainNumber,
      program: joinedWith(placer) ?? SANDBOX_AGENT,
      ringTimeoutSeconds,
      // The engine counts from the dial; what is left of the trial counts from the answer.
      maxDurationSeconds: Math.min(ringTimeoutSeconds + secondsLeft, MAX_DURATION_SECONDS),
    });
  }

  #place(
    request: CallbackRequest,
    placer: CallbackPlacer,
    how: Pick<NewCall, 'engineId' | 'callerIdNumber' | 'program' | 'ringTimeoutSeconds' | 'maxDurationSeconds'>,
  ): Promise<CallRow> {
    const { sandbox } = placer;
    const fixed = { kind: 'callback', sandbox, record: false, sendDigits: null } as const;
    return this.options.placement.place({ ...request, ...fixed, ...how }, placer);
  }

  #checkWebhookUrl({ webhookUrl }: CallbackRequest): void {
    if (webhookUrl !== null) this.options.checkWebhookUrl(webhookUrl);
  }
}

/** Callbacks of a queue are a thing of their own: a queue is no default destination. */
function joinedWith({ defaultDestination }: CallbackPlacer): ProgramSpec | null {
  const program = programOf(defaultDestination);
  return program?.type === 'queue' ? null : program;
}

function noDestination(): HatifError {
  return invalidField('queue_id', {
    en: 'is not available in this release, and the project has no default destination that a callback without a queue could be joined with',
    ar: 'غير متاح في هذا الإصدار، ولا توجد للمشروع وجهة افتراضية تُوصَل بها معاودة الاتصال من دون قائمة انتظار',
  });
}
