import type { Database } from '../../data/database.js';
import { eventsAfter, eventsByIds, newestEventIds } from '../../data/repositories/calls/events.js';
import type { EventRow } from '../../data/rows.js';
import type { Clock, Timer } from '../../ports/clock.js';
import type { EventCursor } from './cursor.js';

export interface ProjectFeedOptions {
  readonly db: Database;
  readonly clock: Clock;
  readonly projectId: string;
  /** How often to read without a signal. */
  readonly pollMs: number;
  /** Events generated since then may still be committed, because they waited for the database. */
  readonly heldBackSince: () => Date | null;
  readonly onRead: () => void;
  readonly onFailure: (error: unknown) => void;
}

const PAGE_SIZE = 200;
/** Maximum number of recent ids to check for late commits. */
const WINDOW = 2000;

/** One follower of a project. */
export interface Subscriber {
  readonly cursor: EventCursor;
  /** Waits for events; null while the follower handles some. */
  deliver: ((events: readonly EventRow[]) => void) | null;
  /** The last read that it took part in. */
  read: number;
  /** Whether it has seen everything that this read found. */
  hasAll: boolean;
}

/**
 * Reads a project's events once for all its followers in this process. Each follower has its own position; those that
 * wait at the same time share the statements, wherever they are.
 */
export class ProjectFeed {
  readonly #subscribers = new Set<Subscriber>();
  /** Counts reads and signals: a follower that knows the latest number need not read at once. */
  #number = 0;
  #lastRead = { number: 0, ids: new Set<string>() };
  #isReading = false;
  #isDue = false;
  #timer: Timer | null = null;
  #turn: NodeJS.Immediate | null = null;

  constructor(private readonly options: ProjectFeedOptions) {}

  get isUnused(): boolean {
    return this.#subscribers.size === 0;
  }

  add(cursor: EventCursor): Subscriber {
    const subscriber = { cursor, deliver: null, read: 0, hasAll: false };
    this.#subscribers.add(subscriber);
    return subscriber;
  }

  /** Ends a wait of the subscriber with no events. */
  remove(subscriber: Subscriber): void {
    this.#subscribers.delete(subscriber);
    subscriber.deliver?.([]);
    subscriber.deliver = null;
    if (this.#waiting().length === 0) this.#rest();
  }

  /** Called when the project has new events. */
  signal(): void {
    this.#number += 1;
    this.#readSoon();
  }

  /** Resolves with up to one page of events that the subscriber has not seen. */
  next(subscriber: Subscriber): Promise<readonly EventRow[]> {
    return new Promise((resolve) => {
      subscriber.deliver = resolve;
      if (subscriber.hasAll && subscriber.read === this.#number) this.#readLater();
      else this.#readSoon();
    });
  }

  #waiting(): Subscriber[] {
    return [...this.#subscribers].filter(({ deliver }) => deliver !== null);
  }

  /** Followers that come in one turn of the event loop share a read. */
  #readSoon(): void {
    this.#isDue = true;
    if (!this.#isReading) this.#turn ??= setImmediate(() => void this.#readAll());
  }

  #readLater(): void {
    if (this.#isReading || this.#turn !== null) return;
    this.#timer ??= this.options.clock.after(this.options.pollMs, () => this.#readSoon());
  }

  #rest(): void {
    this.#timer?.cancel();
    this.#timer = null;
  }

  async #readAll(): Promise<void> {
    this.#isReading = true;
    this.#turn = null;
    this.#rest();
    while (this.#isDue) {
      this.#isDue = false;
      const waiting = this.#waiting();
      if (waiting.length > 0) await this.#readFor(waiting);
    }
    this.#isReading = false;
    if (this.#waiting().length > 0) this.#readLater();
  }

  async #readFor(waiting: readonly Subscriber[]): Promise<void> {
    const { options } = this;
    const number = (this.#number += 1);
    try {
      const pages = await this.#pages(waiting, number);
      options.onRead();
      for (const [index, subscriber] of waiting.entries()) {
        const events = pages[index] ?? [];
        for (const { id } of events) subscriber.cursor.see(id);
        if (events.length === 0) continue;
        subscriber.deliver?.(events);
        subscriber.deliver = null;
      }
    } catch (error) {
      options.onFailure(error);
    }
  }

  async #pages(waiting: readonly Subscriber[], number: number): Promise<readonly (readonly EventRow[])[]> {
    const { db, projectId, heldBackSince } = this.options;
    const since = heldBackSince();
    for (const { cursor } of waiting) cursor.expectHeldBack(since);
    const from = waiting.map(({ cursor }) => cursor.lookBackFrom).reduce((a, b) => (a < b ? a : b));
    // One statement finds both late and new events, so that an event of a call never overtakes the one before it.
    const ids = await newestEventIds(db, projectId, from, WINDOW);
    const oldest = ids.length === WINDOW ? (ids.at(-1) ?? '') : '';
    const before = this.#lastRead;
    const added = ids.filter((id) => !before.ids.has(id));
    const unseen = waiting.map(({ cursor, hasAll, read }) => {
      if (oldest > cursor.lastId) return null;
      const isCurrent = hasAll && read === before.number;
      return cursor.unseen((isCurrent ? added : ids).filter((id) => id > cursor.lookBackFrom));
    });
    const pages = await this.#events(waiting, unseen);
    this.#lastRead = { number, ids: new Set(ids) };
    for (const [index, subscriber] of waiting.entries()) {
      subscriber.read = number;
      subscriber.hasAll = (unseen[index]?.length ?? Infinity) <= PAGE_SIZE;
    }
    return pages;
  }

  /** @param unseen the ids for each follower; null if it is too far behind to look for late ones */
  async #events(
    waiting: readonly Subscriber[],
    unseen: readonly (readonly string[] | null)[],
  ): Promise<readonly (readonly EventRow[])[]> {
    const { db, projectId } = this.options;
    const ids = unseen.map((all) => all?.slice(0, PAGE_SIZE) ?? null);
    const rows = await this.#rows(new Set(ids.flatMap((page) => page ?? [])));
    const behind = new Map<string, readonly EventRow[]>();
    const pages: (readonly EventRow[])[] = [];
    for (const [index, { cursor }] of waiting.entries()) {
      const after = cursor.lastId;
      const page =
        ids[index]?.flatMap((id) => rows.get(id) ?? []) ??
        behind.get(after) ??
        (await eventsAfter(db, projectId, after, PAGE_SIZE));
      if (ids[index] === null) behind.set(after, page);
      pages.push(page);
    }
    return pages;
  }

  async #rows(ids: ReadonlySet<string>): Promise<ReadonlyMap<string, EventRow>> {
    const rows = ids.size === 0 ? [] : await eventsByIds(this.options.db, [...ids]);
    return new Map(rows.map((row) => [row.id, row]));
  }
}
