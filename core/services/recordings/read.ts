import type { ConferenceRecordingObject, RecordingObject } from '../../model/objects/recording.js';
import type { Readable } from 'node:stream';
import type { CallScope } from '../../data/repositories/calls/calls.js';
import type { Conferences } from '../../data/repositories/calls/conferences.js';
import type { Recordings } from '../../data/repositories/calls/recordings.js';
import type { ConferenceRecordingRow, LegRecordingRow, RecordingRow } from '../../data/rows.js';
import { HatifError } from '../../model/errors/index.js';
import type { Clock } from '../../ports/clock.js';
import { StorageError, type ByteRange, type ObjectStores } from '../../ports/object-store.js';
import { findCall, type CallFinder } from '../calls/find-call.js';
import { conferenceNotFound, conferenceNotRecorded } from './conference-error.js';
import type { RecordingLinks, SignedLink } from './links.js';
import { presentConferenceRecording, presentRecording } from '../call-state/presenting/recording.js';

export interface ReadRecordingsOptions {
  readonly calls: CallFinder;
  readonly conferences: Pick<Conferences, 'get'>;
  readonly recordings: Recordings;
  readonly stores: ObjectStores;
  readonly links: RecordingLinks;
  readonly clock: Clock;
}

export interface LinkedRecording<R = RecordingObject> extends SignedLink {
  readonly recording: R;
  readonly bytes: number;
}

/** A recording's audio, ready to stream. */
export interface RecordingFile {
  readonly recordingId: string;
  readonly bytes: number;
  /** Seconds until the link that opened it expires. */
  readonly secondsLeft: number;
  /** @throws HatifError as {@link ReadRecordings.open} */
  read(range?: ByteRange): Promise<Readable>;
}

/** The requested recording, or the newest one, if it is available. */
function chosen<R extends RecordingRow>(rows: readonly R[], recordingId: string | null): R | undefined {
  const available = rows.filter(({ status }) => status === 'available');
  return available.findLast(({ id }) => recordingId === null || id === recordingId);
}

/** What an error shows instead of a call id if the link is not valid. */
const OF_THE_LINK = { en: 'of this link', ar: 'صاحبة هذا الرابط' };

/** Presents recordings for the API, and opens their audio. */
export class ReadRecordings {
  constructor(private readonly options: ReadRecordingsOptions) {}

  /** All recordings of a call, including running, failed and deleted ones. @throws HatifError CALL_NOT_FOUND */
  async list(scope: CallScope, callId: string): Promise<RecordingObject[]> {
    return (await this.#ofCall(scope, callId)).map(presentRecording);
  }

  /**
   * Creates a link to the audio of a call's recording, by default the newest. Checks the storage first, so that the
   * link will work.
   * @throws HatifError CALL_NOT_FOUND, RECORDING_NOT_FOUND, RECORDING_SERVICE_UNAVAILABLE
   */
  async link(scope: CallScope, callId: string, recordingId: string | null): Promise<LinkedRecording> {
    const row = chosen(await this.#ofCall(scope, callId), recordingId);
    if (!row) throw new HatifError('RECORDING_NOT_FOUND', { call_id: callId });
    return { ...(await this.#linkTo(row)), recording: presentRecording(row) };
  }

  /** All recordings of a conference, as {@link list}. @throws HatifError CONFERENCE_NOT_FOUND */
  async listOfConference(scope: CallScope, conferenceId: string): Promise<ConferenceRecordingObject[]> {
    return (await this.#ofConference(scope, conferenceId)).map(presentConferenceRecording);
  }

  /** As {@link link}. @throws HatifError CONFERENCE_NOT_FOUND, RECORDING_NOT_FOUND, RECORDING_SERVICE_UNAVAILABLE */
  async linkOfConference(
    scope: CallScope,
    conferenceId: string,
    recordingId: string | null,
  ): Promise<LinkedRecording<ConferenceRecordingObject>> {
    const row = chosen(await this.#ofConference(scope, conferenceId), recordingId);
    if (!row) throw conferenceNotRecorded(conferenceId);
    return { ...(await this.#linkTo(row)), recording: presentConferenceRecording(row) };
  }

  async #linkTo(row: RecordingRow): Promise<SignedLink & { readonly bytes: number }> {
    return { ...this.options.links.make(row.id), bytes: await this.#withStore(row, (key, store) => store.size(key)) };
  }

  /**
   * Opens the audio behind a link.
   * @throws HatifError RECORDING_URL_INVALID, RECORDING_URL_EXPIRED, RECORDING_NOT_FOUND,
   * RECORDING_SERVICE_UNAVAILABLE
   */
  async open(recordingId: string, expires: string, signature: string): Promise<RecordingFile> {
    const { links, recordings, clock } = this.options;
    const expiresAt = links.check(recordingId, expires, signature);
    if (expiresAt === null) throw new HatifError('RECORDING_URL_INVALID');
    if (expiresAt <= clock.now()) throw new HatifError('RECORDING_URL_EXPIRED');
    const row = await recordings.find(recordingId);
    if (row?.status !== 'available') throw new HatifError('RECORDING_NOT_FOUND', { call_id: OF_THE_LINK });
    return {
      recordingId,
      secondsLeft: Math.floor((expiresAt.getTime() - clock.now().getTime()) / 1000),
      bytes: await this.#withStore(row, (key, store) => store.size(key)),
      read: (range) => this.#withStore(row, (key, store) => store.read(key, range)),
    };
  }

  async #ofConference(scope: CallScope, conferenceId: string): Promise<ConferenceRecordingRow[]> {
    const { conferences, recordings } = this.options;
    if (!(await conferences.get(scope, conferenceId))) throw conferenceNotFound(conferenceId);
    return recordings.ofConference(conferenceId);
  }

  async #ofCall(scope: CallScope, callId: string): Promise<LegRecordingRow[]> {
    const { calls, recordings } = this.options;
    await findCall(calls, scope, callId);
    return recordings.ofCall(callId);
  }

  async #withStore<T>(
    { storage, storage_key: key, call_id }: RecordingRow,
    operation: (key: string, store: ReturnType<ObjectStores['of']>) => Promise<T>,
  ): Promise<T> {
    if (storage === null || key === null) throw new HatifError('RECORDING_NOT_FOUND', { call_id });
    try {
      return await operation(key, this.options.stores.of(storage));
    } catch (error) {
      if (!(error instanceof StorageError)) throw error;
      // A file that is missing in the storage counts as deleted.
      if (error.problem === 'not_found') throw new HatifError('RECORDING_NOT_FOUND', { call_id }, { cause: error });
      throw new HatifError('RECORDING_SERVICE_UNAVAILABLE', {}, { cause: error });
    }
  }
}
