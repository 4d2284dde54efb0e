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
  /** How often to look without being told; 1 s by default. */
  readonly pollMs?: number;
}

const PAGE = 200;
/** So long after the database came back everything that waited for it is written. */
const WRITTEN_WITHIN_MS = 300_000;
/** Ids that are looked at for late ones, at most. */
const WINDOW = 2000;

/**
 * A project's events as they are committed. {@link EventFeed.signal} makes followers in this process look at once; what other processes
 * commit is found within the poll.
 */
export class EventFeed {
  readonly #followers = new Set<Follower>();
  readonly #pollMs: number;
  /** When events were read last. */
  #readAt: Date;
  /** The latest outage of the database. */
  #outage: { readonly since: Date; readonly overAtMs: number } | null = null;

  constructor(private readonly options: EventFeedOptions) {
    this.#pollMs = options.pollMs ?? 1000;
    this.#readAt = options.clock.now();
  }

  /** Something was committed. */
  signal(): void {
    for (const follower of this.#followers) follower.signal();
  }

  /**
   * The events after `afterId` (null: from now on), each once, in the order of their ids as far as they were committed so; the events of
   * one call always in their sequence. Ends when `end` is aborted. While the database is away nothing comes.
   */
  async *follow(filter: EventFilter, afterId: string | null, end: AbortSignal): AsyncGenerator<EventRow> {
    const cursor = new EventCursor(afterId ?? lowestIdAt(this.options.clock.now()));
    const follower = new Follower(this.options.clock, this.#pollMs, end);
    this.#followers.add(follower);
    try {
      while (!end.aborted) {
        const events = await this.#look(filter.projectId, cursor);
        for (const event of events) {
          if (isWanted(event, filter)) yield event;
        }
        if (events.length === 0) await follower.wait();
      }
    } finally {
      this.#followers.delete(follower);
      follower.close();
    }
  }

  /** What is new since the last look, up to a page. */
  async #look(projectId: string, cursor: EventCursor): Promise<readonly EventRow[]> {
    const { db, clock, log } = this.options;
    cursor.expectHeldBack(this.#heldBackSince());
    try {
      // One statement for what is late and what is new: an event of a call never overtakes the one before it.
      const ids = await newestEventIds(db, projectId, cursor.lookBackFrom, WINDOW);
      const isFarBehind = ids.length === WINDOW && ids.every((id) => id > cursor.lastId);
      const events = isFarBehind
        ? await eventsAfter(db, projectId, cursor.lastId, PAGE)
        : await this.#read(cursor.unseen(ids).slice(0, PAGE));
      for (const event of events) cursor.see(event.id);
      this.#readAt = clock.now();
      return events;
    } catch (error) {
      this.#outage = {
        since: this.#heldBackSince() ?? this.#readAt,
        overAtMs: clock.monotonicMs() + WRITTEN_WITHIN_MS,
      };
      log.debug({ err: error }, 'events could not be read; they are read again');
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

function isWanted(event: EventRow, filter: EventFilter): boolean {
  return (
    (event.sandbox || !filter.sandboxOnly) &&
    (filter.callId === null || event.call_id === filter.callId) &&
    (filter.patterns === null || filter.patterns.some((pattern) => matchesEvent(pattern, event.type)))
  );
}
