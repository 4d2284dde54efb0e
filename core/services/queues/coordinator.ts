import { DatabaseUnavailable } from '../../data/errors.js';
import { isLockTimeout, type LogEntries, type QueueLog } from '../../data/repositories/queues/queue-log.js';
import type { Queryable } from '../../data/database.js';
import { ActivityBatch } from '../../model/queue/activity.js';
import { Dispatcher } from '../../model/queue/dispatcher.js';
import { EMPTY_SNAPSHOT } from '../../model/queue/state.js';
import type { Decision, QueueEvent } from '../../model/queue/types.js';
import type { Clock, Timer } from '../../ports/clock.js';
import type { Logger } from '../../ports/logger.js';
import { SerialExecutor } from '../runtime/serial-executor.js';
import type { QueueAgentEvents } from './agent-events.js';

/** Returns the events to apply to the dispatcher in its current state; none if it already reflects them. */
export type DispatcherInput = (dispatcher: Dispatcher) => readonly QueueEvent[];

/** Receives decisions in order, whichever process made them. Must not throw. */
export type DecisionListener = (projectId: string, decisions: readonly Decision[]) => void;

/** Is notified after events were applied, whichever process wrote them and whether or not decisions followed. Must not throw. */
export type ChangeListener = (projectId: string) => void;

/** Observes the decisions made in this process. Must not throw. */
export interface QueueObserver {
  /** @param tookMs time since the first of the underlying requests */
  decided(decisions: readonly Decision[], tookMs: number): void;
}

export interface QueueCoordinatorOptions {
  readonly log: QueueLog;
  readonly agentEvents: QueueAgentEvents;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Notifies the other processes, which also poll. */
  readonly wake: (projectId: string) => void;
  /** Called when webhook deliveries are due. */
  readonly onLanes: (lanes: readonly string[]) => void;
  readonly observer?: QueueObserver;
}

interface Request {
  readonly make: DispatcherInput;
  /** Whether the request is retried until it is written. */
  readonly isReliable: boolean;
  readonly requestedAtMs: number;
  resolve(dispatcher: Dispatcher): void;
  reject(error: unknown): void;
}

interface Project {
  /** The dispatcher as read so far; null before the first read, and after a write with an unknown outcome. */
  dispatcher: Dispatcher | null;
  requests: Request[];
  /** The sequence of the last stored snapshot that this process knows. */
  storedAt: number;
  timer: Timer | null;
}

/**
 * A full snapshot is stored after this number of entries, or after half as many as it has agents and callers: a large
 * one costs as much as hundreds of entries. A starting process reads little more than that.
 */
const STATE_EVERY = 200;
const RETRY_MS = 500;
/** The longest timer. When it fires, the next one is set. */
const LONGEST_TIMER_MS = 3_600_000;

/**
 * The dispatchers of all projects, as this process knows them. Each is a function of its log in PostgreSQL. To apply an
 * event, a process locks the log, reads the entries of other processes, and appends its own. So all processes reach the
 * same decisions, and none is made twice.
 */
export class QueueCoordinator {
  readonly #projects = new Map<string, Project>();
  readonly #executor = new SerialExecutor();
  readonly #listeners = new Set<DecisionListener>();
  readonly #changeListeners = new Set<ChangeListener>();
  #ticks = false;
  #stopped = false;
  /** Snapshots that are being stored. */
  readonly #storing = new Set<Promise<void>>();

  constructor(private readonly options: QueueCoordinatorOptions) {}

  /** @returns a function that removes the listener */
  onDecisions(listener: DecisionListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** @returns a function that removes the listener */
  onChange(listener: ChangeListener): () => void {
    this.#changeListeners.add(listener);
    return () => this.#changeListeners.delete(listener);
  }

  /**
   * Applies events. Resolves when they and the resulting decisions are stored.
   * @returns the dispatcher in its new state
   * @throws DatabaseUnavailable; a lock timeout. The events were not applied, or may be applied again
   */
  notify(projectId: string, make: DispatcherInput): Promise<Dispatcher> {
    return this.#request(projectId, make, false);
  }

  /** Applies events without being awaited: retries until they are stored, after all earlier events. */
  notifyReliably(projectId: string, make: DispatcherInput): void {
    this.#request(projectId, make, true).catch((error: unknown) => {
      this.options.logger.error({ err: error, projectId }, 'queue events could not be applied');
    });
  }

  /** Returns the project's current dispatcher. @throws DatabaseUnavailable */
  view(projectId: string): Promise<Dispatcher> {
    return this.#executor.post(projectId, async () => {
      const project = this.#project(projectId);
      const dispatcher = await this.#catchUp(projectId, project);
      this.#schedule(projectId, project);
      return dispatcher;
    });
  }

  /** Returns the dispatcher as this process last read it, without a query. */
  known(projectId: string): Dispatcher | null {
    return this.#projects.get(projectId)?.dispatcher ?? null;
  }

  /** Starts the timers, so that timeouts take effect without any other event. */
  startTicking(): void {
    this.#ticks = true;
    for (const [projectId, project] of this.#projects) this.#schedule(projectId, project);
  }

  /** Applies a `tick` event if a timeout is due. */
  async tick(projectId: string): Promise<void> {
    const now = this.options.clock.now().getTime();
    await this.notify(projectId, ({ dueAt }) => (dueAt !== null && dueAt <= now ? [{ type: 'tick' }] : []));
  }

  /** Resolves when nothing is being written. */
  async idle(): Promise<void> {
    await this.#executor.idle();
    await Promise.all(this.#storing);
  }

  stop(): Promise<void> {
    this.#stopped = true;
    for (const { timer } of this.#projects.values()) timer?.cancel();
    return this.idle();
  }

  #request(projectId: string, make: DispatcherInput, isSure: boolean): Promise<Dispatcher> {
    return new Promise((resolve, reject) => {
      this.#project(projectId).requests.push({
        make,
        isReliable: isSure,
        requestedAtMs: this.options.clock.monotonicMs(),
        resolve,
        reject,
      });
      this.#run(projectId);
    });
  }

  #run(projectId: string): void {
    this.#executor
      .post(projectId, () => this.#write(projectId))
      .catch((error: unknown) =>
        this.options.logger.error({ err: error, projectId }, 'queue events could not be written'),
      );
  }

  /** Writes all waiting requests in one transaction. */
  async #write(projectId: string): Promise<void> {
    const project = this.#project(projectId);
    const requests = project.requests.splice(0);
    if (requests.length === 0) return;
    try {
      await this.#append(projectId, project, requests);
    } catch (error) {
      // The dispatcher may differ from what is stored.
      project.dispatcher = null;
      const shouldRetry = !this.#stopped && (error instanceof DatabaseUnavailable || isLockTimeout(error));
      const kept = shouldRetry ? requests.filter(({ isReliable: isSure }) => isSure) : [];
      for (const request of requests) if (!kept.includes(request)) request.reject(error);
      if (kept.length === 0) return;
      project.requests.unshift(...kept);
      this.options.clock.after(RETRY_MS, () => this.#run(projectId));
      return;
    }
    this.#schedule(projectId, project);
    const { dispatcher } = project;
    if (dispatcher) for (const request of requests) request.resolve(dispatcher);
  }

  async #append(projectId: string, project: Project, requests: readonly Request[]): Promise<void> {
    const { log, agentEvents, clock, wake, onLanes, observer } = this.options;
    const decided: Decision[] = [];
    const entries: LogEntries['entries'][number][] = [];
    const work = async (sequence: number, tx: Queryable): Promise<LogEntries | null> => {
      const dispatcher = await this.#catchUp(projectId, project, { tx, sequence });
      const activities = new ActivityBatch();
      for (const { make } of requests) {
        for (const event of make(dispatcher)) {
          const stamped = { ...event, at: clock.now().getTime() };
          const decisions = dispatcher.apply(stamped);
          entries.push({ event: stamped, decisions });
          decided.push(...decisions);
          activities.add(stamped, decisions, dispatcher);
        }
      }
      if (entries.length === 0) return null;
      const { dueAt } = dispatcher;
      return {
        projectId,
        entries,
        sequence: dispatcher.sequence,
        dueAt: dueAt === null ? null : new Date(dueAt),
        activities,
        events: await agentEvents.eventsOf(projectId, decided),
      };
    };
    const lanes = await log.write(projectId, work, EMPTY_SNAPSHOT);
    this.#storeIfDue(projectId, project);
    if (lanes.length > 0) onLanes(lanes);
    if (entries.length > 0) this.#notifyOfChange(projectId);
    if (decided.length === 0) return;
    observer?.decided(
      decided,
      clock.monotonicMs() - Math.min(...requests.map(({ requestedAtMs: toldAtMs }) => toldAtMs)),
    );
    wake(projectId);
    this.#notifyListeners(projectId, decided);
  }

  /** Stores a snapshot beside the log, whose lock it does not hold: without it, a reader only reads more entries. */
  #storeIfDue(projectId: string, project: Project): void {
    const { dispatcher } = project;
    const every = Math.max(STATE_EVERY, Math.ceil((dispatcher?.size ?? 0) / 2));
    if (!dispatcher || dispatcher.sequence - project.storedAt < every) return;
    project.storedAt = dispatcher.sequence;
    const stored = this.options.log
      .store(projectId, dispatcher.sequence, dispatcher.serialized())
      .catch((err: unknown) => this.options.logger.warn({ err, projectId }, 'a snapshot of the queues was not stored'))
      .finally(() => this.#storing.delete(stored));
    this.#storing.add(stored);
  }

  /**
   * Applies the entries of other processes, and notifies listeners of the decisions. @param held the lock, if it is
   * held
   */
  async #catchUp(
    projectId: string,
    project: Project,
    held?: { readonly tx: Queryable; readonly sequence: number },
  ): Promise<Dispatcher> {
    const { log } = this.options;
    if (held && project.dispatcher?.sequence === held.sequence) return project.dispatcher;
    const isNew = project.dispatcher === null;
    const dispatcher = project.dispatcher ?? (await this.#read(projectId, held?.tx));
    const decided: Decision[] = [];
    const before = dispatcher.sequence;
    for (const { sequence, event } of await log.after(projectId, dispatcher.sequence, held?.tx)) {
      // Entries in between were deleted: the stored snapshot includes them.
      if (sequence !== dispatcher.sequence + 1) {
        project.dispatcher = null;
        return this.#catchUp(projectId, project, held);
      }
      decided.push(...dispatcher.apply(event));
    }
    project.dispatcher = dispatcher;
    if (!isNew) this.#notifyListeners(projectId, decided);
    if (dispatcher.sequence > before) this.#notifyOfChange(projectId);
    return dispatcher;
  }

  async #read(projectId: string, tx?: Queryable): Promise<Dispatcher> {
    const row = await this.options.log.state(projectId, tx);
    this.#project(projectId).storedAt = row?.state_sequence ?? 0;
    return new Dispatcher(row?.state);
  }

  #notifyListeners(projectId: string, decisions: readonly Decision[]): void {
    if (decisions.length === 0) return;
    for (const listener of this.#listeners) listener(projectId, decisions);
  }

  #notifyOfChange(projectId: string): void {
    for (const listener of this.#changeListeners) listener(projectId);
  }

  #schedule(projectId: string, project: Project): void {
    project.timer?.cancel();
    project.timer = null;
    const dueAt = project.dispatcher?.dueAt ?? null;
    if (!this.#ticks || this.#stopped || dueAt === null) return;
    const waitMs = Math.min(LONGEST_TIMER_MS, Math.max(0, dueAt - this.options.clock.now().getTime()));
    project.timer = this.options.clock.after(waitMs, () => {
      this.tick(projectId).catch((error: unknown) =>
        this.options.logger.warn({ err: error, projectId }, 'queue timeouts could not be applied'),
      );
    });
  }

  #project(projectId: string): Project {
    const known = this.#projects.get(projectId);
    if (known) return known;
    const made: Project = { dispatcher: null, requests: [], storedAt: 0, timer: null };
    this.#projects.set(projectId, made);
    return made;
  }
}
