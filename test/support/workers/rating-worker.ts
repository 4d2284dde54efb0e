/**
 * A process that writes ended calls and rates them with two raters at the same time, until it is done or killed. `WORK`
 * names a file with the calls, `DATABASE_URL` their database. Each written call is a step of ./mortal.ts.
 */
import { readFileSync } from 'node:fs';
import { CallWriter, type CallEffect } from '../../../core/data/call-writer.js';
import { Database } from '../../../core/data/database.js';
import { CallWriteError } from '../../../core/data/errors.js';
import { systemClock } from '../../../core/ports/clock.js';
import { openBilling } from '../../../main/wiring/billing.js';
import { openStores } from '../../../main/wiring/stores.js';
import { step } from './mortal.js';

const { WORK = '', DATABASE_URL = '' } = process.env;
const calls = JSON.parse(readFileSync(WORK, 'utf8')) as CallEffect[];
const stores = openStores(DATABASE_URL, 10);
const db = Database.open(DATABASE_URL);
const writer = new CallWriter(db, { spacingMs: 0, maxBatch: 20 });
const { rating } = openBilling(stores, systemClock, () => undefined);
let isWriting = true;

async function write(): Promise<void> {
  for (let call = calls.shift(); call; call = calls.shift()) {
    // An earlier process may have written this call already.
    await writer.commit(call).catch((error: unknown) => {
      if (!(error instanceof CallWriteError)) throw error;
    });
    step();
  }
}

async function rate(): Promise<void> {
  let count: number;
  do count = await rating.rate();
  while (isWriting || count > 0);
}

await Promise.all([Promise.all(Array.from({ length: 100 }, write)).then(() => (isWriting = false)), rate(), rate()]);
await db.close();
await stores.db.close();
