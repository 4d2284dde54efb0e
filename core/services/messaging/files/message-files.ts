import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { MessageFileTable } from '../../../data/repositories/messaging/files.js';
import type { ProjectKind } from '../../../data/repositories/project-kind.js';
import type { MessageFileRow } from '../../../data/rows.js';
import { HatifError, invalidField, type Phrase } from '../../../model/errors/index.js';
import { newId } from '../../../model/ids.js';
import { fileTypeOf, LARGEST_FILE_BYTES } from '../../../model/messaging/file-types.js';
import { arabic } from '../../../model/wording/wording.js';
import { mediaReason } from '../../audio/media-reason.js';
import type { Clock } from '../../../ports/clock.js';
import { MediaError } from '../../../ports/media-store.js';
import type { MessageFile, MessageFiles } from '../../../ports/messaging/message-files.js';
import { StorageError, type ObjectStores } from '../../../ports/object-store.js';

/** Who stores a file. */
export interface FileWriter extends ProjectKind {
  readonly organizationId: string;
  readonly keyId: string | null;
  /** Null for a file that comes with a message. */
  readonly requestId: string | null;
}

export interface MessageFileServiceOptions {
  readonly files: MessageFileTable;
  readonly stores: ObjectStores;
  /** Fetches from public https addresses only. @throws MediaError */
  readonly fetch: (url: string) => Promise<Uint8Array>;
  readonly clock: Clock;
}

const DAY_MS = 86_400_000;
/** Long enough for every message that is sent now, and as long as WhatsApp keeps files. */
export const FILE_DAYS = 30;
/** Of the live, and of the sandbox files of a project. */
const MOST_PROJECT_BYTES = 1024 * 1024 * 1024;
const MAX_NAME_LENGTH = 128;

/** Keeps the files that projects upload for their messages, for some weeks. */
export class MessageFileService implements MessageFiles {
  constructor(private readonly options: MessageFileServiceOptions) {}

  /** @throws HatifError VALIDATION_ERROR for a file that messages may not have; INTERNAL_ERROR without the storage */
  async add(bytes: Buffer, name: string, writer: FileWriter, field = 'file'): Promise<MessageFileRow> {
    const { files, stores, clock } = this.options;
    if (bytes.length > LARGEST_FILE_BYTES) throw invalidField(field, TOO_LARGE);
    const type = fileTypeOf(bytes);
    if (type === null) throw invalidField(field, NOT_ALLOWED);
    const [id, now] = [newId(), clock.now()];
    const storage_key = `message-files/${id}.${type.extension}`;
    await inStorage(() => this.#put(storage_key, bytes, type.mediaType));
    const row: MessageFileRow = {
      ...{ id, organization_id: writer.organizationId, project_id: writer.projectId, sandbox: writer.sandbox },
      ...{ name: nameOf(name, type.extension), media_type: type.mediaType, bytes: bytes.length },
      ...{ storage: stores.current.kind, storage_key, created_by_key: writer.keyId, request_id: writer.requestId },
      ...{ created_at: now, expires_at: new Date(now.getTime() + FILE_DAYS * DAY_MS) },
    };
    try {
      if (!(await files.createWithin(row, MOST_PROJECT_BYTES))) throw invalidField(field, FULL);
    } catch (error) {
      // Without a row nothing refers to the file, so it would stay in the storage for ever.
      await stores.current.remove(storage_key).catch(() => undefined);
      throw error;
    }
    return row;
  }

  /** Fetches a file from an address that a customer chose. @throws HatifError as {@link add} does */
  async fetch(url: string, name: string | null, writer: FileWriter): Promise<MessageFileRow> {
    const bytes = await this.options.fetch(url).catch((error: unknown) => {
      if (!(error instanceof MediaError)) throw error;
      throw invalidField('media', notFetched(mediaReason(error)));
    });
    const last = decodeName(new URL(url).pathname.split('/').at(-1) ?? '');
    return this.add(Buffer.from(bytes), name ?? last, writer, 'media');
  }

  /** @throws HatifError NOT_FOUND, also for a file of another project or kind, and for one that has expired */
  async get(kind: ProjectKind, id: string): Promise<MessageFileRow> {
    const row = await this.options.files.get(kind, id, this.options.clock.now());
    if (!row) throw unknownFile(id);
    return row;
  }

  /** @throws HatifError INTERNAL_ERROR without the storage */
  open({ storage, storage_key }: MessageFileRow): Promise<Readable> {
    return inStorage(() => this.options.stores.of(storage).read(storage_key));
  }

  async read(of: ProjectKind, id: string): Promise<MessageFile | null> {
    const row = await this.options.files.get(of, id, this.options.clock.now());
    if (!row) return null;
    const content = await this.options.stores.of(row.storage).read(row.storage_key);
    return { bytes: await buffer(content), mediaType: row.media_type, name: row.name };
  }

  /** Deletes the content first: if that fails, the row remains, and the deletion is repeated. @throws StorageError */
  async remove({ id, storage, storage_key }: MessageFileRow): Promise<void> {
    await this.options.stores.of(storage).remove(storage_key);
    await this.options.files.remove(id);
  }

  /** Object stores take files, so the bytes go through a temporary one. */
  async #put(key: string, bytes: Buffer, type: string): Promise<void> {
    const folder = await mkdtemp(join(tmpdir(), 'hatif-message-file-'));
    try {
      const file = join(folder, 'file');
      await writeFile(file, bytes, { mode: 0o600 });
      await this.options.stores.current.put(key, file, type);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }
}

async function inStorage<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    throw storageFailed(error);
  }
}

/** The storage is away: a repeat may succeed. */
export function storageFailed(cause: unknown): HatifError<'INTERNAL_ERROR'> {
  return new HatifError('INTERNAL_ERROR', { reason: AWAY }, { status: 503, retryAfterSeconds: 5, cause });
}

export function unknownFile(id: string): HatifError<'NOT_FOUND'> {
  return new HatifError('NOT_FOUND', { what: { en: `the file ${id}`, ar: arabic`الملف ${id}` } });
}

/** Without folders and control characters, and with the ending of what it is. */
function nameOf(given: string, extension: string): string {
  const base = (given.split(/[\\/]/).at(-1) ?? '')
    .replace(/\p{Cc}/gu, '')
    .replace(/\.[^.]*$/, '')
    .trim();
  const short = Array.from(base)
    .slice(0, MAX_NAME_LENGTH - extension.length - 1)
    .join('');
  return `${short || 'file'}.${extension}`;
}

function decodeName(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

const NOT_ALLOWED: Phrase = {
  en: 'is no JPEG, PNG or WebP picture, no MP3, M4A, OGG, AMR or WAV sound, no MP4 or 3GP video, no PDF, no DOCX, XLSX or PPTX document, and no text',
  ar: 'ليس صورة JPEG أو PNG أو WebP، ولا صوتًا MP3 أو M4A أو OGG أو AMR أو WAV، ولا مقطع فيديو MP4 أو 3GP، ولا مستند PDF أو DOCX أو XLSX أو PPTX، ولا نصًّا',
};
const AWAY: Phrase = { en: 'the file storage does not answer', ar: 'مخزن الملفات لا يستجيب' };
const TOO_LARGE: Phrase = { en: 'is larger than 16 MB', ar: 'حجمه أكبر من 16 ميغابايت' };
const FULL: Phrase = {
  en: 'does not fit: the files of the project would take more than 1 GB',
  ar: 'لا يتسع له المكان: ستشغل ملفات المشروع أكثر من 1 غيغابايت',
};
function notFetched(why: Phrase): Phrase {
  return { en: `cannot be fetched: ${why.en}`, ar: `تعذّر جلب الملف: ${why.ar}` };
}
