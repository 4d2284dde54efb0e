import { chmod, readdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { hasCode } from '../../core/model/error-code.js';
import type { StoredAudio } from '../../core/ports/media-store.js';
import { partOf } from '../files/durable.js';
import { makeSharedFolder } from '../files/shared.js';
import { NARROW_RATE, type Playable } from './convert.js';
import { WAV_HEADER_BYTES } from './wav.js';

export interface AudioFolderOptions {
  /** Above this size, the least recently used files are deleted. Default: nothing is deleted. */
  readonly maxBytes?: number;
  /** Files used within this time are kept, because a call may be playing them in a loop. */
  readonly keepMs?: number;
}

const EXTENSIONS = ['.wav', '.wav16'] as const;
const PRUNE_EVERY_MS = 10 * 60_000;
/** Engines may run as another user. */
const FILE_MODE = 0o644;
const NAME = /^[\w-]{1,128}$/;

/**
 * Stores playable audio by name in one directory shared by all processes of the machine: two files each, written
 * atomically.
 */
export class AudioFolder {
  #prunedAtMs = 0;

  constructor(
    readonly folder: string,
    private readonly options: AudioFolderOptions = {},
  ) {}

  /** Returns the absolute path, without extension. */
  pathOf(name: string): string {
    if (!NAME.test(name)) throw new RangeError(`invalid audio name: ${name}`);
    return path.resolve(this.folder, name);
  }

  /** Returns the audio with this name and marks it as used; null if it is missing or incomplete. */
  async find(name: string): Promise<StoredAudio | null> {
    const file = this.pathOf(name);
    const now = new Date();
    try {
      await Promise.all(EXTENSIONS.map((extension) => utimes(file + extension, now, now)));
      const { size } = await stat(`${file}.wav`);
      return { path: file, durationMs: Math.round((size - WAV_HEADER_BYTES) / ((2 * NARROW_RATE) / 1000)) };
    } catch (error) {
      if (hasCode(error, 'ENOENT')) return null;
      throw error;
    }
  }

  async write(name: string, audio: Playable): Promise<StoredAudio> {
    const file = this.pathOf(name);
    await makeSharedFolder(this.folder);
    const contents = { '.wav': audio.narrow, '.wav16': audio.wide };
    const own = partOf(file);
    try {
      for (const extension of EXTENSIONS) await writeShared(own + extension, contents[extension]);
      // Rename the narrow file last: `find` needs both.
      await rename(`${own}.wav16`, `${file}.wav16`);
      await rename(`${own}.wav`, `${file}.wav`);
    } catch (error) {
      await this.#removeAll(own).catch(() => undefined);
      throw error;
    }
    await this.#pruneSometimes();
    return { path: file, durationMs: audio.durationMs };
  }

  async remove(name: string): Promise<void> {
    await this.#removeAll(this.pathOf(name));
  }

  async #removeAll(file: string): Promise<void> {
    await Promise.all(EXTENSIONS.map((extension) => rm(file + extension, { force: true })));
  }

  async #pruneSometimes(): Promise<void> {
    const now = Date.now();
    if (this.options.maxBytes === undefined || now - this.#prunedAtMs < PRUNE_EVERY_MS) return;
    this.#prunedAtMs = now;
    await this.prune();
  }

  /** Deletes the least recently used files until the directory is small enough. */
  async prune(): Promise<void> {
    const { maxBytes = Infinity, keepMs = 0 } = this.options;
    const names = await readdir(this.folder);
    const found = await Promise.all(names.map((name) => describe(path.join(this.folder, name))));
    const files = found.filter((file) => file !== null).sort((a, b) => a.usedAtMs - b.usedAtMs);
    let bytes = files.reduce((sum, file) => sum + file.bytes, 0);
    const old = Date.now() - keepMs;
    for (const file of files) {
      if (bytes <= maxBytes || file.usedAtMs > old) return;
      await rm(file.path, { force: true });
      bytes -= file.bytes;
    }
  }
}

async function writeShared(file: string, content: Uint8Array): Promise<void> {
  await writeFile(file, content, { mode: FILE_MODE });
  // The umask may have removed other users' read permission.
  await chmod(file, FILE_MODE);
}

async function describe(file: string): Promise<{ path: string; bytes: number; usedAtMs: number } | null> {
  try {
    const { size, mtimeMs } = await stat(file);
    return { path: file, bytes: size, usedAtMs: mtimeMs };
  } catch {
    // Another process has deleted it.
    return null;
  }
}
