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

export interface RecordingObserver {
  /** Number of recordings that wait to be stored. */
  waiting(recordings: number): void;
}

export interface RecordingCollectorOptions {
  readonly engine: Pick<Engine, 'recordings'>;
  /** Recordings whose audio is still in the engine, oldest first. */
  readonly waiting: (limit: number) => Promise<readonly RecordingRow[]>;
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
const FIRST_RETRY_MS = 500;
const MAX_RETRY_MS = 30_000;
/**
 * If a recording outlived its leg because no process was there to stop it, its end is silence and is cut off. This is
 * the allowed difference between two clocks.
 */
const SLACK_MS = 10_000;

/**
 * Moves the audio of finished recordings from the engine to the storage, one after another, and records the result with
 * their calls. Failures of the engine, the storage or the database are retried: a recording stays in the engine until
 * it is stored.
 */
export class RecordingCollector {
  #running: Promise<void> | null = null;
  #again = false;
  #stopped = false;
  #isTidy = false;
  #interrupt: () => void = () => undefined;

  constructor(private readonly options: RecordingCollectorOptions) {}

  /** Called when recordings may be waiting. */
  wake(): void {
    this.#again = true;
    if (this.#stopped) return;
    this.#running ??= this.#run().finally(() => {
      this.#running = null;
      if (this.#again) this.wake();
    });
  }

  /** Resolves when the current recording is finished. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#interrupt();
    await this.#running;
  }

  async #run(): Promise<void> {
    for (let waitMs = FIRST_RETRY_MS; this.#again && !this.#stopped;) {
      this.#again = false;
      if (await this.#storeAll()) {
        waitMs = FIRST_RETRY_MS;
      } else {
        this.#again = true;
        await pause(this.options.clock, waitMs, (end) => (this.#interrupt = end));
        waitMs = Math.min(waitMs * 2, MAX_RETRY_MS);
      }
    }
  }

  /** @returns whether nothing has to be retried. */
  async #storeAll(): Promise<boolean> {
    const { waiting, observer, log } = this.options;
    try {
      if (!this.#isTidy) await this.#tidyUp();
      const recordings = await waiting(BATCH_SIZE);
      observer.waiting(recordings.length);
      let remaining = recordings.length;
      for (const recording of recordings) {
        if (this.#stopped) return true;
        await this.#collect(recording);
        observer.waiting((remaining -= 1));
      }
      if (recordings.length === BATCH_SIZE) this.#again = true;
      return true;
    } catch (error) {
      log.warn({ err: error }, 'failed to store a recording; will retry');
      return false;
    }
  }

  /** Deletes from the engine what a process left there when it died between storing and deleting. */
  async #tidyUp(): Promise<void> {
    const { engine, done } = this.options;
    for (const id of await done(await engine.recordings.finished())) await engine.recordings.discard(id);
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
