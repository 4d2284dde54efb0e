import { DatabaseUnavailable } from '../../data/errors.js';
import { isLockTimeout, type LogEntries, type QueueLog } from '../../data/repositories/queues/queue-log.js';
import type { Queryable } from '../../data/database.js';
import { Dispatcher } from '../../model/queue/dispatcher.js';
import { EMPTY_SNAPSHOT } from '../../model/queue/state.js';
import type { Decision, QueueEvent } from '../../model/queue/types.js';
import type { Clock, Timer } from '../../ports/clock.js';
import type { Logger } from '../../ports/logger.js';
import { SerialExecutor } from '../runtime/serial-executor.js';
import type { QueueAgentEvents } from './agent-events.js';

/** What is to be told, by what the dispatcher knows at that moment: nothing where that is known already. */
export type DispatcherInput = (dispatcher: Dispatcher) => readonly QueueEvent[];

/** Is told what was decided, in order, wherever it was decided. Must not throw. */
export type DecisionListener = (projectId: string, decisions: readonly Decision[]) => void;

/** Watches what is decided here. Must not throw. */
export interface QueueObserver {
  /** @param tookMs since the first of what was decided about was told */
  decided(decisions: readonly Decision[], tookMs: number): void;
}

export interface QueueCoordinatorOptions {
  readonly log: QueueLog;
  readonly agentEvents: QueueAgentEvents;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Lets the other processes look at once; they look by themselves, too. */
  readonly wake: (projectId: string) => void;
  /** Something is to be delivered to webhooks. */
  readonly onLanes: (lanes: readonly string[]) => void;
  readonly observer?: QueueObserver;
}

interface Request {
  readonly make: DispatcherInput;
  /** Whether it is tried until it is written. */
  readonly isSure: boolean;
  readonly toldAtMs: number;
  resolve(dispatcher: Dispatcher): void;
  reject(error: unknown): void;
}

interface Project {
  /** As far as it was read; null before, and after a write whose outcome is not known. */
  dispatcher: Dispatcher | null;
  requests: Request[];
  timer: Timer | null;
}

/** The whole state is written down after so many entries: a process that starts reads no more than that. */
const STATE_EVERY = 200;
const RETRY_MS = 500;
/** The longest wait of a timer; it looks again then. */
const LONGEST_TIMER_MS = 3_600_000;

/**
 * The dispatchers of all projects, as this process knows them. Each is a function of its log in PostgreSQL; who tells it something locks the
 * log, reads what others told it meanwhile, and appends. So every process comes to the same decisions, and none is taken twice.
 */
export class QueueCoordinator {
  readonly #projects = new Map<string, Project>();
  readonly #executor = new SerialExecutor();
  readonly #listeners = new Set<DecisionListener>();
  #ticks = false;
  #stopped = false;

  constructor(private readonly options: QueueCoordinatorOptions) {}

  /** @returns how to stop listening. */
  onDecisions(listener: DecisionListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Resolves when it is written down and decided upon.
   * @returns the dispatcher, as it is then
   * @throws DatabaseUnavailable; a lock timeout: nothing was told, or it may be told again
   */
  tell(projectId: string, make: DispatcherInput): Promise<Dispatcher> {
    return this.#request(projectId, make, false);
  }

  /** Nobody waits for it: it is tried until it is written down, after all that was told before. */
  tellSurely(projectId: string, make: DispatcherInput): void {
    this.#request(projectId, make, true).catch((error: unknown) => {
      this.options.logger.error({ err: error, projectId }, 'what happened in a queue could not be told');
    });
  }

  /** The project's dispatcher as it is now. @throws DatabaseUnavailable */
  view(projectId: string): Promise<Dispatcher> {
    return this.#executor.post(projectId, async () => {
      const project = this.#project(projectId);
      const dispatcher = await this.#catchUp(projectId, project);
      this.#schedule(projectId, project);
      return dispatcher;
    });
  }

  /** As it was last seen here, without asking. */
  known(projectId: string): Dispatcher | null {
    return this.#projects.get(projectId)?.dispatcher ?? null;
  }

  /** From here on time itself is told, too: what runs out runs out without anybody's doing. */
  startTicking(): void {
    this.#ticks = true;
    for (const [projectId, project] of this.#projects) this.#schedule(projectId, project);
  }

  /** Time has passed, if that changes anything. */
  async tick(projectId: string): Promise<void> {
    const now = this.options.clock.now().getTime();
    await this.tell(projectId, ({ dueAt }) => (dueAt !== null && dueAt <= now ? [{ type: 'tick' }] : []));
  }

  /** Resolves once nothing is on its way. */
  idle(): Promise<void> {
    return this.#executor.idle();
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
        isSure,
        toldAtMs: this.options.clock.monotonicMs(),
        resolve,
        reject,
      });
      this.#run(projectId);
    });
  }

  #run(projectId: string): void {
    this.#executor
      .post(projectId, () => this.#write(projectId))
      .catch((error: unknown) => this.options.logger.error({ err: error, projectId }, 'a queue could not be written'));
  }

  /** All that waits goes in one transaction. */
  async #write(projectId: string): Promise<void> {
    const project = this.#project(projectId);
    const requests = project.requests.splice(0);
    if (requests.length === 0) return;
    try {
      await this.#append(projectId, project, requests);
    } catch (error) {
      // What was applied here may not be what is written.
      project.dispatcher = null;
      const isToRetry = !this.#stopped && (error instanceof DatabaseUnavailable || isLockTimeout(error));
      const kept = isToRetry ? requests.filter(({ isSure }) => isSure) : [];
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
    const work = async (sequence: number, tx: Queryable): Promise<LogEntries | null> => {
      const dispatcher = await this.#catchUp(projectId, project, { tx, sequence });
      const before = dispatcher.sequence;
      const entries: LogEntries['entries'][number][] = [];
      for (const { make } of requests) {
        for (const event of make(dispatcher)) {
          const stamped = { ...event, at: clock.now().getTime() };
          const decisions = dispatcher.apply(stamped);
          entries.push({ event: stamped, decisions });
          decided.push(...decisions);
        }
      }
      if (entries.length === 0) return null;
      const { dueAt } = dispatcher;
      const isDue = Math.floor(dispatcher.sequence / STATE_EVERY) > Math.floor(before / STATE_EVERY);
      return {
        projectId,
        entries,
        sequence: dispatcher.sequence,
        dueAt: dueAt === null ? null : new Date(dueAt),
        state: isDue ? dispatcher.snapshot() : null,
        events: await agentEvents.tell(decided),
      };
    };
    const lanes = await log.write(projectId, work, EMPTY_SNAPSHOT);
    if (lanes.length > 0) onLanes(lanes);
    if (decided.length === 0) return;
    observer?.decided(decided, clock.monotonicMs() - Math.min(...requests.map(({ toldAtMs }) => toldAtMs)));
    wake(projectId);
    this.#announce(projectId, decided);
  }

  /** Reads what others told, and announces what was decided about it. @param held the lock, where it is held */
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
    for (const { sequence, event } of await log.after(projectId, dispatcher.sequence, held?.tx)) {
      // The entries between were cleared away: the state that was kept has them in it.
      if (sequence !== dispatcher.sequence + 1) {
        project.dispatcher = null;
        return this.#catchUp(projectId, project, held);
      }
      decided.push(...dispatcher.apply(event));
    }
    project.dispatcher = dispatcher;
    if (!isNew) this.#announce(projectId, decided);
    return dispatcher;
  }

  async #read(projectId: string, tx?: Queryable): Promise<Dispatcher> {
    const row = await this.options.log.state(projectId, tx);
    return new Dispatcher(row?.state);
  }

  #announce(projectId: string, decisions: readonly Decision[]): void {
    if (decisions.length === 0) return;
    for (const listener of this.#listeners) listener(projectId, decisions);
  }

  #schedule(projectId: string, project: Project): void {
    project.timer?.cancel();
    project.timer = null;
    const dueAt = project.dispatcher?.dueAt ?? null;
    if (!this.#ticks || this.#stopped || dueAt === null) return;
    const waitMs = Math.min(LONGEST_TIMER_MS, Math.max(0, dueAt - this.options.clock.now().getTime()));
    project.timer = this.options.clock.after(waitMs, () => {
      this.tick(projectId).catch((error: unknown) =>
        this.options.logger.warn({ err: error, projectId }, 'a queue was not told that time has passed'),
      );
    });
  }

  #project(projectId: string): Project {
    const known = this.#projects.get(projectId);
    if (known) return known;
    const made: Project = { dispatcher: null, requests: [], timer: null };
    this.#projects.set(projectId, made);
    return made;
  }
}
