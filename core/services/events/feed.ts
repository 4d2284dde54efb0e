import type { Database } from '../../data/database.js';
import { eventsAfter, eventsByIds, newestEventIds, type EventFilter } from '../../data/repositories/calls/events.js';
import type { EventRow } from '../../data/rows.js';
import { matchesEvent } from '../../model/events/index.js';
import { lowestIdAt } from '../../model/ids.js';
import type { Clock } from '../../ports/clock.js';
import type { Logger } from '../../ports/logger.js';
import { EventCursor } from './cursor.js';
import { Follower } from './follower.js';

export interface EventFeedOptions {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Logger;
  /** How often to poll without a signal; default 1 s. */
  readonly pollMs?: number;
}

const PAGE_SIZE = 200;
/** Within this time after an outage, every event that waited for the database has been committed. */
const CATCH_UP_MS = 300_000;
/** Maximum number of recent ids to check for late commits. */
const WINDOW = 2000;

/**
 * Streams a project's events as they are committed. {@link EventFeed.signal} makes followers in this process poll at
 * once; events committed by other processes are found by polling.
 */
export class EventFeed {
  readonly #followers = new Set<Follower>();
  readonly #pollMs: number;
  /** When events were last read successfully. */
  #readAt: Date;
  /** The most recent database outage. */
  #outage: { readonly since: Date; readonly overAtMs: number } | null = null;

  constructor(private readonly options: EventFeedOptions) {
    this.#pollMs = options.pollMs ?? 1000;
    this.#readAt = options.clock.now();
  }

  /** Called after events were committed. */
  signal(): void {
    for (const follower of this.#followers) follower.signal();
  }

  /**
   * Yields the events after `afterId` (null: from now on), each once. They come in the order of their ids as far as
   * they were committed in that order; the events of one call always come in sequence. Ends when `end` is aborted.
   * Yields nothing while the database is unavailable.
   */
  async *follow(filter: EventFilter, afterId: string | null, end: AbortSignal): AsyncGenerator<EventRow> {
    const cursor = new EventCursor(afterId ?? lowestIdAt(this.options.clock.now()));
    const follower = new Follower(this.options.clock, this.#pollMs, end);
    this.#followers.add(follower);
    try {
      while (!end.aborted) {
        const events = await this.#poll(filter.projectId, cursor);
        for (const event of events) {
          if (matchesFilter(event, filter)) yield event;
        }
        if (events.length === 0) await follower.wait();
      }
    } finally {
      this.#followers.delete(follower);
      follower.close();
    }
  }

  /** Reads up to one page of new events. */
  async #poll(projectId: string, cursor: EventCursor): Promise<readonly EventRow[]> {
    const { db, clock, log } = this.options;
    cursor.expectHeldBack(this.#heldBackSince());
    try {
      // One statement finds both late and new events, so that an event of a call never overtakes the one before it.
      const ids = await newestEventIds(db, projectId, cursor.lookBackFrom, WINDOW);
      const isFarBehind = ids.length === WINDOW && ids.every((id) => id > cursor.lastId);
      const events = isFarBehind
        ? await eventsAfter(db, projectId, cursor.lastId, PAGE_SIZE)
        : await this.#read(cursor.unseen(ids).slice(0, PAGE_SIZE));
      for (const event of events) cursor.see(event.id);
      this.#readAt = clock.now();
      return events;
    } catch (error) {
      this.#outage = {
        since: this.#heldBackSince() ?? this.#readAt,
        overAtMs: clock.monotonicMs() + CATCH_UP_MS,
      };
      log.debug({ err: error }, 'failed to read events; will retry');
      return [];
    }
  }

  #heldBackSince(): Date | null {
    return this.#outage && this.options.clock.monotonicMs() < this.#outage.overAtMs ? this.#outage.since : null;
  }

  async #read(ids: readonly string[]): Promise<readonly EventRow[]> {
    return ids.length === 0 ? [] : eventsByIds(this.options.db, ids);
  }
}

function matchesFilter(event: EventRow, filter: EventFilter): boolean {
  return (
    (event.sandbox || !filter.sandboxOnly) &&
    (filter.callId === null || event.call_id === filter.callId) &&
    (filter.patterns === null || filter.patterns.some((pattern) => matchesEvent(pattern, event.type)))
  );
}
