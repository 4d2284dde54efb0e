import { DatabaseUnavailable } from '../../../data/errors.js';
import type { QueueVisits } from '../../../data/repositories/queues/queue-visits.js';
import type { QueueRow } from '../../../data/rows.js';
import type { Dispatcher } from '../../../model/queue/dispatcher.js';
import { NO_SKILLS, type Skills } from '../../../model/queue/skills.js';
import type { CallerEntry, OfferFailure, VisitOutcome } from '../../../model/queue/types.js';
import type { Clock } from '../../../ports/clock.js';
import type { MediaItem } from '../../../ports/engine.js';
import type { Logger } from '../../../ports/logger.js';
import type { OnwardRouter } from '../routing/onward.js';
import type { ProgramSignal, ProgramSpec } from '../../call-state/program.js';
import type { QueueCoordinator } from '../../queues/coordinator.js';
import { queueFacts } from '../../queues/facts.js';

/** Sends calls the signals that do not come from a leg. Implemented by an engine's call controller. */
export interface CallSignals {
  /** @returns false if this process does not own the call */
  signal(callId: string, signal: ProgramSignal): boolean;
}

export interface QueueCallBridgeOptions {
  readonly coordinator: QueueCoordinator;
  /** Also finds removed queues. */
  readonly queue: (queueId: string) => Promise<QueueRow | null>;
  readonly visits: Pick<QueueVisits, 'outcome'>;
  /** The recording announcement; null if it cannot be spoken. */
  readonly announcement: (projectId: string) => Promise<readonly MediaItem[] | null>;
  readonly onward: Pick<OnwardRouter, 'to'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Identifies a caller. */
export interface Caller {
  readonly projectId: string;
  readonly callId: string;
}

/** A caller's place and expected wait in the queue. */
export interface WaitStatus {
  readonly position: number;
  /** Null if there are no recent talk times. */
  readonly expectedWaitMs: number | null;
}

/** A caller's state in the dispatcher: waiting, gone with that outcome, or unknown (null). */
export type CallerStatus = { readonly entry: Readonly<CallerEntry> } | { readonly outcome: VisitOutcome } | null;

/**
 * Connects the live calls of this process with the dispatchers: delivers offers to the calls, and reports their
 * outcomes back.
 */
export class QueueCallBridge {
  readonly #controllers = new Set<CallSignals>();
  readonly #stopListening: () => void;

  constructor(private readonly options: QueueCallBridgeOptions) {
    this.#stopListening = options.coordinator.onDecisions((_, decisions) => {
      for (const decision of decisions) {
        if (decision.type !== 'offer' && decision.type !== 'withdraw' && decision.type !== 'overflow') continue;
        this.#signal(decision.callId, { type: 'queue', decision });
      }
    });
  }

  get now(): number {
    return this.options.clock.now().getTime();
  }

  /** Connects a call controller. @returns a function that disconnects it */
  attach(controller: CallSignals): () => void {
    this.#controllers.add(controller);
    return () => this.#controllers.delete(controller);
  }

  /** Returns null if the queue never existed or cannot be read. */
  queue(queueId: string): Promise<QueueRow | null> {
    return this.#orNull(this.options.queue(queueId));
  }

  announcement(projectId: string): Promise<readonly MediaItem[] | null> {
    return this.#orNull(this.options.announcement(projectId));
  }

  /** Returns the program for callers who were not answered, or null if there is none. */
  overflow({ project_id: projectId, overflow }: QueueRow): Promise<ProgramSpec | null> {
    return this.#orNull(this.options.onward.to(projectId, overflow));
  }

  /** @param requiredSkills what the caller needs besides the skills that the queue requires */
  enter({ projectId, callId }: Caller, queue: QueueRow, requiredSkills: Skills = NO_SKILLS): void {
    this.options.coordinator.notifyReliably(projectId, (dispatcher) => [
      ...(queue.removed_at === null ? queueFacts(dispatcher, queue) : []),
      ...(dispatcher.caller(callId) ? [] : [{ type: 'entered', callId, queueId: queue.id, requiredSkills } as const]),
    ]);
  }

  refused({ projectId, callId }: Caller, agent: string, reason: OfferFailure): void {
    this.options.coordinator.notifyReliably(projectId, (dispatcher) =>
      dispatcher.caller(callId)?.agents.includes(agent) ? [{ type: 'refused', callId, agent, reason }] : [],
    );
  }

  answered({ projectId, callId }: Caller, agent: string, legId: string): void {
    this.options.coordinator.notifyReliably(projectId, (dispatcher) =>
      dispatcher.caller(callId) ? [{ type: 'answered', callId, agent, legId }] : [],
    );
  }

  left({ projectId, callId }: Caller): void {
    this.options.coordinator.notifyReliably(projectId, (dispatcher) =>
      dispatcher.caller(callId) ? [{ type: 'left', callId }] : [],
    );
  }

  /** @param since when the caller entered the queue. @throws DatabaseUnavailable */
  async place({ projectId, callId }: Caller, queueId: string, since: number): Promise<CallerStatus> {
    const entry = (await this.options.coordinator.view(projectId)).caller(callId);
    if (entry) return { entry };
    // The queue wait is stored only after the caller has entered.
    const outcome = await this.options.visits.outcome(callId, queueId, new Date(since));
    return outcome === undefined || outcome === null ? null : { outcome };
  }

  /** Returns null if this process does not know the caller to be waiting. */
  standing({ projectId, callId }: Caller): WaitStatus | null {
    const dispatcher = this.options.coordinator.known(projectId);
    const caller = dispatcher?.caller(callId);
    if (!dispatcher || !caller) return null;
    const position = dispatcher.waiting(caller.queueId).findIndex((other) => other.callId === callId) + 1;
    return { position, expectedWaitMs: expectedWaitMs(dispatcher, caller, position) };
  }

  stop(): void {
    this.#stopListening();
  }

  async #orNull<T>(query: Promise<T>): Promise<T | null> {
    try {
      return await query;
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable)) throw error;
      this.options.logger.warn({ err: error }, 'the database is unavailable: a queue continues without it');
      return null;
    }
  }

  #signal(callId: string, signal: ProgramSignal): void {
    for (const conductor of this.#controllers) if (conductor.signal(callId, signal)) return;
  }
}

/**
 * Assumes that all signed-in, available agents with the skills that the caller needs serve the queue, each taking the
 * recent average talk time and wrap-up per caller.
 */
function expectedWaitMs(dispatcher: Dispatcher, caller: Readonly<CallerEntry>, position: number): number | null {
  const queue = dispatcher.queue(caller.queueId);
  const serving = dispatcher.agents.filter(
    (agent) => agent.state !== 'unavailable' && agent.paused === null && dispatcher.canServe(agent, caller),
  ).length;
  if (queue?.averageTalkMs == null || serving === 0) return null;
  return Math.round(((queue.averageTalkMs + queue.rules.wrapUpSeconds * 1000) * position) / serving);
}
