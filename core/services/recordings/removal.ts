import { DatabaseUnavailable } from '../../data/errors.js';
import type { Recordings, Removal } from '../../data/repositories/calls/recordings.js';
import type { Logger } from '../../ports/logger.js';
import { StorageError, type ObjectStores } from '../../ports/object-store.js';

export interface RecordingRemovalOptions {
  readonly recordings: Recordings;
  readonly stores: ObjectStores;
  readonly log: Logger;
}

/** Removes the audio of deleted recordings from its storage. */
export class RecordingRemoval {
  constructor(private readonly options: RecordingRemovalOptions) {}

  /**
   * Removes the audio. What fails because a storage or the database is unavailable is left to the sweep.
   * @returns whether all of it was removed.
   */
  async remove(removals: readonly Removal[]): Promise<boolean> {
    const { recordings, stores, log } = this.options;
    const unavailable = new Set<string>();
    for (const { recording_id, storage, storage_key } of removals) {
      // Each request to an unavailable storage takes time.
      if (unavailable.has(storage)) continue;
      try {
        await stores.of(storage).remove(storage_key);
        await recordings.completeRemoval(recording_id);
      } catch (error) {
        if (!(error instanceof StorageError) && !(error instanceof DatabaseUnavailable)) throw error;
        unavailable.add(storage);
        log.warn(
          { err: error, recordingId: recording_id },
          'failed to remove the audio of a deleted recording; will retry',
        );
      }
    }
    return unavailable.size === 0;
  }
}
