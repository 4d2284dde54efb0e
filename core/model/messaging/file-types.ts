import type { MediaKind } from './extra.js';

/** A type of file that messages may have. */
export interface FileType {
  readonly mediaType: string;
  readonly extension: string;
  /** As what it can be sent. */
  readonly kinds: readonly MediaKind[];
}

/** The largest file of each kind, in bytes: what WhatsApp takes, and mail servers mostly do. */
export const MOST_FILE_BYTES: Readonly<Record<MediaKind, number>> = {
  image: 5 * 1024 * 1024,
  sticker: 500 * 1024,
  audio: 16 * 1024 * 1024,
  video: 16 * 1024 * 1024,
  document: 16 * 1024 * 1024,
};
export const LARGEST_FILE_BYTES = Math.max(...Object.values(MOST_FILE_BYTES));

const PICTURE = ['image', 'document'] as const;
const SOUND = ['audio', 'document'] as const;
const FILM = ['video', 'document'] as const;
const PAPER = ['document'] as const;

const OFFICE = 'application/vnd.openxmlformats-officedocument';

/** A file type by the bytes at its beginning; `at`: how many come before. */
interface Magic extends FileType {
  readonly at?: number;
  readonly bytes: string;
}

const MAGICS: readonly Magic[] = [
  { mediaType: 'image/jpeg', extension: 'jpg', kinds: PICTURE, bytes: 'ffd8ff' },
  { mediaType: 'image/png', extension: 'png', kinds: PICTURE, bytes: '89504e470d0a1a0a' },
  { mediaType: 'application/pdf', extension: 'pdf', kinds: PAPER, bytes: '255044462d' },
  { mediaType: 'audio/ogg', extension: 'ogg', kinds: SOUND, bytes: '4f676753' },
  { mediaType: 'audio/amr', extension: 'amr', kinds: SOUND, bytes: '2321414d52' },
  { mediaType: 'audio/mpeg', extension: 'mp3', kinds: SOUND, bytes: '494433' },
  { mediaType: 'audio/mpeg', extension: 'mp3', kinds: SOUND, bytes: 'fffb' },
  { mediaType: 'audio/mpeg', extension: 'mp3', kinds: SOUND, bytes: 'fff3' },
  { mediaType: 'audio/mpeg', extension: 'mp3', kinds: SOUND, bytes: 'fff2' },
  { mediaType: 'audio/mp4', extension: 'm4a', kinds: SOUND, at: 4, bytes: '667479704d3441' },
  { mediaType: 'video/3gpp', extension: '3gp', kinds: FILM, at: 4, bytes: '66747970336770' },
  { mediaType: 'video/mp4', extension: 'mp4', kinds: FILM, at: 4, bytes: '66747970' },
];

/** The parts of an archive by which the documents of office programs differ. */
const OFFICE_PARTS = [
  ['word/', { mediaType: `${OFFICE}.wordprocessingml.document`, extension: 'docx', kinds: PAPER }],
  ['xl/', { mediaType: `${OFFICE}.spreadsheetml.sheet`, extension: 'xlsx', kinds: PAPER }],
  ['ppt/', { mediaType: `${OFFICE}.presentationml.presentation`, extension: 'pptx', kinds: PAPER }],
] as const satisfies readonly (readonly [string, FileType])[];

const WEBP: FileType = { mediaType: 'image/webp', extension: 'webp', kinds: ['sticker', 'document'] };
const WAV: FileType = { mediaType: 'audio/wav', extension: 'wav', kinds: PAPER };
const TEXT: FileType = { mediaType: 'text/plain', extension: 'txt', kinds: PAPER };
const KNOWN: readonly FileType[] = [...MAGICS, ...OFFICE_PARTS.map(([, type]) => type), WEBP, WAV, TEXT];

/**
 * The type of a file by its content; what its name or its sender say is not trusted.
 * @returns null for anything that messages may not have, such as programs, pages and archives
 */
export function fileTypeOf(bytes: Buffer): FileType | null {
  const found = MAGICS.find(({ at = 0, bytes: hex }) => {
    const magic = Buffer.from(hex, 'hex');
    return bytes.subarray(at, at + magic.length).equals(magic);
  });
  if (found) return { mediaType: found.mediaType, extension: found.extension, kinds: found.kinds };
  if (startsWith(bytes, 'RIFF')) return riffType(bytes.toString('latin1', 8, 12));
  if (startsWith(bytes, 'PK\u0003\u0004')) {
    if (!bytes.includes('[Content_Types].xml')) return null;
    return OFFICE_PARTS.find(([part]) => bytes.includes(part))?.[1] ?? null;
  }
  return isText(bytes) ? TEXT : null;
}

/** The type with this media type, which {@link fileTypeOf} has named. */
export function fileTypeNamed(mediaType: string): FileType | null {
  return KNOWN.find((type) => type.mediaType === mediaType) ?? null;
}

function riffType(form: string): FileType | null {
  if (form === 'WEBP') return WEBP;
  return form === 'WAVE' ? WAV : null;
}

function startsWith(bytes: Buffer, text: string): boolean {
  return bytes.subarray(0, text.length).equals(Buffer.from(text, 'latin1'));
}

/** UTF-8 without control characters, and nothing that a browser would take for a page. */
function isText(bytes: Buffer): boolean {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return false;
  }
  // eslint-disable-next-line no-control-regex -- these are what makes a file binary
  return text !== '' && !/[\u0000-\u0008\u000e-\u001f]/.test(text) && !/<(?:!doctype|html|script|svg)/i.test(text);
}
