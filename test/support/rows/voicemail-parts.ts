import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AudioMediaStore } from '../../../adapters/media/media-store.js';
import { openObjectStores } from '../../../adapters/storage/index.js';
import type { Database } from '../../../core/data/database.js';
import { Numbers } from '../../../core/data/repositories/numbers/numbers.js';
import { Organizations } from '../../../core/data/repositories/accounts/organizations.js';
import { Recordings } from '../../../core/data/repositories/calls/recordings.js';
import { VoicemailBoxes } from '../../../core/data/repositories/voicemail/voicemail-boxes.js';
import { Voicemails } from '../../../core/data/repositories/voicemail/voicemails.js';
import { Cipher } from '../../../core/model/access/cipher.js';
import { newId } from '../../../core/model/ids.js';
import type { Clock } from '../../../core/ports/clock.js';
import type { ObjectStores } from '../../../core/ports/object-store.js';
import { openVoicemail, type Voicemail } from '../../../main/wiring/voicemail.js';
import { quiet } from '../logger.js';

export interface VoicemailParts extends Voicemail {
  readonly storages: ObjectStores;
}

/** Voicemail on a database, with its own storage; prompts are silence of ten milliseconds a character. */
export function voicemailParts(db: Database, clock: Clock): VoicemailParts {
  const folder = join(tmpdir(), `hatif-voicemail-${newId()}`);
  const storages = openObjectStores({ use: 'local', folder: join(folder, 'kept') });
  const voicemail = openVoicemail({
    stores: {
      db,
      numbers: new Numbers(db),
      organizations: new Organizations(db),
      recordings: new Recordings(db),
      voicemailBoxes: new VoicemailBoxes(db),
      voicemails: new Voicemails(db),
    },
    storages,
    media: new AudioMediaStore({ dir: join(folder, 'media') }),
    prompts: { say: (text) => Promise.resolve({ type: 'silence', durationMs: text.length * 10 }) },
    mailer: null,
    cipher: new Cipher('a secret for tests, thirty-two characters'),
    isOn: true,
    clock,
    log: quiet,
  });
  return { ...voicemail, storages };
}
