import { AudioFiles } from '../core/data/repositories/audio-files.js';
import type { Cipher } from '../core/model/cipher.js';
import type { Clock } from '../core/ports/clock.js';
import type { Logger } from '../core/ports/logger.js';
import type { MediaStore } from '../core/ports/media-store.js';
import type { ObjectStores } from '../core/ports/object-store.js';
import type { Prompts } from '../core/services/calls/program.js';
import { RecordingLinks } from '../core/services/recordings/links.js';
import { RecordingRemoval } from '../core/services/recordings/removal.js';
import { VoicemailBoxService } from '../core/services/voicemail/boxes.js';
import { VoicemailDesk } from '../core/services/voicemail/desk.js';
import { VoicemailService } from '../core/services/voicemail/messages.js';
import type { Stores } from './stores.js';

export interface VoicemailOptions {
  readonly stores: Stores;
  readonly storages: ObjectStores;
  readonly media: MediaStore;
  readonly prompts: Prompts;
  readonly cipher: Cipher;
  /** Of the environment. */
  readonly isOn: boolean;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Voicemail in this process, for calls and for the API. */
export interface Voicemail {
  readonly desk: VoicemailDesk;
  readonly boxes: VoicemailBoxService;
  readonly messages: VoicemailService;
}

export function openVoicemail(options: VoicemailOptions): Voicemail {
  const { stores, storages, media, prompts, cipher, isOn, clock, log } = options;
  const { voicemailBoxes: boxes, voicemails, numbers, recordings, organizations } = stores;
  const audioFiles = new AudioFiles(stores.db);
  const hasAudio = async (projectId: string, audioId: string): Promise<boolean> =>
    (await audioFiles.get(projectId, audioId)) !== null;
  const organization = (id: string) => organizations.get(id);
  return {
    desk: new VoicemailDesk({ boxes, organization, isOn, hasAudio, media, prompts, log }),
    boxes: new VoicemailBoxService({ boxes, numbers, media, hasAudio, cipher, clock }),
    messages: new VoicemailService({
      voicemails,
      recordings,
      removal: new RecordingRemoval({ recordings, stores: storages, log }),
      stores: storages,
      links: new RecordingLinks(cipher, clock),
      clock,
    }),
  };
}
