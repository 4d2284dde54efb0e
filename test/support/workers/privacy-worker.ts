/**
 * A process that does the exports and erasures of personal data in the database of `DATABASE_URL` until none is due, or
 * until it is killed. `FOLDER` has the recordings. Each recorded piece of work is a step of ./mortal.ts.
 */
import { join } from 'node:path';
import { AudioMediaStore } from '../../../adapters/media/index.js';
import { readSettings } from '../../../config/read-settings.js';
import { systemClock } from '../../../core/ports/clock.js';
import { openManagement } from '../../../main/wiring/management.js';
import { openPrivacyTasks } from '../../../main/wiring/privacy/tasks.js';
import { openStorages } from '../../../main/wiring/storages.js';
import { openStores } from '../../../main/wiring/stores.js';
import { TEST_CIPHER } from '../cipher.js';
import { quiet } from '../logger.js';
import { LocalBus } from '../stages/accounts/softphone-engine.js';
import { step } from './mortal.js';

const { DATABASE_URL = '', FOLDER = '' } = process.env;
const settings = readSettings({
  DATABASE_URL,
  HATIF_DATA_DIR: FOLDER,
  RECORDING_DIR: join(FOLDER, 'recordings'),
  KEEP_CDR_YEARS: '0',
});
const stores = openStores(DATABASE_URL, 4);
const storages = openStorages(settings);
const tasks = openPrivacyTasks({
  ...{ settings, stores, storages },
  media: new AudioMediaStore({ dir: join(FOLDER, 'media') }),
  management: openManagement(stores, storages, TEST_CIPHER, systemClock, quiet, null, settings),
  ...{ bus: new LocalBus(), cipher: TEST_CIPHER, clock: systemClock, log: quiet, partBytes: 1, onPiece: step },
});
for (const task of tasks) await task.run();
await stores.db.close();
