import { join } from 'node:path';
import { isId } from '../../../core/model/ids.js';

/** A recording's file is `<recording id>.wav`. */
const SUFFIX = '.wav';

/** Returns the path to which FreeSWITCH writes a recording. */
export function recordingFile(directory: string, recordingId: string): string {
  return join(directory, `${recordingId}${SUFFIX}`);
}

/** @returns the recording in a file; null for other file names */
export function recordingOf(path: string): string | null {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const id = name.slice(0, -SUFFIX.length);
  return name.endsWith(SUFFIX) && isId(id) ? id : null;
}
