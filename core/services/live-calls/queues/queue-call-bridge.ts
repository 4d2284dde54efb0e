import { DatabaseUnavailable } from '../../../data/errors.js';
import type { QueueVisits } from '../../../data/repositories/queues/queue-visits.js';
import type { QueueRow } from '../../../data/rows.js';
import type { Dispatcher } from '../../../model/queue/dispatcher.js';
import type { CallerEntry, OfferFailure, VisitOutcome } from '../../../model/queue/types.js';
import type { Clock } from '../../../ports/clock.js';
import type { MediaItem } from '../../../ports/engine.js';
import type { Logger } from '../../../ports/logger.js';
import type { OnwardRouter } from '../routing/onward.js';
import type { ProgramSignal, ProgramSpec } from '../../call-state/program.js';
import type { QueueCoordinator } from '../../queues/coordinator.js';
import { aboutQueue } from '../../queues/facts.js';

/** Where calls are told what no leg tells: the conductor of an engine. */
export interface CallSignals {
  /** @returns false where the call is not in its hands */
  signal(callId: string, signal: ProgramSignal): boolean;
}

export interface QueueCallBridgeOptions {
  readonly coordinator: QueueCoordinator;
  /** Also one that was removed. */
  readonly queue: (queueId: string) => Promise<QueueRow | null>;
  readonly visits: Pick<QueueVisits, 'outcome'>;
  /** What callers are told before they are recorded; null when it cannot be said. */
  readonly announcement: (projectId: string) => Promise<readonly MediaItem[] | null>;
  readonly onward: Pick<OnwardRouter, 'to'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A caller, in whose name something is told. */
export interface Caller {
  readonly projectId: string;
  readonly callId: string;
}

/** How a caller's wait looks. */
export interface WaitStatus {
  readonly position: number;
  /** Null where nothing is known of how long talks last. */
  readonly expectedWaitMs: number | null;
}

/** How a caller stands with the dispatcher: waits, was sent on (or taken) with that outcome, or never came. */
export type CallerStatus = { readonly entry: Readonly<CallerEntry> } | { readonly outcome: VisitOutcome } | null;

/** Where callers in this process's hands and the dispatchers meet: offers come to the calls, and what becomes of them goes back. */
export class QueueCallBridge {
  readonly #conductors = new Set<CallSignals>();
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

  /** From here on this conductor's calls are served. @returns how to end that */
  attach(conductor: CallSignals): () => void {
    this.#conductors.add(conductor);
    return () => this.#conductors.delete(conductor);
  }

  /** Null where there never was such a queue, or it cannot be found out. */
  queue(queueId: string): Promise<QueueRow | null> {
    return this.#ifThere(this.options.queue(queueId));
  }

  announcement(projectId: string): Promise<readonly MediaItem[] | null> {
    return this.#ifThere(this.options.announcement(projectId));
  }

  /** What callers become who are not answered; null: nothing is there for them. */
  overflow({ project_id: projectId, overflow }: QueueRow): Promise<ProgramSpec | null> {
    return this.#ifThere(this.options.onward.to(projectId, overflow));
  }

  enter({ projectId, callId }: Caller, queue: QueueRow): void {
    this.options.coordinator.tellSurely(projectId, (dispatcher) => [
      ...(queue.removed_at === null ? aboutQueue(dispatcher, queue) : []),
      ...(dispatcher.caller(callId) ? [] : [{ type: 'entered', callId, queueId: queue.id } as const]),
    ]);
  }

  refused({ projectId, callId }: Caller, agent: string, reason: OfferFailure): void {
    this.options.coordinator.tellSurely(projectId, (dispatcher) =>
      dispatcher.caller(callId)?.agents.includes(agent) ? [{ type: 'refused', callId, agent, reason }] : [],
    );
  }

  answered({ projectId, callId }: Caller, agent: string, legId: string): void {
    this.options.coordinator.tellSurely(projectId, (dispatcher) =>
      dispatcher.caller(callId) ? [{ type: 'answered', callId, agent, legId }] : [],
    );
  }

  left({ projectId, callId }: Caller): void {
    this.options.coordinator.tellSurely(projectId, (dispatcher) =>
      dispatcher.caller(callId) ? [{ type: 'left', callId }] : [],
    );
  }

  /** @param since when the caller came. @throws DatabaseUnavailable */
  async place({ projectId, callId }: Caller, queueId: string, since: number): Promise<CallerStatus> {
    const entry = (await this.options.coordinator.view(projectId)).caller(callId);
    if (entry) return { entry };
    // The stay is written down after the caller has come.
    const outcome = await this.options.visits.outcome(callId, queueId, new Date(since));
    return outcome === undefined || outcome === null ? null : { outcome };
  }

  /** Null for one who does not wait, as far as is known here. */
  standing({ projectId, callId }: Caller): WaitStatus | null {
    const dispatcher = this.options.coordinator.known(projectId);
    const caller = dispatcher?.caller(callId);
    if (!dispatcher || !caller) return null;
    const position = dispatcher.waiting(caller.queueId).findIndex((other) => other.callId === callId) + 1;
    return { position, expectedWaitMs: expectedWaitMs(dispatcher, caller.queueId, position) };
  }

  stop(): void {
    this.#stopListening();
  }

  async #ifThere<T>(asked: Promise<T>): Promise<T | null> {
    try {
      return await asked;
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable)) throw error;
      this.options.logger.warn({ err: error }, 'a queue goes on without what the database knows');
      return null;
    }
  }

  #signal(callId: string, signal: ProgramSignal): void {
    for (const conductor of this.#conductors) if (conductor.signal(callId, signal)) return;
  }
}

/** Everybody before is served by whoever is signed in and not away, each for as long as talks lasted of late. */
function expectedWaitMs(dispatcher: Dispatcher, queueId: string, position: number): number | null {
  const queue = dispatcher.queue(queueId);
  const serving = dispatcher.agents.filter(
    ({ state, paused, memberships }) =>
      state !== 'unavailable' &&
      paused === null &&
      memberships.some((membership) => membership.queueId === queueId && membership.isIn),
  ).length;
  if (queue?.averageTalkMs == null || serving === 0) return null;
  return Math.round(((queue.averageTalkMs + queue.rules.wrapUpSeconds * 1000) * position) / serving);
}
