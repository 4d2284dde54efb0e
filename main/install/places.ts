import { join } from 'node:path';
import type { Settings } from '../../config/settings.js';

/** The installation's secret, where no setting holds it. */
export function secretFile(settings: Settings): string {
  return join(settings.HATIF_DATA_DIR, 'secret');
}

/** Keys and passwords of the demo organization, which only this file tells. */
export function bootstrapFile(settings: Settings): string {
  return join(settings.HATIF_DATA_DIR, 'bootstrap.json');
}

/** What was downloaded, and can be again. */
export function cacheFolder(settings: Settings): string {
  return settings.HATIF_CACHE_DIR ?? join(settings.HATIF_DATA_DIR, 'cache');
}

/** Audio that engines play. */
export function mediaFolder(settings: Settings): string {
  return settings.MEDIA_DIR ?? join(settings.HATIF_DATA_DIR, 'media');
}

/** Recordings, where they are kept on this machine. */
export function recordingsFolder(settings: Settings): string {
  return settings.RECORDING_DIR ?? join(settings.HATIF_DATA_DIR, 'recordings');
}

/** Recordings that are not finished, or wait for the storage. */
export function unfinishedRecordingsFolder(settings: Settings): string {
  return join(settings.HATIF_DATA_DIR, 'recording');
}

/** Changes of calls that wait for the database. */
export function journalFolder(settings: Settings): string {
  return join(settings.HATIF_DATA_DIR, 'journal');
}

/** The folders whose files the tables speak of, by the name that they have in a backup. */
export function fileFolders(settings: Settings): Readonly<Record<'uploads' | 'recordings' | 'recording', string>> {
  return {
    uploads: join(mediaFolder(settings), 'uploads'),
    recordings: recordingsFolder(settings),
    recording: unfinishedRecordingsFolder(settings),
  };
}
