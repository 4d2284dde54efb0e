import type { MessageRow } from '../../../data/rows.js';
import { HatifError, messagingProviderFailed } from '../../../model/errors/index.js';
import { isId } from '../../../model/ids.js';
import type { Channel } from '../../../model/messaging/channels.js';
import type { IncomingFiles, MessageFile, MessageFiles } from '../../../ports/messaging/message-files.js';
import { ProviderUnavailable } from '../../../ports/messaging/provider-errors.js';
import { StorageError } from '../../../ports/object-store.js';
import { storageFailed } from './message-files.js';

const RETRY_SECONDS = 5;

/** Finds the file that a message has. */
export class FileOfMessage {
  /** @param providers that keep the files of messages which came in */
  constructor(
    private readonly files: MessageFiles,
    private readonly providers: ReadonlyMap<Channel, IncomingFiles>,
  ) {}

  /** @throws HatifError NOT_FOUND for a message without a file that is kept; INTERNAL_ERROR (502) if the provider fails */
  async read(row: MessageRow): Promise<MessageFile> {
    const media = row.content?.media ?? row.content?.attachments?.[0] ?? null;
    const id = media?.media_id ?? null;
    if (media === null || id === null) throw noFile();
    const file = isId(id) ? await this.#stored(row, id) : await this.#fetched(row, id);
    if (file === null) throw noFile();
    return { ...file, name: media.file_name ?? file.name };
  }

  #stored({ project_id: projectId, sandbox }: MessageRow, id: string): Promise<MessageFile | null> {
    return this.files.read({ projectId, sandbox }, id).catch((error: unknown) => {
      if (!(error instanceof StorageError)) throw error;
      throw storageFailed(error);
    });
  }

  #fetched(row: MessageRow, id: string): Promise<MessageFile | null> {
    const provider = this.providers.get(row.channel);
    const number = row.direction === 'inbound' ? row.recipient : row.sender;
    if (!provider || number === null) return Promise.resolve(null);
    return provider.fetchFile(row.project_id, number, id).catch((error: unknown) => {
      if (!(error instanceof ProviderUnavailable)) throw error;
      throw messagingProviderFailed(RETRY_SECONDS, error);
    });
  }
}

function noFile(): HatifError<'NOT_FOUND'> {
  return new HatifError('NOT_FOUND', { what: { en: 'a file of this message', ar: 'ملف لهذه الرسالة' } });
}
