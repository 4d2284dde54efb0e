/**
 * A process that only delivers one lane, for tests to kill:
 * `webhook-worker <database url> <lane>`.
 */
import { GuardedHttpClient } from '../../../adapters/http/client.js';
import { Database } from '../../../core/data/database.js';
import { Cipher } from '../../../core/model/access/cipher.js';
import { systemClock } from '../../../core/ports/clock.js';
import { Deliverer } from '../../../core/services/webhooks/deliverer.js';
import { MessageSigner } from '../../../core/services/webhooks/message.js';
import { silentLog, TEST_SECRET } from '../stages/webhook-stage.js';

const [url, lane] = process.argv.slice(2);
if (url === undefined || lane === undefined) throw new Error('a database and a lane are required');

new Deliverer({
  db: Database.open(url),
  http: new GuardedHttpClient({ allowLoopback: true }),
  signer: new MessageSigner(new Cipher(TEST_SECRET)),
  clock: systemClock,
  log: silentLog(),
  observer: { attempted: () => undefined, endpointDisabled: () => undefined },
}).wake(lane);
