import type { MessageFileRow } from '../../../data/rows.js';
import { HatifError, invalidField, type Phrase } from '../../../model/errors/index.js';
import { isId } from '../../../model/ids.js';
import type { Channel } from '../../../model/messaging/channels.js';
import type { MediaKind, MessageMedia } from '../../../model/messaging/extra.js';
import { fileTypeNamed, MOST_FILE_BYTES } from '../../../model/messaging/file-types.js';
import type { FileWriter, MessageFileService } from './message-files.js';

/** A file that a message is to have, as the client names it: by one of the three. */
export interface NewFile {
  readonly kind: MediaKind;
  readonly url: string | null;
  /** A file that the project uploaded, or the provider's id of one. */
  readonly media_id: string | null;
  /** An uploaded prompt of call flows. */
  readonly audio_id: string | null;
  readonly caption: string | null;
  readonly file_name: string | null;
}

export interface ResolveMediaOptions {
  readonly files: MessageFileService;
  /** The sound of an uploaded prompt as a WAV file; null if the project does not have it. */
  readonly audio: (of: FileWriter, id: string) => Promise<{ readonly bytes: Buffer; readonly name: string } | null>;
}

/** All attachments of a mail together: more is refused by most mail servers. */
const MOST_MAIL_BYTES = 20 * 1024 * 1024;

/** Turns what clients name as files of a message into files that the channel can send. */
export class ResolveMedia {
  constructor(private readonly options: ResolveMediaOptions) {}

  /** What can be said without storing anything. @throws HatifError VALIDATION_ERROR */
  async check(channel: Channel, given: readonly NewFile[], writer: FileWriter): Promise<void> {
    for (const { kind, media_id } of given) {
      if (media_id === null) continue;
      if (isId(media_id)) assertKind(kind, await this.#own(writer, media_id));
      else if (channel !== 'chatapp') throw invalidField('media', NOT_OWN);
    }
  }

  /**
   * Fetches and stores what is not stored. WhatsApp fetches addresses itself.
   * @throws HatifError VALIDATION_ERROR
   */
  async resolve(channel: Channel, given: readonly NewFile[], writer: FileWriter): Promise<readonly MessageMedia[]> {
    const resolved: MessageMedia[] = [];
    let bytes = 0;
    for (const file of given) {
      const { kind, url, caption, file_name } = file;
      const isLeft = channel === 'chatapp' && (url !== null || (file.media_id !== null && !isId(file.media_id)));
      const row = isLeft ? null : await this.#stored(file, writer);
      if (row) {
        assertKind(kind, row);
        bytes += row.bytes;
      }
      resolved.push({
        ...{ kind, url: row ? null : url, media_id: row?.id ?? file.media_id, caption },
        ...{ file_name: file_name ?? row?.name ?? null, media_type: row?.media_type ?? null },
      });
    }
    if (channel === 'email' && bytes > MOST_MAIL_BYTES) throw invalidField('media', TOO_MUCH);
    return resolved;
  }

  async #stored({ url, audio_id, media_id, file_name }: NewFile, writer: FileWriter): Promise<MessageFileRow> {
    const { files } = this.options;
    if (url !== null) return files.fetch(url, file_name, writer);
    if (media_id !== null) return this.#own(writer, media_id);
    const sound = audio_id === null ? null : await this.options.audio(writer, audio_id);
    if (!sound) throw invalidField('media', NO_AUDIO);
    return files.add(sound.bytes, file_name ?? sound.name, writer, 'media');
  }

  async #own(writer: FileWriter, id: string): Promise<MessageFileRow> {
    return this.options.files.get(writer, id).catch((error: unknown) => {
      throw error instanceof HatifError && error.code === 'NOT_FOUND' ? invalidField('media', NOT_OWN) : error;
    });
  }
}

function assertKind(kind: MediaKind, { media_type, bytes }: MessageFileRow): void {
  if (fileTypeNamed(media_type)?.kinds.includes(kind) !== true) throw invalidField('media', OTHER_KIND);
  if (bytes > MOST_FILE_BYTES[kind]) throw invalidField('media', TOO_LARGE);
}

const NOT_OWN: Phrase = {
  en: 'names a media_id that is no file of this project, or has expired',
  ar: 'فيه `media_id` ليس ملفًا لهذا المشروع، أو انتهت صلاحيته',
};
const NO_AUDIO: Phrase = {
  en: 'names an audio_id that is no audio file of this project',
  ar: 'فيه `audio_id` ليس ملفًا صوتيًّا لهذا المشروع',
};
const OTHER_KIND: Phrase = {
  en: 'has a file that cannot be sent as this kind',
  ar: 'فيه ملف لا يمكن إرساله من هذا النوع',
};
const TOO_LARGE: Phrase = {
  en: 'has a file that is too large for its kind',
  ar: 'فيه ملف حجمه أكبر من المسموح به لنوعه',
};
const TOO_MUCH: Phrase = {
  en: 'has files of more than 20 MB together',
  ar: 'مجموع أحجام ملفاته أكبر من 20 ميغابايت',
};
