import { readFile } from 'node:fs/promises';
import { hasCode } from '../../core/model/error-code.js';

/** The built script of console/widget, relative to the built file and to the source file. */
const PLACES = ['../../console/widget/v1.js', '../../dist/console/widget/v1.js'];

/** The script that web pages load; null if it was not built. */
export async function widgetScript(): Promise<Buffer | null> {
  for (const place of PLACES) {
    try {
      return await readFile(new URL(place, import.meta.url));
    } catch (error) {
      if (!hasCode(error, 'ENOENT')) throw error;
    }
  }
  return null;
}
