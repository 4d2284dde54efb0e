import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';

/** The folder of package.json is two folders above the source file and three above the built one. */
const FOLDERS = ['../../', '../../../'];

const found = ((): { readonly version: string; readonly folder: URL } | null => {
  for (const path of FOLDERS) {
    const folder = new URL(path, import.meta.url);
    try {
      const { name, version } = JSON.parse(readFileSync(new URL('package.json', folder), 'utf8')) as Record<
        string,
        string
      >;
      if (name === 'hatif' && version !== undefined) return { version, folder };
    } catch {
      // Try the other path.
    }
  }
  return null;
})();

/** The version in package.json. */
export const VERSION = found?.version ?? 'unknown';

/** The variables in `.env` beside package.json; none without that file. */
export function environmentFile(): Readonly<Record<string, string | undefined>> {
  if (found === null) return {};
  try {
    return parseEnv(readFileSync(new URL('.env', found.folder), 'utf8'));
  } catch {
    return {};
  }
}
