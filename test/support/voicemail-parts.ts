import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AudioMediaStore } from '../../adapters/media/media-store.js';
import { openObjectStores } from '../../adapters/storage/index.js';
import type { Database } from '../../core/data/database.js';
import { Numbers } from '../../core/data/repositories/numbers.js';
import { Organizations } from '../../core/data/repositories/organizations.js';
import { Recordings } from '../../core/data/repositories/recordings.js';
import { VoicemailBoxes } from '../../core/data/repositories/voicemail-boxes.js';
import { Voicemails } from '../../core/data/repositories/voicemails.js';
import { Cipher } from '../../core/model/cipher.js';
import { newId } from '../../core/model/ids.js';
import type { Clock } from '../../core/ports/clock.js';
import { openVoicemail, type Voicemail } from '../../main/voicemail.js';
import { quiet } from './logger.js';

/** Voicemail on a database, with a storage of its own; prompts are silence, ten milliseconds a character. */
export function voicemailParts(db: Database, clock: Clock): Voicemail {
  const folder = join(tmpdir(), `hatif-voicemail-${newId()}`);
  return openVoicemail({
    stores: {
      db,
      numbers: new Numbers(db),
      organizations: new Organizations(db),
      recordings: new Recordings(db),
      voicemailBoxes: new VoicemailBoxes(db),
      voicemails: new Voicemails(db),
    },
    storages: openObjectStores({ use: 'local', folder: join(folder, 'kept') }),
    media: new AudioMediaStore({ dir: join(folder, 'media') }),
    prompts: { say: (text) => Promise.resolve({ type: 'silence', durationMs: text.length * 10 }) },
    mailer: null,
    cipher: new Cipher('a secret for tests, thirty-two characters'),
    isOn: true,
    clock,
    log: quiet,
  });
}
