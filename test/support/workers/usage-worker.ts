/**
 * A process that writes steps of calls as an owner does, and at the same time rates them and aggregates usage, until it
 * is done or killed. `WORK` names a file with the steps, `DATABASE_URL` their database. Each written step is a step of
 * ./mortal.ts.
 */
import { readFileSync } from 'node:fs';
import { CallWriter, type CallEffect } from '../../../core/data/call-writer.js';
import { Database } from '../../../core/data/database.js';
import { CallWriteError } from '../../../core/data/errors.js';
import { Usage } from '../../../core/data/repositories/billing/usage.js';
import { raterOn } from '../stages/billing/billing-stage.js';
import { step } from './mortal.js';

const { WORK = '', DATABASE_URL = '' } = process.env;
const stories = JSON.parse(readFileSync(WORK, 'utf8')) as CallEffect[][];
const db = Database.open(DATABASE_URL);
const writer = new CallWriter(db, { spacingMs: 0, maxBatch: 20 });
const usage = new Usage(db);
let isWriting = true;

async function write(story: readonly CallEffect[]): Promise<void> {
  for (const effect of story) {
    // An earlier process may have written this step already.
    await writer.commit(effect).catch((error: unknown) => {
      if (!(error instanceof CallWriteError)) throw error;
    });
    step();
  }
}

async function writeAll(): Promise<void> {
  const left = [...stories];
  const writers = Array.from({ length: 60 }, async () => {
    for (let story = left.shift(); story; story = left.shift()) await write(story);
  });
  await Promise.all(writers);
  isWriting = false;
}

async function foldAll(): Promise<void> {
  while (isWriting) await usage.fold(7);
}

async function rateAll(): Promise<void> {
  const rating = raterOn(db);
  while (isWriting) await rating.rate();
}

await Promise.all([writeAll(), foldAll(), rateAll()]);
await db.close();
