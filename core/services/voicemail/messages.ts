import type { VoicemailObject } from '../../model/objects/voicemail.js';
import { buffer } from 'node:stream/consumers';
import type { Recordings } from '../../data/repositories/calls/recordings.js';
import type {
  StoredVoicemail,
  VoicemailFilter,
  Voicemails,
  VoicemailScope,
} from '../../data/repositories/voicemail/voicemails.js';
import { HatifError } from '../../model/errors/index.js';
import type { Clock } from '../../ports/clock.js';
import { StorageError, type ObjectStore, type ObjectStores } from '../../ports/object-store.js';
import type { RecordingLinks, SignedLink } from '../recordings/links.js';
import type { RecordingRemoval } from '../recordings/removal.js';
import { presentVoicemail } from '../call-state/presenting/voicemail.js';

export interface VoicemailServiceOptions {
  readonly voicemails: Voicemails;
  readonly recordings: Pick<Recordings, 'delete'>;
  readonly removal: RecordingRemoval;
  readonly stores: ObjectStores;
  readonly links: RecordingLinks;
  readonly clock: Clock;
}

/** A link to a message's audio, in the form of a recording's link. */
export interface VoicemailLink extends SignedLink {
  readonly recording: {
    readonly recording_id: string;
    readonly duration_seconds: number;
    readonly channels: 1;
    readonly format: 'wav';
  };
  readonly bytes: number;
}

const LEGAL_HOLD = {
  en: 'deleting a message under legal hold, which only the operator can release',
  ar: 'حذف رسالة محفوظة بأمر قانوني لا يرفعه إلا المشغّل',
};

/** Manages a project's voicemail messages. */
export class VoicemailService {
  constructor(private readonly options: VoicemailServiceOptions) {}

  /** Returns messages newest first. */
  list(
    scope: VoicemailScope,
    filter: VoicemailFilter,
    beforeId: string | null,
    limit: number,
  ): Promise<StoredVoicemail[]> {
    return this.options.voicemails.list(scope, filter, beforeId, limit);
  }

  /** @throws HatifError VOICEMAIL_NOT_FOUND */
  async get(scope: VoicemailScope, id: string): Promise<VoicemailObject> {
    return present(await this.#find(scope, id));
  }

  /** Idempotent: the first time is kept. @throws HatifError VOICEMAIL_NOT_FOUND */
  async markListened(scope: VoicemailScope, id: string): Promise<VoicemailObject> {
    await this.#find(scope, id);
    await this.options.voicemails.markListened(id, this.options.clock.now());
    return this.get(scope, id);
  }

  /**
   * Checks the storage first, so that the link will work. @throws HatifError VOICEMAIL_NOT_FOUND,
   * VOICEMAIL_RECORDING_NOT_FOUND, VOICEMAIL_SERVICE_UNAVAILABLE
   */
  async link(scope: VoicemailScope, id: string): Promise<VoicemailLink> {
    const message = await this.#find(scope, id);
    const bytes = await this.#withStore(message, (key, store) => store.size(key));
    const duration_seconds = Math.round(message.duration_ms / 100) / 10;
    return {
      ...this.options.links.make(id),
      recording: { recording_id: id, duration_seconds, channels: 1, format: 'wav' },
      bytes,
    };
  }

  /**
   * The message's complete audio, a WAV file of at most five minutes. @throws HatifError VOICEMAIL_RECORDING_NOT_FOUND,
   * VOICEMAIL_SERVICE_UNAVAILABLE
   */
  async audio(message: StoredVoicemail): Promise<Uint8Array> {
    return this.#withStore(message, async (key, store) => {
      try {
        return await buffer(await store.read(key));
      } catch (error) {
        if (error instanceof StorageError) throw error;
        throw new StorageError('unavailable', 'reading the audio was interrupted', { cause: error });
      }
    });
  }

  /**
   * Deletes message, text and audio for good. If the storage is unavailable, the audio is inaccessible at once and is
   * removed later.
   * @throws HatifError VOICEMAIL_NOT_FOUND, INSUFFICIENT_PERMISSIONS (legal hold)
   */
  async delete(scope: VoicemailScope, id: string): Promise<void> {
    await this.#find(scope, id);
    const deleted = await this.options.recordings.delete([id]);
    if (deleted) {
      await this.options.removal.remove(deleted.removals);
      return;
    }
    // A concurrent deletion or hold came first.
    await this.#find(scope, id);
    throw new HatifError('INSUFFICIENT_PERMISSIONS', { permission: LEGAL_HOLD });
  }

  async #find(scope: VoicemailScope, id: string): Promise<StoredVoicemail> {
    const message = await this.options.voicemails.get(scope, id);
    if (!message) throw new HatifError('VOICEMAIL_NOT_FOUND', { id });
    return message;
  }

  async #withStore<T>(
    { id, recording_status, storage, storage_key: key }: StoredVoicemail,
    operation: (key: string, store: ObjectStore) => Promise<T>,
  ): Promise<T> {
    if (recording_status !== 'available' || storage === null || key === null) {
      throw new HatifError('VOICEMAIL_RECORDING_NOT_FOUND', { id });
    }
    try {
      return await operation(key, this.options.stores.of(storage));
    } catch (error) {
      if (!(error instanceof StorageError)) throw error;
      // A file that is missing in the storage counts as deleted.
      if (error.problem === 'not_found')
        throw new HatifError('VOICEMAIL_RECORDING_NOT_FOUND', { id }, { cause: error });
      throw new HatifError('VOICEMAIL_SERVICE_UNAVAILABLE', {}, { cause: error });
    }
  }
}

export function present(message: StoredVoicemail): VoicemailObject {
  return presentVoicemail(message, message.recording_status === 'available');
}
