import { watch } from 'node:fs';

/** Not every file system reports the growth of a file. */
const POLL_MS = 250;

/**
 * Calls `onChange` when a file in the folder changes, and regularly. Changes that arrive together cause one call: each
 * packet of a recording is an event, and a process that falls behind must not read the recording once for each of them.
 * @returns ends the calls
 */
export function watchFolder(folder: string, onChange: () => void): () => void {
  let scheduled: NodeJS.Immediate | undefined;
  const watcher = watch(folder, () => {
    scheduled ??= setImmediate(() => {
      scheduled = undefined;
      onChange();
    });
  });
  const poll = setInterval(onChange, POLL_MS);
  return () => {
    watcher.close();
    clearInterval(poll);
    clearImmediate(scheduled);
  };
}
