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

/** The folders whose files the tables speak of, by the name that they have in a backup. */
export function fileFolders(settings: Settings): Readonly<Record<'uploads' | 'recordings' | 'recording', string>> {
  return {
    uploads: join(settings.MEDIA_DIR ?? join(settings.HATIF_DATA_DIR, 'media'), 'uploads'),
    recordings: settings.RECORDING_DIR ?? join(settings.HATIF_DATA_DIR, 'recordings'),
    // Those that are not finished, or wait for the storage.
    recording: join(settings.HATIF_DATA_DIR, 'recording'),
  };
}

/** Changes of calls that wait for the database: for the one that is replaced. */
export function journalFolder(settings: Settings): string {
  return join(settings.HATIF_DATA_DIR, 'journal');
}
