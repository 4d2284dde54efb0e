import { readFileSync } from 'node:fs';

/** The package's version; beside the sources it is two folders up, beside the build three. */
export const VERSION = ((): string => {
  for (const path of ['../../package.json', '../../../package.json']) {
    try {
      const { name, version } = JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8')) as Record<
        string,
        string
      >;
      if (name === 'hatif' && version !== undefined) return version;
    } catch {
      // It is the other one.
    }
  }
  return 'unknown';
})();
