import { setTimeout as pause } from 'node:timers/promises';

import type { Database } from './database.js';
import { WRITE_CALLS, type WriteOutcome, type WriteResult } from './call-statement.js';
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

/** Everything that one step of a call changes. It is written whole or not at all. */
export interface CallEffect {
  /** The owner's word: nothing is written when the engine has another epoch. */
  readonly fence: { readonly engineId: string; readonly epoch: number };
  /** The whole row as it is after the step; made or updated. Its engine and epoch are taken from the fence. */
  readonly call: CallRow;
  /** Legs that are new or changed. An ended leg stays ended. */
  readonly legs: readonly LegRow[];
  /** Recordings that are new or changed. One that is available, failed or deleted stays as it is. */
  readonly recordings: readonly RecordingRow[];
  /** Transfers that are new or changed. One that is over stays as it is. */
  readonly transfers: readonly TransferRow[];
  /** The conference of new or changed participants, or one that ends. What has ended stays ended. */
  readonly conferences: readonly ConferenceRow[];
  /** Participants that are new or have left. */
  readonly participants: readonly ParticipantRow[];
  /** New events, their sequences up to `call.last_sequence`. */
  readonly events: readonly EventRow[];
  /** A leg that has a charge keeps it as it is. */
  readonly charges: readonly ChargeRow[];
  readonly timeline: readonly TimelineRow[];
  /** New messages, of recordings that are written before or with them. */
  readonly voicemails?: readonly VoicemailRow[];
}

/** A new call whose engine's owner is somebody else or not known. */
export type PlacedEffect = Omit<CallEffect, 'fence'>;

export interface CallWriterOptions {
  /**
   * At least so long from the start of a statement that wrote several effects to the next; 12 ms by default. A statement costs the database as
   * much as five effects in it do (docs/explanation/performance.md), so a busy system pays half by waiting a moment. Where effects come one by one
   * nothing is gained by it: they wait for the rest of the event loop's turn only.
   */
  readonly spacingMs?: number;
  /** Effects in one statement at most; 200 by default. */
  readonly maxBatch?: number;
}

interface Waiting {
  readonly callId: string;
  readonly row: object;
  resolve(): void;
  reject(error: unknown): void;
}

/**
 * Writes the effects of many calls together: what arrives in one turn of the event loop, or while the batch before is under way, goes in
 * one statement and one commit. Effects of one call are written in the order in which they came, never two in a batch.
 */
export class CallWriter {
  readonly #spacingMs: number;
  readonly #maxBatch: number;
  readonly #laneListeners = new Set<(lanes: readonly string[]) => void>();
  #waiting: Waiting[] = [];
  #cancelStart: (() => void) | null = null;
  #running: Promise<void> | null = null;
  /** When the last statement was begun, by the monotonic clock. */
  #begunAtMs = -Infinity;
  /** How many effects it wrote. */
  #batchSize = 0;

  constructor(
    private readonly db: Database,
    options: CallWriterOptions = {},
  ) {
    this.#spacingMs = options.spacingMs ?? 12;
    this.#maxBatch = options.maxBatch ?? 200;
  }

  /**
   * Resolves when the effect is committed. A repeat of what was committed resolves too and changes nothing.
   * @throws FencedError, FinalCallError, StaleCallError: nothing was written and repeating is no use.
   * @throws DatabaseUnavailable: repeat it; later effects of the same call that waited here were refused with it.
   */
  commit(effect: CallEffect): Promise<void> {
    return this.#enqueue(effect, effect.fence.engineId, effect.fence.epoch);
  }

  /**
   * Insert a new call for the engine that its row names, at the epoch that the engine has now. A repeat resolves and changes
   * nothing, whatever became of the call. @throws FencedError when there is no such engine, DatabaseUnavailable
   */
  insertPlaced(effect: PlacedEffect): Promise<void> {
    return this.#enqueue(effect, effect.call.engine_id, null);
  }

  /** Write an event that changes no call. @throws DatabaseUnavailable: repeat it. */
  async recordEvent(event: EventRow): Promise<void> {
    this.tellLanes(await recordEvent(this.db, event));
  }

  /** Be told which lanes got something to deliver, after each commit; returns how to stop. The listener must not throw. */
  onLanes(listener: (lanes: readonly string[]) => void): () => void {
    this.#laneListeners.add(listener);
    return () => this.#laneListeners.delete(listener);
  }

  /** Resolves when nothing waits and nothing is under way. */
  async idle(): Promise<void> {
    while (this.#running || this.#waiting.length > 0) {
      this.#start();
      await this.#running;
    }
  }

  #enqueue(effect: PlacedEffect, engineId: string, epoch: number | null): Promise<void> {
    const { call, legs, recordings, transfers, conferences, participants, events, charges, timeline, voicemails } =
      effect;
    const row = {
      engine_id: engineId,
      epoch,
      call_id: call.id,
      call: { ...call, engine_id: engineId, epoch },
      legs,
      recordings,
      transfers,
      conferences,
      participants,
      events,
      charges,
      timeline,
      voicemails,
    };
    return new Promise((resolve, reject) => {
      this.#waiting.push({ callId: call.id, row, resolve, reject });
      this.#gather();
    });
  }

  #gather(): void {
    if (this.#running || this.#waiting.length === 0 || this.#cancelStart) return;
    const restMs = this.#restMs();
    if (restMs > 0) {
      const timer = setTimeout(() => this.#start(), restMs);
      this.#cancelStart = () => clearTimeout(timer);
    } else {
      const turn = setImmediate(() => this.#start());
      this.#cancelStart = () => clearImmediate(turn);
    }
  }

  #start(): void {
    if (this.#running) return;
    this.#cancelStart?.();
    this.#cancelStart = null;
    this.#running = this.#writeAll().finally(() => {
      this.#running = null;
      // What came after the last batch had told its callers, and before this.
      this.#gather();
    });
  }

  async #writeAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      this.#begunAtMs = performance.now();
      const batch = this.#take();
      this.#batchSize = batch.length;
      await this.#writeBatch(batch);
      const restMs = this.#restMs();
      if (restMs > 0 && this.#waiting.length > 0 && this.#waiting.length < this.#maxBatch) await pause(restMs);
    }
  }

  /** How long the next statement has to wait yet. */
  #restMs(): number {
    return this.#batchSize > 1 ? this.#begunAtMs + this.#spacingMs - performance.now() : 0;
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
      const json = JSON.stringify(batch.map((waiting) => waiting.row));
      [result] = await this.db.query<WriteResult>(WRITE_CALLS, [json], { prepared: true });
    } catch (error) {
      return this.#failed(batch, error);
    }
    const outcomes = new Map(result?.outcomes.map(({ call_id, outcome }) => [call_id, outcome]));
    for (const waiting of batch) {
      const error = errorOf(outcomes.get(waiting.callId), waiting.callId);
      if (error) waiting.reject(error);
      else waiting.resolve();
    }
    this.tellLanes(result?.lanes ?? []);
  }

  /** A lost database refuses everything in the batch; a row that the database refuses must not take its neighbours along. */
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

  /** Something else was written that is to be delivered. */
  tellLanes(lanes: readonly string[]): void {
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
      return new StaleCallError(callId, `call ${callId} has gone on: its last sequence is higher`);
    case 'fenced':
    case undefined:
      return new FencedError(callId, `call ${callId} was not written: its engine has another owner`);
  }
}
