#!/usr/bin/env node
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tsImport } from 'tsx/esm/api';

import { ROOT, Trouble, main } from './lib/run.mjs';

const SHORTEST = 10;
const FALSE_POSITIVES = 0.0001;
const OUTPUT = join(ROOT, 'adapters/passwords/leaked-passwords.bin');

/** Makes the filter of leaked passwords out of word lists, one password a line. Decision 50 names the lists. */
await main(async () => {
  const lists = process.argv.slice(2);
  if (lists.length === 0) throw new Trouble('Usage: node scripts/make-leaked-passwords.mjs <list> …');
  const { BloomFilter } = await tsImport('../adapters/passwords/bloom-filter.ts', import.meta.url);
  const { listedForm } = await tsImport('../adapters/passwords/leaked-passwords.ts', import.meta.url);
  const passwords = new Set(
    lists
      .flatMap((list) => readFileSync(list, 'utf8').split(/\r?\n/))
      .map(listedForm)
      .filter((password) => Array.from(password).length >= SHORTEST),
  );
  const { bytes } = BloomFilter.of(passwords, FALSE_POSITIVES);
  writeFileSync(OUTPUT, bytes);
  console.log(`${passwords.size} passwords of ${SHORTEST} characters or more in ${bytes.length} bytes.`);
});
