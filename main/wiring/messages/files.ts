import { readFile } from 'node:fs/promises';
import { Downloader } from '../../../adapters/media/download.js';
import { AudioFiles } from '../../../core/data/repositories/calls/audio-files.js';
import { MessageFileTable } from '../../../core/data/repositories/messaging/files.js';
import type { Database } from '../../../core/data/database.js';
import { LARGEST_FILE_BYTES } from '../../../core/model/messaging/file-types.js';
import type { Clock } from '../../../core/ports/clock.js';
import type { Logger } from '../../../core/ports/logger.js';
import type { MediaStore } from '../../../core/ports/media-store.js';
import type { ObjectStores } from '../../../core/ports/object-store.js';
import { MessageFileService } from '../../../core/services/messaging/files/message-files.js';
import { PurgeMessageFiles } from '../../../core/services/messaging/files/purge-files.js';
import { ResolveMedia } from '../../../core/services/messaging/files/resolve-media.js';
import type { PeriodicTask } from '../../../core/services/runtime/periodic-task.js';

/** The files of messages. */
export interface MessageFiling {
  readonly table: MessageFileTable;
  readonly files: MessageFileService;
  readonly media: ResolveMedia;
  readonly purge: PeriodicTask;
  close(): Promise<void>;
}

export interface MessageFilingOptions {
  readonly db: Database;
  readonly storages: ObjectStores;
  /** Where uploaded prompts are. */
  readonly audio: Pick<MediaStore, 'pathOf'>;
  /** Files may come from this machine, also over http: for development only. */
  readonly allowLoopback: boolean;
  readonly clock: Clock;
  readonly log: Logger;
}

const FETCH_MS = 10_000;

export function openMessageFiling(options: MessageFilingOptions): MessageFiling {
  const { db, storages, audio, allowLoopback, clock, log } = options;
  const downloader = new Downloader({
    ...{ allowLoopback, maxBytes: LARGEST_FILE_BYTES, timeoutMs: FETCH_MS, accept: '*/*' },
  });
  const table = new MessageFileTable(db);
  const prompts = new AudioFiles(db);
  const files = new MessageFileService({ files: table, stores: storages, fetch: (url) => downloader.get(url), clock });
  const media = new ResolveMedia({
    files,
    audio: async (of, id) => {
      const row = await prompts.get(of, id);
      return row && { bytes: await readFile(`${audio.pathOf(id)}.wav16`), name: row.name };
    },
  });
  return {
    ...{ table, files, media, purge: new PurgeMessageFiles(table, files, clock, log) },
    close: () => downloader.close(),
  };
}
