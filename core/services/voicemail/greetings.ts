import { buffer } from 'node:stream/consumers';
import type { Recordings } from '../../data/repositories/calls/recordings.js';
import type { VoicemailBoxes } from '../../data/repositories/voicemail/voicemail-boxes.js';
import { DatabaseUnavailable } from '../../data/errors.js';
import type { RecordingRow } from '../../data/rows.js';
import type { Clock } from '../../ports/clock.js';
import type { Logger } from '../../ports/logger.js';
import type { ObjectStores } from '../../ports/object-store.js';
import type { RecordingRemoval } from '../recordings/removal.js';
import { Retries } from '../recordings/retries.js';
import type { PeriodicTask } from '../runtime/periodic-task.js';
import type { VoicemailBoxService } from './boxes.js';

export interface SpokenGreetingsOptions {
  readonly recordings: Pick<Recordings, 'greetings' | 'delete'>;
  readonly removal: RecordingRemoval;
  readonly stores: ObjectStores;
  readonly table: Pick<VoicemailBoxes, 'getOfAnyOwner'>;
  readonly boxes: Pick<VoicemailBoxService, 'setSpokenGreeting'>;
  readonly clock: Clock;
  readonly log: Logger;
}

const INTERVAL_MS = 2_000;

/**
 * Turns greetings recorded by phone into the greetings of their boxes, and deletes the recordings. Failures are retried
 * later, each for itself: no greeting waits for one that cannot be imported.
 */
export class SpokenGreetings implements PeriodicTask {
  readonly name = 'voicemail greetings';
  readonly everyMs = INTERVAL_MS;

  readonly #retries: Retries;

  constructor(private readonly options: SpokenGreetingsOptions) {
    this.#retries = new Retries(options.clock);
  }

  /** @throws DatabaseUnavailable */
  async run(): Promise<void> {
    const { recordings, log } = this.options;
    const retries = this.#retries;
    const due = new Set(retries.due);
    const found = await recordings.greetings(retries.ids.filter((id) => !due.has(id)));
    for (const id of due) if (!found.some((recording) => recording.id === id)) retries.forget(id);
    for (const recording of found) {
      try {
        await this.#import(recording);
        retries.forget(recording.id);
      } catch (error) {
        if (error instanceof DatabaseUnavailable) throw error;
        retries.failed(recording.id);
        log.warn({ err: error, recordingId: recording.id }, 'failed to import a spoken greeting; will retry');
      }
    }
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
