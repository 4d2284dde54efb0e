import type { Database } from './database.js';
import { statementFor, type EffectMembers, type WriteOutcome, type WriteResult } from './call-statement.js';
import { DatabaseUnavailable, FencedError, FinalCallError, StaleCallError } from './errors.js';
import { recordEvent } from './outbox.js';
import type {
  CallRow,
  ChargeRow,
  ConferenceRow,
  EventRow,
  LegRow,
  ParticipantRow,
  RecordingRow,
  TimelineRow,
  TransferRow,
  VoicemailRow,
} from './rows.js';

/** All changes of one step of a call. They are written atomically. */
export interface CallEffect {
  /** Fences the writer: nothing is written if the engine has another epoch. */
  readonly fence: { readonly engineId: string; readonly epoch: number };
  /**
   * The whole row after the step; inserted or updated. Its engine and epoch are taken from the
   * fence.
   */
  readonly call: CallRow;
  /** New or changed legs. An ended leg stays ended. */
  readonly legs: readonly LegRow[];
  /** New or changed recordings. An available, failed or deleted recording stays as it is. */
  readonly recordings: readonly RecordingRow[];
  /** New or changed transfers. A finished transfer stays as it is. */
  readonly transfers: readonly TransferRow[];
  /**
   * The conference of new or changed participants, or one that ends. An ended conference stays
   * ended.
   */
  readonly conferences: readonly ConferenceRow[];
  /** Participants who joined or left. */
  readonly participants: readonly ParticipantRow[];
  /** New events, with sequences up to `call.last_sequence`. */
  readonly events: readonly EventRow[];
  /** New charges. A leg's existing charge is not changed. */
  readonly charges: readonly ChargeRow[];
  readonly timeline: readonly TimelineRow[];
  /** New messages, for recordings that are written before or with them. */
  readonly voicemails?: readonly VoicemailRow[];
}

/** A new call for an engine that another process, or no process, owns. */
export type PlacedEffect = Omit<CallEffect, 'fence'>;

export interface CallWriterOptions {
  /**
   * Minimum time from the start of a statement with several effects to the next; 12 ms by default.
   * One statement costs the database as much as five effects in it (docs/explanation/performance.md), so a busy
   * system halves its cost by waiting briefly. Effects that arrive one by one gain nothing from it:
   * they wait only for the end of the event loop's turn. The same holds for an effect for whose
   * commit a client waits, and for all effects that wait with it.
   */
  readonly spacingMs?: number;
  /** Maximum number of effects in one statement; 200 by default. */
  readonly maxBatch?: number;
}

interface Waiting {
  readonly callId: string;
  readonly events: readonly EventRow[];
  /** The call, and what fences its writer. */
  readonly head: object;
  readonly members: EffectMembers;
  readonly isAwaited: boolean;
  resolve(): void;
  reject(error: unknown): void;
}

/**
 * Batches the effects of many calls: everything that arrives in one turn of the event loop, or
 * while the previous batch is being written, goes into one statement and one commit. Effects of one
 * call are written in order of arrival, never two in one batch.
 */
export class CallWriter {
  readonly #spacingMs: number;
  readonly #maxBatch: number;
  readonly #eventListeners = new Set<(projectIds: ReadonlySet<string>) => void>();
  readonly #laneListeners = new Set<(lanes: readonly string[]) => void>();
  #waiting: Waiting[] = [];
  /** The start of the next statement: at the end of this turn of the event loop, or after the spacing. */
  #scheduled: { readonly isImmediate: boolean; cancel(): void } | null = null;
  #running: Promise<void> | null = null;
  /** Start of the last statement, by the monotonic clock. */
  #startedAtMs = -Infinity;
  /** Number of effects in the last statement. */
  #batchSize = 0;

  constructor(
    private readonly db: Database,
    options: CallWriterOptions = {},
  ) {
    this.#spacingMs = options.spacingMs ?? 12;
    this.#maxBatch = options.maxBatch ?? 200;
  }

  /**
   * Resolves when the effect is committed. A repeat of a committed effect resolves, too, and
   * changes nothing.
   * @param isAwaited a client waits for the commit
   * @throws FencedError, FinalCallError, StaleCallError: nothing was written, and a retry is
   * useless.
   * @throws DatabaseUnavailable: retry. Later effects of the same call that waited here were
   * rejected with it.
   */
  commit(effect: CallEffect, isAwaited = false): Promise<void> {
    return this.#enqueue(effect, effect.fence.engineId, effect.fence.epoch, isAwaited);
  }

  /**
   * Inserts a new call for the engine that its row names, at the engine's current epoch. A repeat
   * resolves and changes nothing, whatever the call's state. @throws FencedError if the engine does
   * not exist, DatabaseUnavailable
   */
  insertPlaced(effect: PlacedEffect): Promise<void> {
    return this.#enqueue(effect, effect.call.engine_id, null, false);
  }

  /** Writes an event that changes no call. @throws DatabaseUnavailable: retry. */
  async recordEvent(event: EventRow): Promise<void> {
    const lanes = await recordEvent(this.db, event);
    this.#notifyEvents([event]);
    this.notifyLanes(lanes);
  }

  /**
   * Calls the listener after each commit with the lanes that have new deliveries. Returns a
   * function that unsubscribes. The listener must not throw.
   */
  onLanes(listener: (lanes: readonly string[]) => void): () => void {
    this.#laneListeners.add(listener);
    return () => this.#laneListeners.delete(listener);
  }

  /**
   * Calls the listener after each commit with the projects that have new events. Returns a function
   * that unsubscribes. The listener must not throw.
   */
  onEvents(listener: (projectIds: ReadonlySet<string>) => void): () => void {
    this.#eventListeners.add(listener);
    return () => this.#eventListeners.delete(listener);
  }

  /** Resolves when nothing is waiting or being written. */
  async idle(): Promise<void> {
    while (this.#running || this.#waiting.length > 0) {
      this.#start();
      await this.#running;
    }
  }

  #enqueue(effect: PlacedEffect, engineId: string, epoch: number | null, isAwaited: boolean): Promise<void> {
    const { call, legs, recordings, transfers, conferences, participants, events, charges, timeline, voicemails } =
      effect;
    const members = { legs, recordings, transfers, conferences, participants, events, charges, timeline, voicemails };
    const head = { engine_id: engineId, epoch, call_id: call.id, call: { ...call, engine_id: engineId, epoch } };
    return new Promise((resolve, reject) => {
      this.#waiting.push({ callId: call.id, events, head, members, isAwaited, resolve, reject });
      this.#scheduleStart();
    });
  }

  #scheduleStart(): void {
    if (this.#running || this.#waiting.length === 0 || this.#scheduled?.isImmediate === true) return;
    const restMs = this.#remainingDelayMs();
    if (restMs <= 0) {
      this.#scheduled?.cancel();
      const turn = setImmediate(() => this.#start());
      this.#scheduled = { isImmediate: true, cancel: () => clearImmediate(turn) };
    } else if (!this.#scheduled) {
      const timer = setTimeout(() => this.#start(), restMs);
      this.#scheduled = { isImmediate: false, cancel: () => clearTimeout(timer) };
    }
  }

  #start(): void {
    if (this.#running || this.#waiting.length === 0) return;
    this.#scheduled?.cancel();
    this.#scheduled = null;
    this.#running = this.#writeAll().finally(() => {
      this.#running = null;
      // Covers effects that wait for their time, or arrived after the last batch resolved its callers.
      this.#scheduleStart();
    });
  }

  async #writeAll(): Promise<void> {
    do {
      this.#startedAtMs = performance.now();
      const batch = this.#take();
      this.#batchSize = batch.length;
      await this.#writeBatch(batch);
    } while (this.#waiting.length > 0 && this.#remainingDelayMs() <= 0);
  }

  /** How long the next statement still has to wait. */
  #remainingDelayMs(): number {
    if (this.#batchSize <= 1 || this.#waiting.length >= this.#maxBatch) return 0;
    if (this.#waiting.some(({ isAwaited }) => isAwaited)) return 0;
    return this.#startedAtMs + this.#spacingMs - performance.now();
  }

  /** The next batch: in order of arrival, each call once. */
  #take(): Waiting[] {
    const batch: Waiting[] = [];
    const left: Waiting[] = [];
    const calls = new Set<string>();
    for (const waiting of this.#waiting) {
      if (batch.length < this.#maxBatch && !calls.has(waiting.callId)) batch.push(waiting);
      else left.push(waiting);
      calls.add(waiting.callId);
    }
    this.#waiting = left;
    return batch;
  }

  async #writeBatch(batch: readonly Waiting[]): Promise<void> {
    let result: WriteResult | undefined;
    try {
      const statement = statementFor(batch.map(({ members }) => members));
      const json = JSON.stringify(batch.map(({ head, members }) => ({ ...head, ...members })));
      [result] = await this.db.query<WriteResult>(statement, [json], { prepared: true });
    } catch (error) {
      return this.#failed(batch, error);
    }
    const outcomes = new Map(result?.outcomes.map(({ call_id, outcome }) => [call_id, outcome]));
    for (const waiting of batch) {
      const error = errorOf(outcomes.get(waiting.callId), waiting.callId);
      if (error) waiting.reject(error);
      else waiting.resolve();
    }
    this.#notifyEvents(batch.flatMap(({ events }) => events));
    this.notifyLanes(result?.lanes ?? []);
  }

  /**
   * An unavailable database rejects the whole batch; a row that the database refuses must not fail
   * its neighbours.
   */
  async #failed(batch: readonly Waiting[], error: unknown): Promise<void> {
    if (error instanceof DatabaseUnavailable) {
      const calls = new Set(batch.map((waiting) => waiting.callId));
      const followers = this.#waiting.filter((waiting) => calls.has(waiting.callId));
      this.#waiting = this.#waiting.filter((waiting) => !calls.has(waiting.callId));
      for (const waiting of [...batch, ...followers]) waiting.reject(error);
    } else if (batch.length === 1) {
      batch[0]?.reject(error);
    } else {
      for (const waiting of batch) await this.#writeBatch([waiting]);
    }
  }

  #notifyEvents(events: readonly EventRow[]): void {
    if (events.length === 0) return;
    const projectIds = new Set(events.map((event) => event.project_id));
    for (const listener of this.#eventListeners) listener(projectIds);
  }

  /** Notifies the listeners of deliveries that were written elsewhere. */
  notifyLanes(lanes: readonly string[]): void {
    if (lanes.length === 0) return;
    for (const listener of this.#laneListeners) listener(lanes);
  }
}

function errorOf(outcome: WriteOutcome | undefined, callId: string): Error | null {
  switch (outcome) {
    case 'written':
      return null;
    case 'final':
      return new FinalCallError(callId, `call ${callId} is over: its status never changes`);
    case 'stale':
      return new StaleCallError(callId, `call ${callId} has advanced: its last sequence is higher`);
    case 'fenced':
    case undefined:
      return new FencedError(callId, `call ${callId} was not written: its engine has another owner`);
  }
}
