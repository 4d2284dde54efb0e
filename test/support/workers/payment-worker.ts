/**
 * A process that settles payments until it is done or killed: it polls the gateway and confirms bank transfers at the
 * same time. `WORK` names a file with the payments' references and paid amounts, `DATABASE_URL` their database. Each
 * settled payment is a step of ./mortal.ts.
 */
import { readFileSync } from 'node:fs';
import { readSettings } from '../../../config/read-settings.js';
import { systemClock } from '../../../core/ports/clock.js';
import { openPaying } from '../../../main/wiring/payments.js';
import { openStores } from '../../../main/wiring/stores.js';
import { quiet } from '../logger.js';
import { step } from './mortal.js';

const { WORK = '', DATABASE_URL = '' } = process.env;
const arrived = JSON.parse(readFileSync(WORK, 'utf8')) as { readonly reference: string; readonly paid: number }[];
const stores = openStores(DATABASE_URL, 10);
const observer = {
  ended: step,
  mismatched: () => undefined,
  unanswered: () => undefined,
};
const options = { stores, settings: readSettings(process.env), observer, clock: systemClock, log: quiet };
const paying = openPaying({ ...options, wake: () => undefined });

async function confirm(): Promise<void> {
  for (let one = arrived.shift(); one; one = arrived.shift())
    await paying.administration.confirm(one.reference, one.paid, null);
}

await Promise.all([paying.poller.run(), paying.poller.run(), confirm(), confirm(), confirm()]);
await paying.close();
await stores.db.close();
