import { readFile } from 'node:fs/promises';
import type { Guide } from '../../api/pages/guide/guide.js';
import { hasCode } from '../../core/model/error-code.js';

/** Paths of the built guide: relative to `dist/main/guide`, and to `main/guide` in the sources. */
const PLACES = ['../../guide.json', '../../dist/guide.json'];

/** The guide as the build rendered it; null if nothing was built. */
export async function readGuide(): Promise<Guide | null> {
  for (const place of PLACES) {
    try {
      return JSON.parse(await readFile(new URL(place, import.meta.url), 'utf8')) as Guide;
    } catch (error) {
      if (!hasCode(error, 'ENOENT')) throw error;
    }
  }
  return null;
}
