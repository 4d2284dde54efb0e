import { buffer } from 'node:stream/consumers';
import type { Recordings } from '../../data/repositories/calls/recordings.js';
import type { VoicemailBoxes } from '../../data/repositories/voicemail/voicemail-boxes.js';
import type { RecordingRow } from '../../data/rows.js';
import type { ObjectStores } from '../../ports/object-store.js';
import type { RecordingRemoval } from '../recordings/removal.js';
import type { PeriodicTask } from '../runtime/periodic-task.js';
import type { VoicemailBoxService } from './boxes.js';

export interface SpokenGreetingsOptions {
  readonly recordings: Pick<Recordings, 'greetings' | 'delete'>;
  readonly removal: RecordingRemoval;
  readonly stores: ObjectStores;
  readonly table: Pick<VoicemailBoxes, 'getOfAnyOwner'>;
  readonly boxes: Pick<VoicemailBoxService, 'setSpokenGreeting'>;
}

const INTERVAL_MS = 2_000;

/**
 * Turns greetings recorded by phone into the greetings of their boxes, and deletes the recordings. Failures are retried
 * in the next run.
 */
export class SpokenGreetings implements PeriodicTask {
  readonly name = 'voicemail greetings';
  readonly everyMs = INTERVAL_MS;

  constructor(private readonly options: SpokenGreetingsOptions) {}

  /** @throws DatabaseUnavailable, StorageError, MediaError */
  async run(): Promise<void> {
    for (const recording of await this.options.recordings.greetings()) await this.#import(recording);
  }

  async #import({ id, box_id, storage, storage_key }: RecordingRow): Promise<void> {
    const { recordings, removal, stores, table, boxes } = this.options;
    const box = await table.getOfAnyOwner(box_id ?? '');
    if (box && storage !== null && storage_key !== null) {
      await boxes.setSpokenGreeting(box, await buffer(await stores.of(storage).read(storage_key)));
    }
    const deleted = await recordings.delete([id]);
    if (deleted) await removal.remove(deleted.removals);
  }
}
