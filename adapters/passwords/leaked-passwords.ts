import { readFileSync } from 'node:fs';
import { BloomFilter } from './bloom-filter.js';

/** Made by scripts/make-leaked-passwords.mjs; decision 50 says from what. */
const FILE = new URL('./leaked-passwords.bin', import.meta.url);

let filter: BloomFilter | null = null;

/** The form in which passwords are in the filter: attackers try capitals of what they know, too. */
export function listedForm(password: string): string {
  return password.normalize('NFKC').toLowerCase();
}

/** Whether the password is in the bundled list, which is read at the first password. */
export function isLeaked(password: string): boolean {
  filter ??= BloomFilter.read(readFileSync(FILE));
  return filter.has(listedForm(password));
}
