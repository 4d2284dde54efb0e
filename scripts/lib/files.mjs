import { existsSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';

import { ROOT } from './run.mjs';

/** The files below a folder, or the file itself, as sorted paths relative to {@link ROOT}. */
export function filesOf(entry) {
  if (!existsSync(join(ROOT, entry))) return [];
  if (/\.[a-z]+$/.test(entry)) return [entry];
  return readdirSync(join(ROOT, entry), { recursive: true, withFileTypes: true })
    .filter((item) => item.isFile())
    .map((item) => relative(ROOT, join(item.parentPath, item.name)))
    .sort();
}
