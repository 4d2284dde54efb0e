/**
 * A process that charges the fees of numbers as of the time `NOW`, until none is due or it is killed. Each batch is a step
 * of ./mortal.ts.
 */
import { systemClock } from '../../../core/ports/clock.js';
import { openBilling } from '../../../main/wiring/billing.js';
import { openStores } from '../../../main/wiring/stores.js';
import { step } from './mortal.js';

const { NOW = '', DATABASE_URL = '' } = process.env;
const stores = openStores(DATABASE_URL, 4);
const clock = { ...systemClock, now: () => new Date(NOW) };
const { numberFees } = openBilling(stores, clock, () => undefined);
while ((await numberFees.charge()) > 0) step();
await stores.writer.idle();
await stores.db.close();
