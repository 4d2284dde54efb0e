import { join } from 'node:path';
import type { Settings } from '../../config/settings.js';

/** The installation's secret, if no setting holds it. */
export function secretFile(settings: Settings): string {
  return join(settings.HATIF_DATA_DIR, 'secret');
}

/** Keys and passwords of the demo organization, which are stored nowhere else. */
export function bootstrapFile(settings: Settings): string {
  return join(settings.HATIF_DATA_DIR, 'bootstrap.json');
}

/** Downloads, which can be repeated. */
export function cacheFolder(settings: Settings): string {
  return settings.HATIF_CACHE_DIR ?? join(settings.HATIF_DATA_DIR, 'cache');
}

/** The certificate from the ACME authority with its key, as the processes of this machine use it. */
export function acmeFile(settings: Settings): string {
  return join(settings.HATIF_DATA_DIR, 'acme', 'certificate.pem');
}

/** Audio that engines play. */
export function mediaFolder(settings: Settings): string {
  return settings.MEDIA_DIR ?? join(settings.HATIF_DATA_DIR, 'media');
}

/** Uploads whose requests are being served. */
export function spoolFolder(settings: Settings): string {
  return join(settings.HATIF_DATA_DIR, 'spool');
}

/** Archives of personal data and of deleted organizations while they are written. */
export function archivesFolder(settings: Settings): string {
  return join(settings.HATIF_DATA_DIR, 'archives');
}

/** Finished recordings, if they are stored on this machine. */
export function recordingsFolder(settings: Settings): string {
  return settings.RECORDING_DIR ?? join(settings.HATIF_DATA_DIR, 'recordings');
}

/** Recordings that are not finished or not stored yet. */
export function unfinishedRecordingsFolder(settings: Settings): string {
  return join(settings.HATIF_DATA_DIR, 'recording');
}

/** Journals: changes of calls that wait for the database. */
export function journalFolder(settings: Settings): string {
  return join(settings.HATIF_DATA_DIR, 'journal');
}

/** Folders with files that the database names, by their names in a backup. */
export function fileFolders(settings: Settings): Readonly<Record<'uploads' | 'recordings' | 'recording', string>> {
  return {
    uploads: join(mediaFolder(settings), 'uploads'),
    recordings: recordingsFolder(settings),
    recording: unfinishedRecordingsFolder(settings),
  };
}
