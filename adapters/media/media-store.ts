import { createHash, randomUUID } from 'node:crypto';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { LRUCache } from 'lru-cache';
import { MediaError, type AudioInput, type MediaStore, type StoredAudio } from '../../core/ports/media-store.js';
import { AudioFolder } from './audio-folder.js';
import { PROMPT_LUFS, type Playable } from './convert.js';
import { AudioConverter } from './converter.js';
import { Downloader, tooLarge } from './download.js';

/** The maximum input size: 10 MiB. */
export const MAX_AUDIO_BYTES = 10 * 1024 * 1024;
export const MAX_AUDIO_SECONDS = 600;

export interface AudioMediaStoreOptions {
  /** Engines see it at the same path; created if missing, readable by other users. */
  readonly dir: string;
  /** Allow `fetch` to reach this machine, also over http; for development and tests only. */
  readonly allowLoopback?: boolean;
  /** Maximum size of the cache of fetched audio. Default 1 GiB. */
  readonly maxFetchedBytes?: number;
  /** Converts what is uploaded. Default: one file at a time. */
  readonly uploadConverter?: AudioConverter;
  /** Converts what calls need, so that it never waits for uploads. Default: one file at a time. */
  readonly callConverter?: AudioConverter;
  /** Timeout of one download. Default 10 s. */
  readonly timeoutMs?: number;
}

/** How long a URL's result is reused. */
const FETCH_TTL_MS = 60_000;
/** Longer than the longest call, which may be playing the file in a loop. */
const KEEP_MS = 5 * 3600_000;

/** Stores audio in a directory that this machine's engines read. */
export class AudioMediaStore implements MediaStore {
  readonly #uploads: AudioFolder;
  readonly #fetched: AudioFolder;
  readonly #lent: AudioFolder;
  readonly #downloader: Downloader;
  readonly #uploadConverter: AudioConverter;
  readonly #callConverter: AudioConverter;
  readonly #recent = new LRUCache<string, Promise<StoredAudio>>({
    max: 1000,
    ttl: FETCH_TTL_MS,
  });

  constructor(options: AudioMediaStoreOptions) {
    const { dir, maxFetchedBytes = 1024 ** 3 } = options;
    this.#uploads = new AudioFolder(path.join(dir, 'uploads'));
    this.#fetched = new AudioFolder(path.join(dir, 'fetched'), { maxBytes: maxFetchedBytes, keepMs: KEEP_MS });
    this.#lent = new AudioFolder(path.join(dir, 'lent'), { maxBytes: 0, keepMs: KEEP_MS });
    this.#uploadConverter = options.uploadConverter ?? new AudioConverter();
    this.#callConverter = options.callConverter ?? new AudioConverter();
    this.#downloader = new Downloader({
      allowLoopback: options.allowLoopback ?? false,
      maxBytes: MAX_AUDIO_BYTES,
      timeoutMs: options.timeoutMs ?? 10_000,
    });
  }

  async fetch(url: string, projectId: string): Promise<StoredAudio> {
    const recent = this.#recent.get(url);
    if (recent) {
      const audio = await recent;
      if (await stored(() => this.#fetched.find(path.basename(audio.path)))) return audio;
    }
    const fetched = this.#fetch(url, projectId);
    this.#recent.set(url, fetched);
    // Failures are not cached: the next call retries.
    fetched.catch(() => {
      if (this.#recent.peek(url) === fetched) this.#recent.delete(url);
    });
    return fetched;
  }

  async fetchAs(id: string, url: string, projectId: string): Promise<StoredAudio> {
    return this.put(id, await this.#downloader.get(url), projectId);
  }

  async put(id: string, audio: AudioInput, projectId: string): Promise<StoredAudio> {
    const playable = await convert(this.#uploadConverter, audio, projectId, PROMPT_LUFS);
    return stored(() => this.#uploads.write(id, playable));
  }

  async remove(id: string): Promise<void> {
    await stored(() => this.#uploads.remove(id));
  }

  putTemporary(audio: AudioInput, projectId: string): Promise<StoredAudio> {
    return this.#storeForCall(this.#lent, randomUUID(), audio, projectId);
  }

  async release(lent: string): Promise<void> {
    await stored(() => this.#lent.remove(path.basename(lent)));
  }

  pathOf(id: string): string {
    return this.#uploads.pathOf(id);
  }

  async close(): Promise<void> {
    await this.#downloader.close();
  }

  /**
   * Files are named by a hash of their content: the same audio from several URLs is converted once, and a change never
   * affects a playing file.
   */
  async #fetch(url: string, projectId: string): Promise<StoredAudio> {
    const bytes = await this.#downloader.get(url);
    const name = createHash('sha256').update(bytes).digest('hex');
    return (await stored(() => this.#fetched.find(name))) ?? this.#storeForCall(this.#fetched, name, bytes, projectId);
  }

  async #storeForCall(folder: AudioFolder, name: string, audio: AudioInput, projectId: string): Promise<StoredAudio> {
    const playable = await convert(this.#callConverter, audio, projectId);
    return stored(() => folder.write(name, playable));
  }
}

async function convert(
  converter: AudioConverter,
  audio: AudioInput,
  projectId: string,
  loudness?: number,
): Promise<Playable> {
  const bytes = 'file' in audio ? (await stored(() => stat(audio.file))).size : audio.length;
  if (bytes > MAX_AUDIO_BYTES) throw tooLarge(MAX_AUDIO_BYTES);
  const request = { audio, maxSeconds: MAX_AUDIO_SECONDS, ...(loudness === undefined ? {} : { loudness }) };
  return converter.convert(request, projectId);
}

/** Maps file system errors to `unavailable`, because they are not the caller's fault. */
async function stored<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new MediaError('unavailable', 'the audio cannot be stored', { cause: error });
  }
}
