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
  /** So many recordings wait to be kept. */
  waiting(recordings: number): void;
}

export interface RecordingCollectorOptions {
  readonly engine: Pick<Engine, 'recordings'>;
  /** Recordings whose audio waits in the engine, oldest first. */
  readonly waiting: (limit: number) => Promise<readonly RecordingRow[]>;
  /** Which of these need nothing from the engine any more. */
  readonly done: (recordingIds: readonly string[]) => Promise<readonly string[]>;
  /** Tell the call: its audio is kept, or there was none (null). */
  readonly finish: (recording: RecordingRow, kept: StoredRecording | null) => Promise<void>;
  readonly audio: RecordingAudio;
  readonly store: ObjectStore;
  /** For files on their way. */
  readonly folder: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly observer: RecordingObserver;
}

const AT_ONCE = 50;
const FIRST_RETRY_MS = 500;
const LONGEST_RETRY_MS = 30_000;
/** A recording that outlived its leg while nobody was there to stop it has silence behind; so far two clocks may differ. */
const SLACK_MS = 10_000;

/**
 * Brings the audio of finished recordings from the engine to the storage, one after another, and tells their calls. Whatever is away (the
 * engine, the storage, the database) is tried again: a recording waits in the engine until it is kept.
 */
export class RecordingCollector {
  #running: Promise<void> | null = null;
  #again = false;
  #stopped = false;
  #tidy = false;
  #interrupt: () => void = () => undefined;

  constructor(private readonly options: RecordingCollectorOptions) {}

  /** There is, or may be, something to keep. */
  wake(): void {
    this.#again = true;
    if (this.#stopped) return;
    this.#running ??= this.#run().finally(() => {
      this.#running = null;
      if (this.#again) this.wake();
    });
  }

  /** Resolves when the recording at hand is through. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#interrupt();
    await this.#running;
  }

  async #run(): Promise<void> {
    for (let waitMs = FIRST_RETRY_MS; this.#again && !this.#stopped;) {
      this.#again = false;
      if (await this.#keepAll()) {
        waitMs = FIRST_RETRY_MS;
      } else {
        this.#again = true;
        await pause(this.options.clock, waitMs, (end) => (this.#interrupt = end));
        waitMs = Math.min(waitMs * 2, LONGEST_RETRY_MS);
      }
    }
  }

  /** @returns whether nothing is left that has to be tried again. */
  async #keepAll(): Promise<boolean> {
    const { waiting, observer, log } = this.options;
    try {
      if (!this.#tidy) await this.#tidyUp();
      const recordings = await waiting(AT_ONCE);
      observer.waiting(recordings.length);
      let left = recordings.length;
      for (const recording of recordings) {
        if (this.#stopped) return true;
        await this.#keep(recording);
        observer.waiting((left -= 1));
      }
      if (recordings.length === AT_ONCE) this.#again = true;
      return true;
    } catch (error) {
      log.warn({ err: error }, 'a recording could not be kept yet; it is tried again');
      return false;
    }
  }

  /** Deletes in the engine what was left there when a process died between keeping and deleting. */
  async #tidyUp(): Promise<void> {
    const { engine, done } = this.options;
    for (const id of await done(await engine.recordings.finished())) await engine.recordings.discard(id);
    this.#tidy = true;
  }

  async #keep(recording: RecordingRow): Promise<void> {
    const { engine, finish, folder } = this.options;
    const { id, channels } = recording;
    const workplace = join(folder, id);
    await mkdir(workplace, { recursive: true });
    try {
      // It ends with its call, though a leg of the call may be there a moment longer.
      await engine.recordings.stop(id);
      const taps = await engine.recordings.collect(id, channels, workplace);
      await finish(recording, await this.#store(recording, taps, join(workplace, 'whole.wav')));
      await engine.recordings.discard(id);
    } finally {
      await rm(workplace, { recursive: true, force: true });
    }
  }

  /** @returns null when the engine has nothing that can be heard, or a message that says nothing. */
  async #store(
    recording: RecordingRow,
    taps: readonly (string | null)[],
    whole: string,
  ): Promise<StoredRecording | null> {
    const { audio, store, log } = this.options;
    if (taps.every((tap) => tap === null)) return null;
    try {
      const { durationMs, bytes, peak } = await audio.combine(taps, whole, longestMs(recording));
      if (recording.box_id !== null && !isMessage(durationMs, peak)) return null;
      const key = keyOf(recording);
      await store.put(key, whole, 'audio/wav');
      return { duration_ms: durationMs, bytes, storage: store.kind, storage_key: key };
    } catch (error) {
      if (!(error instanceof RecordingAudioError) || error.problem === 'unavailable') throw error;
      log.error({ err: error, recordingId: recording.id }, 'the audio of a recording cannot be used');
      return null;
    }
  }
}

function longestMs({ started_at, ended_at }: RecordingRow): number | undefined {
  return ended_at === null ? undefined : ended_at.getTime() - started_at.getTime() + SLACK_MS;
}

/** By project and month, so that an operator finds his way in the storage. */
function keyOf({ id, project_id, started_at }: RecordingRow): string {
  const [year = '', month = ''] = started_at.toISOString().split('-');
  return `${project_id}/${year}/${month}/${id}.wav`;
}
