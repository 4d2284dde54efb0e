#!/usr/bin/env node
/**
 * `npm run check:arabic [-- file…]`: fails on Arabic text that breaks the glossary or the rules of
 * docs/reference/arabic.md, and prints the replacement. Without files it checks every tracked text file of the product.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

import { arabicFaults } from './lib/arabic.mjs';
import { ROOT, Trouble, main } from './lib/run.mjs';

const TEXTS = /\.(?:ts|mjs|cjs|js|md|html|json)$/;
/**
 * Not checked: tests contain user input; the other files contain the rules, or words for text-to-speech without
 * context.
 */
const EXCLUDED = [
  /^test\//,
  /^docs\/reference\/arabic\.md$/,
  /^scripts\/lib\/arabic\.mjs$/,
  /^adapters\/speech\/arabic-vowels\.ts$/,
  /^package-lock\.json$/,
];

await main(async () => {
  const named = process.argv.slice(2);
  const files = named.length > 0 ? named : trackedFiles().filter(isChecked);
  const texts = files.map((file) => ({ file, text: readFileSync(resolve(ROOT, file), 'utf8') }));
  const arabic = texts.filter(({ text }) => /[\u0621-\u064a]/.test(text));
  if (arabic.length === 0) throw new Trouble('There is no Arabic text to look at.');
  const faults = arabic.flatMap(({ file, text }) =>
    arabicFaults(file, text).map(({ line, found, use }) => `${file}:${line}: «${found}»: write ${use}`),
  );
  if (faults.length > 0)
    throw new Trouble(`${faults.join('\n')}\n\n${faults.length} faults; see docs/reference/arabic.md.`);
  console.log(`Arabic: ${arabic.length} files, every text follows the glossary.`);
});

function isChecked(file) {
  return TEXTS.test(file) && !EXCLUDED.some((pattern) => pattern.test(file));
}

function trackedFiles() {
  return execFileSync('git', ['ls-files', '-z'], { cwd: ROOT, encoding: 'utf8', maxBuffer: 2 ** 26 })
    .split('\0')
    .filter((file) => file !== '');
}
