import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Says in the data folder which process is the platform, for those who want to signal it. @returns how to take that back */
export function writePidFile(dataDir: string): () => void {
  const file = join(dataDir, 'hatif.pid');
  const pid = `${process.pid}\n`;
  writeFileSync(file, pid);
  return () => {
    // Another process may have taken over, and written its own, or removed that again.
    if (existsSync(file) && readFileSync(file, 'utf8') === pid) rmSync(file);
  };
}
