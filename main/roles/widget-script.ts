import { readFile } from 'node:fs/promises';
import { hasCode } from '../../core/model/error-code.js';

/** What the build makes of console/widget; beside the sources it is in dist, beside the build one folder up. */
const PLACES = ['../../console/widget/v1.js', '../../dist/console/widget/v1.js'];

/** The widget as pages load it; null where nothing was built. */
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
