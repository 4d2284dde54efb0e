import { DatabaseUnavailable } from '../../data/errors.js';
import type { Recordings, Removal } from '../../data/repositories/calls/recordings.js';
import type { Logger } from '../../ports/logger.js';
import { StorageError, type ObjectStores } from '../../ports/object-store.js';

export interface RecordingRemovalOptions {
  readonly recordings: Recordings;
  readonly stores: ObjectStores;
  readonly log: Logger;
}

/** Takes the audio of deleted recordings out of its storage. */
export class RecordingRemoval {
  constructor(private readonly options: RecordingRemovalOptions) {}

  /**
   * What a storage or the database that is away keeps from being done waits for the sweep.
   * @returns whether all of it is gone.
   */
  async remove(removals: readonly Removal[]): Promise<boolean> {
    const { recordings, stores, log } = this.options;
    const away = new Set<string>();
    for (const { recording_id, storage, storage_key } of removals) {
      // Each question to a storage that is away takes its time.
      if (away.has(storage)) continue;
      try {
        await stores.of(storage).remove(storage_key);
        await recordings.completeRemoval(recording_id);
      } catch (error) {
        if (!(error instanceof StorageError) && !(error instanceof DatabaseUnavailable)) throw error;
        away.add(storage);
        log.warn({ err: error, recordingId: recording_id }, 'the audio of a deleted recording is still to be removed');
      }
    }
    return away.size === 0;
  }
}
