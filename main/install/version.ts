import { readFileSync } from 'node:fs';

/** The version in package.json, which is two folders above the source file and three above the built one. */
export const VERSION = ((): string => {
  for (const path of ['../../package.json', '../../../package.json']) {
    try {
      const { name, version } = JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8')) as Record<
        string,
        string
      >;
      if (name === 'hatif' && version !== undefined) return version;
    } catch {
      // Try the other path.
    }
  }
  return 'unknown';
})();
