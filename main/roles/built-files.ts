import { readFile } from 'node:fs/promises';
import type { PhoneFiles } from '../../api/routes/web-calling/phone.js';
import type { WebPackage } from '../../api/routes/web-calling/package.js';
import { hasCode } from '../../core/model/error-code.js';

/** The folder of the build, relative to the built file and to the source file. */
const PLACES = ['../../', '../../dist/'];

/** The script of the widget that web pages load; null if it was not built. */
export function widgetScript(): Promise<Buffer | null> {
  return builtFile('console/widget/v1.js');
}

/** The chat of the widget, which pages load if the widget has one; null if it was not built. */
export function widgetChat(): Promise<Buffer | null> {
  return builtFile('console/widget/chat/v1.js');
}

/** The browser package; null if it was not built. */
export async function webPackage(): Promise<WebPackage | null> {
  const [module, archive, licences] = await Promise.all(
    ['v1.js', 'hatif-web.tgz', 'licences.txt'].map((name) => builtFile(`packages/web/${name}`)),
  );
  return module && archive && licences ? { module, archive, licences } : null;
}

/** The page for agents; null if it was not built. */
export async function phoneFiles(): Promise<PhoneFiles | null> {
  const [script, style, worker] = await Promise.all(
    ['main.js', 'style.css', 'worker.js'].map((name) => builtFile(`console/phone/${name}`)),
  );
  return script && style && worker ? { script, style, worker } : null;
}

async function builtFile(name: string): Promise<Buffer | null> {
  for (const place of PLACES) {
    try {
      return await readFile(new URL(place + name, import.meta.url));
    } catch (error) {
      if (!hasCode(error, 'ENOENT')) throw error;
    }
  }
  return null;
}
