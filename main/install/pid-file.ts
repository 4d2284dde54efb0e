import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The process of Hatif that runs with this data folder; null if none does, or only this one. */
export function runningProcess(dataDir: string): number | null {
  try {
    const pid = Number(readFileSync(join(dataDir, 'hatif.pid'), 'utf8'));
    // After a crash the file stays, and the id may by now be that of a program that does not run on Node.js.
    const isNode = readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('node');
    return isNode && pid !== process.pid ? pid : null;
  } catch {
    return null;
  }
}

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
