import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openObjectStores } from '../../../../adapters/storage/index.js';

/** Where messages of tests have their files; there are no prompts. */
export const NO_FILES = {
  storages: openObjectStores({ use: 'local', folder: join(tmpdir(), `hatif-message-files-${process.pid}`) }),
  audio: { pathOf: (id: string) => join(tmpdir(), 'no-prompts', id) },
} as const;
