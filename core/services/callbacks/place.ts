import type { CallRow, Destination as DestinationRow, QueueRow } from '../../data/rows.js';
import { invalidField, type HatifError } from '../../model/errors/index.js';
import type { Clock } from '../../ports/clock.js';
import { boundProgram, programOf, type ActiveFlows } from '../call-state/bound-program.js';
import {
  callerIdOf,
  callFailed,
  noEngine,
  noTrunk,
  type NewCall,
  type Placement,
  type Placer,
} from '../calls/placement.js';
import type { ProgramSpec } from '../call-state/program.js';
import type { CallVelocity } from '../dialling/velocity.js';
import type { PickEngine } from '../engines/pick.js';
import type { DialRoute, Routing } from '../routing/destinations.js';
import { sandboxDestination } from '../sandbox/destinations.js';
import type { SandboxTrial } from '../sandbox/trial.js';
import type { CallbackQueues, QueueReference } from './queue.js';

/** A customer to call back; numbers are already in E.164. */
export interface CallbackRequest extends Pick<
  NewCall,
  'to' | 'callerIdNumber' | 'callerIdName' | 'webhookUrl' | 'metadata'
> {
  /** The queue whose agents call; null connects the customer with the project's default destination. */
  readonly queue: QueueReference | null;
}

export interface CallbackPlacer extends Placer {
  /** The destination that the customer is connected with if the request has no queue. */
  readonly defaultDestination: DestinationRow | null;
  /** The simulator rings no telephone and charges nothing. */
  readonly sandbox: boolean;
}

export interface PlaceCallbackOptions {
  readonly placement: Placement;
  readonly queues: CallbackQueues;
  readonly directory: ActiveFlows;
  /** Limits calls of the sandbox, which do not pass the gate. */
  readonly velocity: CallVelocity;
  readonly routing: Routing;
  readonly trial: SandboxTrial;
  readonly clock: Clock;
  readonly engines: Pick<PickEngine, 'live' | 'sandbox'>;
  /** @throws HatifError if webhooks may not be sent to the URL. */
  readonly checkWebhookUrl: (url: string) => void;
}

const RING_SECONDS = 45;
const MAX_DURATION_SECONDS = 14_400;

/** The peer in sandbox callbacks, also for queues: their agents must stay free for real callers. */
const SANDBOX_AGENT: ProgramSpec = { type: 'connect', to: { type: 'sip', target: 'sip:agent@sandbox.invalid' } };

/**
 * Places callbacks. With a queue, the call rings an agent first and then the customer; if the queue's `callback_mode`
 * is `customer_first`, it rings the customer, who then waits for an agent. Without a queue, the customer is rung and
 * connected with the project's default destination. A callback is a call of the kind `callback` and has the call's id.
 */
export class PlaceCallback {
  constructor(private readonly options: PlaceCallbackOptions) {}

  /** Makes the same checks as an outbound call, in the same order. Nothing has changed if it throws. */
  place(request: CallbackRequest, placer: CallbackPlacer): Promise<CallRow> {
    return placer.sandbox ? this.#simulate(request, placer) : this.#ring(request, placer);
  }

  /**
   * Places a callback on the telephone network.
   * @throws HatifError VALIDATION_ERROR, WEBHOOK_URL_INVALID, those of {@link LegGate.admit}, CALL_FAILED
   */
  async #ring(request: CallbackRequest, placer: CallbackPlacer): Promise<CallRow> {
    const { placement, routing, engines, queues } = this.options;
    const queue = request.queue && (await queues.get(placer.projectId, request.queue));
    const program = queue ? queueProgram(queue, request) : await this.#defaultProgram(placer);
    if (!program) throw noDestination();
    const callerIdNumber = callerIdOf(request.callerIdNumber, placer);
    this.#checkWebhookUrl(request);
    const to = { type: 'number', target: request.to } as const;
    const route = await routing.routeTo(placer.projectId, to);
    await placement.admit({ kind: 'callback', to, route, callerIdNumber }, placer);
    const onward = program.type === 'connect' ? await routing.routeTo(placer.projectId, program.to) : null;
    const engine = await engines.live([route, onward]);
    if (!engine) throw noEngine();
    if (!route) throw noTrunk();
    if (program.type === 'connect' && !onward) {
      throw callFailed(
        'no route to the default destination of the project',
        'لا يوجد خط ربط يصل إلى الوجهة التلقائية للمشروع',
      );
    }
    const limits = { ringTimeoutSeconds: RING_SECONDS, maxDurationSeconds: MAX_DURATION_SECONDS };
    // A customer who waits hears the recording announcement in the queue, like any caller.
    const record = queue !== null && queue.record && program.type === 'queue_callback';
    const how = { ...limits, record, engineId: engine.id, callerIdNumber, program };
    return this.#place(request, placer, queue, how, route);
  }

  /** @throws HatifError SANDBOX_*, CLI_NOT_OWNED, WEBHOOK_URL_INVALID, CALL_VELOCITY_EXCEEDED, CALL_FAILED */
  async #simulate(request: CallbackRequest, placer: CallbackPlacer): Promise<CallRow> {
    const { placement, trial, clock, engines, queues } = this.options;
    await trial.assertRunning(placer.projectId, clock.now());
    const queue = request.queue && (await queues.getServed(placer.projectId, request.queue));
    if (request.callerIdNumber !== null) await placement.callerId(request.callerIdNumber, placer);
    const { ringTimeoutSeconds } = sandboxDestination(request.to);
    this.#checkWebhookUrl(request);
    await this.options.velocity.take({ ...placer, to: request.to });
    const secondsLeft = await trial.secondsLeft(placer.projectId, clock.now());
    const engine = await engines.sandbox();
    if (!engine) throw noEngine();
    const program = queue ? null : programOf(placer.defaultDestination);
    return this.#place(request, placer, queue, {
      engineId: engine.id,
      callerIdNumber: request.callerIdNumber ?? placer.mainNumber,
      program: program === null || program.type === 'queue' ? SANDBOX_AGENT : program,
      record: false,
      ringTimeoutSeconds,
      // The engine counts from the dial, the trial from the answer.
      maxDurationSeconds: Math.min(ringTimeoutSeconds + secondsLeft, MAX_DURATION_SECONDS),
    });
  }

  #place(
    request: CallbackRequest,
    placer: CallbackPlacer,
    queue: QueueRow | null,
    how: Pick<
      NewCall,
      'engineId' | 'callerIdNumber' | 'program' | 'record' | 'ringTimeoutSeconds' | 'maxDurationSeconds'
    >,
    route: DialRoute | null = null,
  ): Promise<CallRow> {
    const { queue: _, ...rest } = request;
    const fixed = { kind: 'callback', sandbox: placer.sandbox, sendDigits: null } as const;
    return this.options.placement.place({ ...rest, ...fixed, queueId: queue?.id ?? null, ...how }, placer, route);
  }

  async #defaultProgram({ projectId, defaultDestination }: CallbackPlacer): Promise<ProgramSpec | null> {
    const program = await boundProgram(defaultDestination, this.options.directory);
    if (program?.type !== 'queue') return program;
    return (await this.options.queues.find(projectId, { id: program.queueId })) ? program : null;
  }

  #checkWebhookUrl({ webhookUrl }: CallbackRequest): void {
    if (webhookUrl !== null) this.options.checkWebhookUrl(webhookUrl);
  }
}

function queueProgram({ id: queueId, callback_mode: mode }: QueueRow, { to }: CallbackRequest): ProgramSpec {
  if (mode === 'customer_first') return { type: 'queue', queueId };
  return { type: 'queue_callback', queueId, to, ringSeconds: RING_SECONDS };
}

function noDestination(): HatifError {
  return invalidField('queue_id', {
    en: 'is required: the project has no default destination that a callback without a queue could be joined with',
    ar: 'مطلوب: لا توجد للمشروع وجهة تلقائية تُوصَل بها معاودة الاتصال من دون قائمة انتظار',
  });
}
