import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { RecordingRow } from '../../data/rows.js';
import { pause, type Clock } from '../../ports/clock.js';
import type { Engine } from '../../ports/engine.js';
import type { Logger } from '../../ports/logger.js';
import type { ObjectStore } from '../../ports/object-store.js';
import { RecordingAudioError, type RecordingAudio } from '../../ports/recording-audio.js';
import { isMessage } from '../../model/voicemail.js';
import type { StoredRecording } from '../call-state/recording-rows.js';
import { FIRST_RETRY_MS, MAX_RETRY_MS, Retries } from './retries.js';

export interface RecordingObserver {
  /** Number of recordings that wait to be stored. */
  waiting(recordings: number): void;
}

export interface RecordingCollectorOptions {
  readonly engine: Pick<Engine, 'recordings'>;
  /** Recordings whose audio is still in the engine, oldest first, without those in `except`. */
  readonly waiting: (limit: number, except: readonly string[]) => Promise<readonly RecordingRow[]>;
  /** Returns those of the given recordings that need nothing more from the engine. */
  readonly done: (recordingIds: readonly string[]) => Promise<readonly string[]>;
  /** Records the result with the call: the stored audio, or null if there was none. */
  readonly finish: (recording: RecordingRow, stored: StoredRecording | null) => Promise<void>;
  readonly audio: RecordingAudio;
  readonly store: ObjectStore;
  /** For temporary files. */
  readonly folder: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly observer: RecordingObserver;
}

const BATCH_SIZE = 50;
/** After this many failures in a row, the engine or the storage is the cause, and not the recordings. */
const GENERAL_FAILURES = 5;
/**
 * If a recording outlived its leg because no process was there to stop it, its end is silence and is cut off. This is
 * the allowed difference between two clocks.
 */
const SLACK_MS = 10_000;

/**
 * Moves the audio of finished recordings from the engine to the storage, one after another, and records the result with
 * their calls. Failures of the engine, the storage or the database are retried: a recording stays in the engine until
 * it is stored. A recording that failed waits for its own retry, behind those that have not failed.
 */
export class RecordingCollector {
  #running: Promise<void> | null = null;
  #again = false;
  #stopped = false;
  #isTidy = false;
  /** Ends a pause between retries of single recordings. */
  #interruptPause: () => void = () => undefined;
  /** Ends a pause after a general failure. */
  #interruptOutage: () => void = () => undefined;
  readonly #retries: Retries;

  constructor(private readonly options: RecordingCollectorOptions) {
    this.#retries = new Retries(options.clock);
  }

  /** Called when recordings may be waiting. */
  wake(): void {
    this.#again = true;
    if (this.#stopped) return;
    this.#interruptPause();
    this.#running ??= this.#run().finally(() => {
      this.#running = null;
      if (this.#again) this.wake();
    });
  }

  /** Resolves when the current recording is finished. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#interruptPause();
    this.#interruptOutage();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { clock } = this.options;
    for (let waitMs = FIRST_RETRY_MS; !this.#isStopped();) {
      this.#again = false;
      const isDone = await this.#storeAll();
      // A stop could not interrupt a pause that begins after it.
      if (this.#isStopped()) return;
      if (isDone) {
        waitMs = FIRST_RETRY_MS;
        const { nextInMs } = this.#retries;
        if (this.#isWoken()) continue;
        if (nextInMs === null) return;
        await pause(clock, nextInMs, (end) => (this.#interruptPause = end));
      } else {
        await pause(clock, waitMs, (end) => (this.#interruptOutage = end));
        waitMs = Math.min(waitMs * 2, MAX_RETRY_MS);
      }
    }
  }

  #isStopped(): boolean {
    return this.#stopped;
  }

  /** Whether there was a wake-up since the last look for recordings. */
  #isWoken(): boolean {
    return this.#again;
  }

  /** @returns false if a failure concerned more than single recordings. */
  async #storeAll(): Promise<boolean> {
    try {
      if (!this.#isTidy) await this.#tidyUp();
      return (await this.#storeNew()) && (await this.#retry());
    } catch (error) {
      this.options.log.warn({ err: error }, 'failed to store recordings; will retry');
      return false;
    }
  }

  /** Stores the recordings that have not failed. @returns as {@link #storeEach} */
  async #storeNew(): Promise<boolean> {
    const { waiting } = this.options;
    for (let isFull = true; isFull && !this.#stopped;) {
      const recordings = await waiting(BATCH_SIZE, this.#retries.ids);
      if (!(await this.#storeEach(recordings))) return false;
      isFull = recordings.length === BATCH_SIZE;
    }
    return true;
  }

  /** Stores recordings that failed before and are due. @returns as {@link #storeEach} */
  async #retry(): Promise<boolean> {
    const { due, ids } = this.#retries;
    if (due.length === 0) return true;
    const isDue = new Set(due);
    const recordings = await this.options.waiting(
      BATCH_SIZE,
      ids.filter((id) => !isDue.has(id)),
    );
    // Something else has finished them, for example a deletion of the project.
    if (recordings.length < BATCH_SIZE) {
      const waiting = new Set(recordings.map(({ id }) => id));
      for (const id of due) if (!waiting.has(id)) this.#retries.forget(id);
    }
    return this.#storeEach(recordings);
  }

  /** @returns false after {@link GENERAL_FAILURES}. */
  async #storeEach(recordings: readonly RecordingRow[]): Promise<boolean> {
    const { log } = this.options;
    let failures = 0;
    for (const [index, recording] of recordings.entries()) {
      if (this.#stopped) return true;
      this.#report(recordings.slice(index));
      try {
        await this.#collect(recording);
        this.#retries.forget(recording.id);
        failures = 0;
      } catch (error) {
        log.warn({ err: error, recordingId: recording.id }, 'failed to store a recording; will retry');
        this.#retries.failed(recording.id);
        if ((failures += 1) === GENERAL_FAILURES) return false;
      }
    }
    this.#report([]);
    return true;
  }

  #report(next: readonly RecordingRow[]): void {
    this.options.observer.waiting(new Set([...next.map(({ id }) => id), ...this.#retries.ids]).size);
  }

  /** Deletes from the engine what a process left there when it died between storing and deleting. */
  async #tidyUp(): Promise<void> {
    const { engine, done, log } = this.options;
    for (const id of await done(await engine.recordings.finished())) {
      await engine.recordings.discard(id).catch((error: unknown) => {
        log.warn({ err: error, recordingId: id }, 'failed to delete a stored recording from its engine');
      });
    }
    this.#isTidy = true;
  }

  async #collect(recording: RecordingRow): Promise<void> {
    const { engine, finish, folder } = this.options;
    const { id, channels } = recording;
    const workFolder = join(folder, id);
    await mkdir(workFolder, { recursive: true });
    try {
      // The recording ends with its call, although a leg of the call may end a moment later.
      await engine.recordings.stop(id);
      const taps = await engine.recordings.collect(id, channels, workFolder);
      await finish(recording, await this.#store(recording, taps, join(workFolder, 'whole.wav')));
      await engine.recordings.discard(id);
    } finally {
      await rm(workFolder, { recursive: true, force: true });
    }
  }

  /** @returns null if the engine has no audible audio, or if a voicemail message is empty. */
  async #store(
    recording: RecordingRow,
    taps: readonly (string | null)[],
    whole: string,
  ): Promise<StoredRecording | null> {
    const { audio, store, log } = this.options;
    if (taps.every((tap) => tap === null)) return null;
    try {
      const { durationMs, bytes, peak } = await audio.combine(taps, whole, maxDurationMs(recording));
      if (recording.box_id !== null && !isMessage(durationMs, peak)) return null;
      const key = keyOf(recording);
      await store.put(key, whole, 'audio/wav');
      return { duration_ms: durationMs, bytes, storage: store.kind, storage_key: key };
    } catch (error) {
      if (!(error instanceof RecordingAudioError) || error.problem === 'unavailable') throw error;
      log.error({ err: error, recordingId: recording.id }, 'the audio of a recording is unusable');
      return null;
    }
  }
}

function maxDurationMs({ started_at, ended_at }: RecordingRow): number | undefined {
  return ended_at === null ? undefined : ended_at.getTime() - started_at.getTime() + SLACK_MS;
}

/** Grouped by project and month, so that an operator can find files in the storage. */
function keyOf({ id, project_id, started_at }: RecordingRow): string {
  const [year = '', month = ''] = started_at.toISOString().split('-');
  return `${project_id}/${year}/${month}/${id}.wav`;
}
