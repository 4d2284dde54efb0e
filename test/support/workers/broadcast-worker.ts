/**
 * A process that does what the role `jobs` does with messages, until it is killed: its environment has the settings. Each
 * message from its parent is answered with the bytes of its heap in use.
 */
import { readSettings } from '../../../config/read-settings.js';
import { systemClock } from '../../../core/ports/clock.js';
import { runPeriodicTasks } from '../../../core/services/runtime/periodic-task.js';
import { openBilling } from '../../../main/wiring/billing.js';
import { openMessaging } from '../../../main/wiring/messaging.js';
import { openStores } from '../../../main/wiring/stores.js';
import { NO_FILES } from '../stages/messaging/files.js';
import { NotedSoftphones } from '../stages/messaging/softphones.js';
import { TEST_CIPHER } from '../cipher.js';
import { quiet } from '../logger.js';
import { LocalChatSignals } from '../peers/chat/local-signals.js';

const settings = readSettings(process.env);
const stores = openStores(settings.DATABASE_URL ?? '', 5);
const wake = (): void => undefined;
const { credit } = openBilling(stores, systemClock, wake);
const parts = {
  mailer: null,
  chatSignals: new LocalChatSignals(),
  softphones: new NotedSoftphones(),
  cipher: TEST_CIPHER,
  credit,
  clock: systemClock,
  log: quiet,
  wake,
};
const messaging = openMessaging({ settings, stores, ...NO_FILES, ...parts });
messaging.start();
runPeriodicTasks(messaging.tasks, parts);
process.on('message', () => {
  globalThis.gc?.();
  process.send?.(process.memoryUsage().heapUsed);
});
process.send?.('started');
