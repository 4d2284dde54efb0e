import type { Database } from '../../data/database.js';
import { eventsOfAgent, type EventFilter } from '../../data/repositories/calls/events.js';
import type { EventRow } from '../../data/rows.js';
import { matchesEvent } from '../../model/events/index.js';
import { lowestIdAt } from '../../model/ids.js';
import { pause, type Clock } from '../../ports/clock.js';
import type { Logger } from '../../ports/logger.js';
import { EventCursor } from './cursor.js';
import { ProjectFeed } from './project-feed.js';

export interface EventFeedOptions {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Logger;
  /** How often to poll without a signal; default 1 s. */
  readonly pollMs?: number;
}

/** Within this time after an outage, every event that waited for the database has been committed. */
const CATCH_UP_MS = 300_000;

/**
 * Streams projects' events as they are committed. Each project is read once for all its followers in this process:
 * at once after {@link EventFeed.signal}; events committed by other processes are found by polling.
 */
export class EventFeed {
  readonly #projects = new Map<string, ProjectFeed>();
  /** When events were last read successfully. */
  #readAt: Date;
  /** The most recent database outage. */
  #outage: { readonly since: Date; readonly overAtMs: number } | null = null;

  constructor(private readonly options: EventFeedOptions) {
    this.#readAt = options.clock.now();
  }

  /** Called after events of these projects were committed. */
  signal(projectIds: Iterable<string>): void {
    for (const projectId of projectIds) this.#projects.get(projectId)?.signal();
  }

  /**
   * Yields the events after `afterId` (null: from now on), each once. They come in the order of their ids as far as
   * they were committed in that order; the events of one call always come in sequence. Ends when `end` is aborted.
   * Yields nothing while the database is unavailable.
   */
  async *follow(filter: EventFilter, afterId: string | null, end: AbortSignal): AsyncGenerator<EventRow> {
    const { projectId } = filter;
    const project = this.#projects.get(projectId) ?? this.#open(projectId);
    const subscriber = project.add(new EventCursor(afterId ?? lowestIdAt(this.options.clock.now())));
    const stop = (): void => project.remove(subscriber);
    end.addEventListener('abort', stop, { once: true });
    try {
      while (!end.aborted) {
        for (const event of await this.#matching(await project.next(subscriber), filter, end)) yield event;
      }
    } finally {
      end.removeEventListener('abort', stop);
      stop();
      if (project.isUnused && this.#projects.get(projectId) === project) this.#projects.delete(projectId);
    }
  }

  async #matching(events: readonly EventRow[], filter: EventFilter, end: AbortSignal): Promise<readonly EventRow[]> {
    const matching = events.filter((event) => matchesFilter(event, filter));
    const { agent = null } = filter;
    if (agent === null || matching.length === 0) return matching;
    const ids = matching.map(({ id }) => id);
    while (!end.aborted) {
      try {
        const own = await eventsOfAgent(this.options.db, filter.projectId, agent, ids);
        return matching.filter(({ id }) => own.has(id));
      } catch (error) {
        this.options.log.debug({ err: error }, 'failed to read whose events these are; will retry');
        await pause(this.options.clock, this.#pollMs);
      }
    }
    return [];
  }

  #open(projectId: string): ProjectFeed {
    const { db, clock, log } = this.options;
    const pollMs = this.#pollMs;
    const project = new ProjectFeed({
      db,
      clock,
      projectId,
      pollMs,
      heldBackSince: () => this.#heldBackSince(),
      onRead: () => (this.#readAt = clock.now()),
      onFailure: (error) => {
        this.#outage = {
          since: this.#heldBackSince() ?? this.#readAt,
          overAtMs: clock.monotonicMs() + CATCH_UP_MS,
        };
        log.debug({ err: error }, 'failed to read events; will retry');
      },
    });
    this.#projects.set(projectId, project);
    return project;
  }

  get #pollMs(): number {
    return this.options.pollMs ?? 1000;
  }

  #heldBackSince(): Date | null {
    return this.#outage && this.options.clock.monotonicMs() < this.#outage.overAtMs ? this.#outage.since : null;
  }
}

function matchesFilter(event: EventRow, filter: EventFilter): boolean {
  return (
    (event.sandbox || !filter.sandboxOnly) &&
    (filter.callId === null || event.call_id === filter.callId) &&
    (filter.types?.has(event.type) ?? true) &&
    (filter.patterns === null || filter.patterns.some((pattern) => matchesEvent(pattern, event.type)))
  );
}
