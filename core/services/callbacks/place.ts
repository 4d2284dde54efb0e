import type { Numbers } from '../../data/repositories/numbers/numbers.js';
import type { ProjectKind } from '../../data/repositories/project-kind.js';
import type { CallRow, Destination as DestinationRow, QueueRow } from '../../data/rows.js';
import { invalidField, type HatifError } from '../../model/errors/index.js';
import type { Skills } from '../../model/queue/skills.js';
import type { Clock } from '../../ports/clock.js';
import { boundProgram, type ActiveFlows } from '../call-state/bound-program.js';
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
import { SANDBOX_AGENT } from '../sandbox/agent.js';
import type { SandboxDestinations } from '../sandbox/destinations.js';
import type { SandboxTrial } from '../sandbox/trial.js';
import type { CallbackQueues, QueueReference } from './queue.js';

/** A customer to call back; numbers are already in E.164. */
export interface CallbackRequest extends Pick<
  NewCall,
  'to' | 'callerIdNumber' | 'callerIdName' | 'webhookUrl' | 'metadata'
> {
  /** The queue whose agents call; null connects the customer with the project's default destination. */
  readonly queue: QueueReference | null;
  /** What the agent must be able to do besides the skills that the queue requires. */
  readonly requiredSkills?: Skills | undefined;
  /** The flow that the customer reaches instead of the project's default destination; not with a queue. */
  readonly callflowId: string | null;
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
  /** Returns the active version; null if the project has no such active flow of this kind. */
  readonly activeFlow: (of: ProjectKind, callflowId: string) => Promise<{ readonly version: number } | null>;
  /** Limits calls of the sandbox, which do not pass the gate. */
  readonly velocity: CallVelocity;
  readonly routing: Routing;
  readonly trial: SandboxTrial;
  readonly destinations: Pick<SandboxDestinations, 'check'>;
  readonly numbers: Pick<Numbers, 'findInSandbox'>;
  readonly clock: Clock;
  readonly engines: Pick<PickEngine, 'live' | 'sandbox'>;
  /** @throws HatifError if webhooks may not be sent to the URL. */
  readonly checkWebhookUrl: (url: string) => void;
}

const RING_SECONDS = 45;
const MAX_DURATION_SECONDS = 14_400;

/**
 * Places callbacks. With a queue, the call rings an agent first and then the customer; if the queue's `callback_mode`
 * is `customer_first`, it rings the customer, who then waits for an agent. Without a queue, the customer is rung and
 * connected with the flow of the request, or with the project's default destination. A callback is a call of the kind `callback` and has the call's id.
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
    const program = queue
      ? queueProgram(queue, request)
      : ((await this.#flow(request, placer)) ?? (await this.#defaultProgram(placer)));
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
    const { trial, destinations, clock, engines, queues } = this.options;
    await trial.assertRunning(placer.projectId, clock.now());
    const queue = request.queue && (await queues.getServed(placer.projectId, request.queue));
    const flow = await this.#flow(request, placer);
    await this.#checkCallerId(request, placer);
    const { ringTimeoutSeconds } = await destinations.check(request.to, placer);
    this.#checkWebhookUrl(request);
    await this.options.velocity.take({ ...placer, to: request.to });
    const secondsLeft = await trial.secondsLeft(placer.projectId, clock.now());
    const engine = await engines.sandbox();
    if (!engine) throw noEngine();
    const program = queue ? null : (flow ?? (await this.#sandboxProgram(placer)));
    return this.#place(request, placer, queue, {
      engineId: engine.id,
      callerIdNumber: request.callerIdNumber ?? placer.mainNumber,
      program: program ?? SANDBOX_AGENT,
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
    const { queue: _, callflowId: __, requiredSkills: ___, ...rest } = request;
    const fixed = { kind: 'callback', sandbox: placer.sandbox, sendDigits: null } as const;
    return this.options.placement.place({ ...rest, ...fixed, queueId: queue?.id ?? null, ...how }, placer, route);
  }

  /** The flow of the request, of the placer's kind. @throws HatifError VALIDATION_ERROR */
  async #flow({ callflowId }: CallbackRequest, { projectId, sandbox }: CallbackPlacer): Promise<ProgramSpec | null> {
    if (callflowId === null) return null;
    const active = await this.options.activeFlow({ projectId, sandbox }, callflowId);
    if (active) return { type: 'callflow', callflowId, version: active.version };
    throw invalidField('callflow_id', {
      en: 'is not an active call flow of this project',
      ar: 'ليس مسار مكالمات مفعّلًا في هذا المشروع',
    });
  }

  /** The default destination in the sandbox: a live flow is not run there. */
  #sandboxProgram({ projectId, defaultDestination }: CallbackPlacer): Promise<ProgramSpec | null> {
    const activeFlow = (id: string) => this.options.activeFlow({ projectId, sandbox: true }, id);
    return boundProgram(defaultDestination, { activeFlow });
  }

  /** A number of the sandbox, or as of a live call. @throws HatifError CLI_NOT_OWNED */
  async #checkCallerId({ callerIdNumber }: CallbackRequest, placer: CallbackPlacer): Promise<void> {
    const { numbers, placement } = this.options;
    if (callerIdNumber === null || (await numbers.findInSandbox(placer.projectId, callerIdNumber))) return;
    await placement.callerId(callerIdNumber, placer);
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

function queueProgram(
  { id: queueId, callback_mode: mode }: QueueRow,
  { to, requiredSkills }: CallbackRequest,
): ProgramSpec {
  const needs = requiredSkills === undefined ? {} : { requiredSkills };
  if (mode === 'customer_first') return { type: 'queue', queueId, ...needs };
  return { type: 'queue_callback', queueId, to, ringSeconds: RING_SECONDS, ...needs };
}

function noDestination(): HatifError {
  return invalidField('queue_id', {
    en: 'is required: the project has no default destination that a callback without a queue could be joined with',
    ar: 'مطلوب: لا توجد للمشروع وجهة تلقائية تُوصَل بها معاودة الاتصال من دون قائمة انتظار',
  });
}
