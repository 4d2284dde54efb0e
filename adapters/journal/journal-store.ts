import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode } from '../../core/model/error-code.js';
import type { Journal, JournalStore, OrphanedJournal } from '../../core/ports/journal.js';
import type { Logger } from '../../core/ports/logger.js';
import { FileJournal } from './file-journal.js';

export interface FileJournalStoreOptions {
  readonly folder: string;
  /** The maximum size of each journal. */
  readonly maxBytes: number;
  readonly log: Logger;
}

/**
 * Keeps journals as files `<engine>.<epoch>.jsonl` in one directory. Owners never share an epoch, so they never share a
 * file.
 */
export class FileJournalStore implements JournalStore {
  constructor(private readonly options: FileJournalStoreOptions) {}

  open(engineId: string, epoch: number): Journal {
    return new FileJournal({ ...this.options, path: this.#pathOf(engineId, epoch), epoch });
  }

  async orphaned(engineId: string, epoch: number): Promise<readonly OrphanedJournal[]> {
    const epochs = (await this.#names())
      .map((name) => /^(.+)\.(\d+)\.jsonl$/.exec(name))
      .filter((match) => match?.[1] === engineId)
      .map((match) => Number(match?.[2]))
      .filter((earlier) => earlier < epoch)
      .sort((one, other) => one - other);
    return Promise.all(
      epochs.map((earlier) =>
        FileJournal.openExisting({ ...this.options, path: this.#pathOf(engineId, earlier), epoch: earlier }),
      ),
    );
  }

  #pathOf(engineId: string, epoch: number): string {
    return join(this.options.folder, `${engineId}.${epoch}.jsonl`);
  }

  async #names(): Promise<readonly string[]> {
    try {
      return await readdir(this.options.folder);
    } catch (error) {
      if (hasCode(error, 'ENOENT')) return [];
      throw error;
    }
  }
}
