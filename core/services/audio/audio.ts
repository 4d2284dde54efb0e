import type { Database } from '../../data/database.js';
import { AudioFiles } from '../../data/repositories/calls/audio-files.js';
import type { ProjectKind } from '../../data/repositories/project-kind.js';
import type { AudioFileRow } from '../../data/rows.js';
import { HatifError, invalidField, type Phrase } from '../../model/errors/index.js';
import { newId } from '../../model/ids.js';
import { arabic } from '../../model/wording/wording.js';
import type { Clock } from '../../ports/clock.js';
import { MediaError, type AudioInput, type MediaStore, type StoredAudio } from '../../ports/media-store.js';
import { mediaReason } from './media-reason.js';
import { storedInTime } from './preparation.js';

/** Describes for people what plays the audio file; null if this kind of user does not play it. */
export type AudioUse = (projectId: string, audioId: string) => Promise<Phrase | null>;

export interface AudioServiceOptions {
  readonly db: Database;
  readonly media: MediaStore;
  readonly clock: Clock;
  /** How much the live, and how much the sandbox files of one project may take in the media store. */
  readonly quotaBytes: number;
  /** Everything that can play uploaded files: a file in use is not deleted. */
  readonly uses?: readonly AudioUse[];
}

export interface NewAudio {
  readonly audio: AudioInput;
  /** Size of the file as it was sent. */
  readonly bytes: number;
  /** The file name sent by the client. */
  readonly fileName: string;
  /** Display name; default: the file name. */
  readonly name?: string | undefined;
}

/** How much of the quota a project's files of one kind take. */
export interface QuotaUsage {
  readonly files: number;
  /** In the media store, not as uploaded. More than allowed if the quota was larger before. */
  readonly bytesUsed: number;
  readonly bytesAllowed: number;
}

export const MAX_NAME_LENGTH = 128;
/** What the media store keeps of a millisecond: 16-bit samples at 8 and at 16 kHz. */
const STORED_BYTES_PER_MS = 48;

/** Manages the prompts that a project uploads: metadata in the database, sound in the media store. */
export class AudioService {
  readonly #files: AudioFiles;

  constructor(private readonly options: AudioServiceOptions) {
    this.#files = new AudioFiles(options.db);
  }

  /**
   * @throws HatifError VALIDATION_ERROR if the bytes are not WAV or MP3, AUDIO_QUOTA_EXCEEDED,
   * CALLFLOW_AUDIO_SERVICE_UNAVAILABLE
   */
  async add(of: ProjectKind, audio: NewAudio): Promise<AudioFileRow> {
    const { quotaBytes } = this.options;
    const maxMs = Math.floor(quotaBytes / STORED_BYTES_PER_MS);
    // A project without any room left need not wait for the conversion.
    if ((await this.#files.totals(of)).durationMs >= maxMs) throw quotaExceeded(quotaBytes);
    const id = newId();
    const stored = await this.#put(id, audio.audio, of.projectId);
    const row: AudioFileRow = {
      id,
      project_id: of.projectId,
      sandbox: of.sandbox,
      name: audio.name ?? nameOf(audio.fileName),
      duration_ms: stored.durationMs,
      bytes: audio.bytes,
      created_at: this.options.clock.now(),
    };
    try {
      if (!(await this.#files.createWithin(row, maxMs))) throw quotaExceeded(quotaBytes);
    } catch (error) {
      // Without a row nothing refers to the file, so it would stay in the media store for ever.
      await this.options.media.remove(id).catch(() => undefined);
      throw error;
    }
    return row;
  }

  /** Returns files newest first, only those before `beforeId` if it is given. */
  list(of: ProjectKind, beforeId: string | null, limit: number): Promise<AudioFileRow[]> {
    return this.#files.page(of, beforeId, limit);
  }

  /** Returns what the project's files of this kind take of their quota, counted as {@link add} counts it. */
  async usage(of: ProjectKind): Promise<QuotaUsage> {
    const { files, durationMs } = await this.#files.totals(of);
    return { files, bytesUsed: durationMs * STORED_BYTES_PER_MS, bytesAllowed: this.options.quotaBytes };
  }

  /** Whether the project has the file, and it is of this kind. */
  async has(of: ProjectKind, id: string): Promise<boolean> {
    return (await this.#files.get(of, id)) !== null;
  }

  /**
   * Deletes the sound first: if that fails, the row remains and the deletion can be retried.
   * @throws HatifError NOT_FOUND, VALIDATION_ERROR if something plays the file, CALLFLOW_AUDIO_SERVICE_UNAVAILABLE
   */
  async remove(of: ProjectKind, id: string): Promise<void> {
    if (!(await this.has(of, id))) throw notFound(id);
    for (const use of this.options.uses ?? []) {
      const user = await use(of.projectId, id);
      if (user) throw invalidField('id', { en: `is used by ${user.en}`, ar: arabic`يستخدمه ${user.ar}` });
    }
    try {
      await this.options.media.remove(id);
    } catch (error) {
      throw unavailable(error);
    }
    await this.#files.remove(of, id);
  }

  async #put(id: string, audio: AudioInput, projectId: string): Promise<StoredAudio> {
    const { media, clock } = this.options;
    const stored = media.put(id, audio, projectId);
    try {
      return await storedInTime(clock, stored);
    } catch (error) {
      // If it is only late, it must not stay in the media store.
      void stored.then(() => media.remove(id)).catch(() => undefined);
      if (!(error instanceof MediaError)) throw error;
      throw error.problem === 'unavailable' ? unavailable(error) : invalidField('file', mediaReason(error));
    }
  }
}

function notFound(id: string): HatifError {
  return new HatifError('NOT_FOUND', { what: { en: `the audio file ${id}`, ar: arabic`الملف الصوتي ${id}` } });
}

function quotaExceeded(quotaBytes: number): HatifError {
  return new HatifError('AUDIO_QUOTA_EXCEEDED', { quota_mb: Math.floor(quotaBytes / 1_000_000) });
}

function unavailable(cause: unknown): HatifError {
  return new HatifError('CALLFLOW_AUDIO_SERVICE_UNAVAILABLE', {}, { cause });
}

/** Strips folders and limits the length. Never returns an empty name or one that ends in half a surrogate pair. */
function nameOf(fileName: string): string {
  const base = fileName.split(/[\\/]/).at(-1)?.trim() ?? '';
  return base.slice(0, MAX_NAME_LENGTH).replace(/[\uD800-\uDBFF]$/, '') || 'audio';
}
