import { AudioFiles } from '../../core/data/repositories/calls/audio-files.js';
import type { ProjectKind } from '../../core/data/repositories/project-kind.js';
import type { Cipher } from '../../core/model/access/cipher.js';
import type { Clock } from '../../core/ports/clock.js';
import type { Logger } from '../../core/ports/logger.js';
import type { Mailer } from '../../core/ports/mail.js';
import type { MediaStore } from '../../core/ports/media-store.js';
import type { ObjectStores } from '../../core/ports/object-store.js';
import type { Prompts } from '../../core/services/call-state/program.js';
import { RecordingLinks } from '../../core/services/recordings/links.js';
import { RecordingRemoval } from '../../core/services/recordings/removal.js';
import type { PeriodicTask } from '../../core/services/runtime/periodic-task.js';
import { VoicemailBoxService } from '../../core/services/voicemail/boxes.js';
import { VoicemailByPhone } from '../../core/services/voicemail/by-phone.js';
import { VoicemailBoxLookup } from '../../core/services/voicemail/box-lookup.js';
import { SpokenGreetings } from '../../core/services/voicemail/greetings.js';
import { VoicemailPins } from '../../core/services/voicemail/pins.js';
import { VoicemailMails } from '../../core/services/voicemail/mails.js';
import { VoicemailService } from '../../core/services/voicemail/messages.js';
import type { Stores } from './stores.js';

export interface VoicemailOptions {
  readonly stores: Pick<Stores, 'db' | 'numbers' | 'organizations' | 'recordings' | 'voicemailBoxes' | 'voicemails'>;
  readonly storages: ObjectStores;
  readonly media: MediaStore;
  readonly prompts: Prompts;
  /** Null: no mail is sent. */
  readonly mailer: Mailer | null;
  readonly cipher: Cipher;
  /** The environment's feature flag. */
  readonly isOn: boolean;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Services for voicemail, for calls and for the API. */
export interface Voicemail {
  readonly boxLookup: VoicemailBoxLookup;
  readonly byPhone: VoicemailByPhone;
  readonly boxes: VoicemailBoxService;
  readonly messages: VoicemailService;
  readonly tasks: readonly PeriodicTask[];
}

export function openVoicemail(options: VoicemailOptions): Voicemail {
  const { stores, storages, media, prompts, mailer, cipher, isOn, clock, log } = options;
  const { voicemailBoxes: boxes, voicemails, numbers, recordings, organizations } = stores;
  const audioFiles = new AudioFiles(stores.db);
  const hasAudio = async (of: ProjectKind, audioId: string): Promise<boolean> =>
    (await audioFiles.get(of, audioId)) !== null;
  const organization = (id: string) => organizations.get(id);
  const boxLookup = new VoicemailBoxLookup({ boxes, organization, isOn, hasAudio, media, prompts, log });
  const pins = new VoicemailPins({ boxes, numbers, cipher, clock });
  const service = new VoicemailBoxService({ boxes, numbers, media, hasAudio, pins, clock });
  const removal = new RecordingRemoval({ recordings, stores: storages, log });
  const links = new RecordingLinks(cipher, clock);
  const messages = new VoicemailService({ voicemails, recordings, removal, stores: storages, links, clock });
  const byPhone = { boxLookup, table: boxes, pins, voicemails, messages, media, clock, log };
  const greetings = { recordings, removal, stores: storages, table: boxes, boxes: service, clock, log };
  return {
    boxLookup,
    byPhone: new VoicemailByPhone(byPhone),
    boxes: service,
    messages,
    tasks: [
      ...(mailer ? [new VoicemailMails({ voicemails, messages, mailer, log })] : []),
      new SpokenGreetings(greetings),
    ],
  };
}
