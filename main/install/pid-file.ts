import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Writes the process id to the data folder, for scripts that send signals. @returns removes the file */
export function writePidFile(dataDir: string): () => void {
  const file = join(dataDir, 'hatif.pid');
  const pid = `${process.pid}\n`;
  writeFileSync(file, pid);
  return () => {
    // Another process may have taken over and written its own file, or removed that.
    if (existsSync(file) && readFileSync(file, 'utf8') === pid) rmSync(file);
  };
}
