import type { Readable } from 'node:stream';
import type { CallScope } from '../../data/repositories/calls.js';
import type { Recordings } from '../../data/repositories/recordings.js';
import type { RecordingRow } from '../../data/rows.js';
import { HatifError } from '../../model/errors/index.js';
import type { Clock } from '../../ports/clock.js';
import { StorageError, type ByteRange, type ObjectStores } from '../../ports/object-store.js';
import { findCall, type CallFinder } from '../calls/find-call.js';
import type { RecordingLinks, SignedLink } from './links.js';
import { presentRecording, type RecordingObject } from './present.js';

export interface ReadRecordingsOptions {
  readonly calls: CallFinder;
  readonly recordings: Recordings;
  readonly stores: ObjectStores;
  readonly links: RecordingLinks;
  readonly clock: Clock;
}

export interface LinkedRecording extends SignedLink {
  readonly recording: RecordingObject;
  readonly bytes: number;
}

/** A recording's audio, ready to be read. */
export interface RecordingFile {
  readonly recordingId: string;
  readonly bytes: number;
  /** For how long the link that opened it still works. */
  readonly secondsLeft: number;
  /** @throws HatifError as {@link ReadRecordings.open} */
  read(range?: ByteRange): Promise<Readable>;
}

/** What a link of nobody's knows of its call. */
const OF_THE_LINK = { en: 'of this link', ar: 'صاحبة هذا الرابط' };

/** Recordings as the API shows them, and their audio. */
export class ReadRecordings {
  constructor(private readonly options: ReadRecordingsOptions) {}

  /** All of a call, also running, failed and deleted ones. @throws HatifError CALL_NOT_FOUND */
  async list(scope: CallScope, callId: string): Promise<RecordingObject[]> {
    return (await this.#ofCall(scope, callId)).map(presentRecording);
  }

  /**
   * A link to the audio of the named recording of a call, or of its newest. The storage is asked first: a link is a promise.
   * @throws HatifError CALL_NOT_FOUND, RECORDING_NOT_FOUND, RECORDING_SERVICE_UNAVAILABLE
   */
  async link(scope: CallScope, callId: string, recordingId: string | null): Promise<LinkedRecording> {
    const available = (await this.#ofCall(scope, callId)).filter(({ status }) => status === 'available');
    const row = available.findLast(({ id }) => recordingId === null || id === recordingId);
    if (!row) throw new HatifError('RECORDING_NOT_FOUND', { call_id: callId });
    const bytes = await this.#ask(row, (key, store) => store.size(key));
    return { ...this.options.links.make(row.id), recording: presentRecording(row), bytes };
  }

  /**
   * The audio that a link leads to.
   * @throws HatifError RECORDING_NOT_FOUND (also for a forged link), RECORDING_URL_EXPIRED, RECORDING_SERVICE_UNAVAILABLE
   */
  async open(recordingId: string, expires: string, signature: string): Promise<RecordingFile> {
    const { links, recordings, clock } = this.options;
    const expiresAt = links.check(recordingId, expires, signature);
    if (expiresAt === null) throw new HatifError('RECORDING_NOT_FOUND', { call_id: OF_THE_LINK });
    if (expiresAt <= clock.now()) throw new HatifError('RECORDING_URL_EXPIRED');
    const row = await recordings.find(recordingId);
    if (row?.status !== 'available') throw new HatifError('RECORDING_NOT_FOUND', { call_id: OF_THE_LINK });
    return {
      recordingId,
      secondsLeft: Math.floor((expiresAt.getTime() - clock.now().getTime()) / 1000),
      bytes: await this.#ask(row, (key, store) => store.size(key)),
      read: (range) => this.#ask(row, (key, store) => store.read(key, range)),
    };
  }

  async #ofCall(scope: CallScope, callId: string): Promise<RecordingRow[]> {
    const { calls, recordings } = this.options;
    await findCall(calls, scope, callId);
    return recordings.ofCall(callId);
  }

  async #ask<T>(
    { storage, storage_key: key, call_id }: RecordingRow,
    question: (key: string, store: ReturnType<ObjectStores['of']>) => Promise<T>,
  ): Promise<T> {
    if (storage === null || key === null) throw new HatifError('RECORDING_NOT_FOUND', { call_id });
    try {
      return await question(key, this.options.stores.of(storage));
    } catch (error) {
      if (!(error instanceof StorageError)) throw error;
      // A file that somebody took out of the storage is as good as deleted.
      if (error.problem === 'not_found') throw new HatifError('RECORDING_NOT_FOUND', { call_id }, { cause: error });
      throw new HatifError('RECORDING_SERVICE_UNAVAILABLE', {}, { cause: error });
    }
  }
}
