import { join } from 'node:path';
import { isId } from '../../core/model/ids.js';

/** `<recording id>.wav`, in the folder. */
const SUFFIX = '.wav';

/** Where FreeSWITCH writes a recording. */
export function recordingFile(directory: string, recordingId: string): string {
  return join(directory, `${recordingId}${SUFFIX}`);
}

/** The recording that a file holds. @returns null for the name of anything else. */
export function recordingOf(path: string): string | null {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const id = name.slice(0, -SUFFIX.length);
  return name.endsWith(SUFFIX) && isId(id) ? id : null;
}
