import { open, type FileHandle } from 'node:fs/promises';
import { hasCode } from '../../core/model/error-code.js';
import { RecordingAudioError } from '../../core/ports/recording-audio.js';

const HEADER_LIMIT = 4096;
const PCM = 1;
const BYTES_PER_SAMPLE = 2;

/** One mono wav that an engine wrote, open for reading. */
export interface WavTap {
  /** Null where there is no file. */
  readonly handle: FileHandle | null;
  /** Hz; null for a file that its writer left before the header was on disk: it has no sound. */
  readonly sampleRate: number | null;
  /** Where the first sample stands. */
  readonly offset: number;
  readonly samples: number;
}

/**
 * Open a tap. The samples go to the end of the file whatever the header says: recorders write them last, and one that was killed left
 * the sizes of an earlier moment, or none.
 * @throws RecordingAudioError `missing`, `unreadable`; what the file system says otherwise.
 */
export async function openTap(file: string): Promise<WavTap> {
  const handle = await open(file, 'r').catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) {
      throw new RecordingAudioError('missing', 'a recorded file is not there', { cause: error });
    }
    throw error;
  });
  try {
    const { size } = await handle.stat();
    const head = Buffer.alloc(Math.min(HEADER_LIMIT, size));
    await handle.read(head, 0, head.length, 0);
    const format = readHeader(head);
    if (format === null) return { handle, sampleRate: null, offset: size, samples: 0 };
    return { handle, ...format, samples: Math.max(0, Math.floor((size - format.offset) / BYTES_PER_SAMPLE)) };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Null where the file ends before its samples would begin. */
function readHeader(head: Buffer): { sampleRate: number; offset: number } | null {
  const text = (at: number): string => head.toString('latin1', at, at + 4);
  if (head.length < 12) return null;
  if (text(0) !== 'RIFF' || text(8) !== 'WAVE') throw new RecordingAudioError('unreadable', 'not a wav file');
  let sampleRate: number | null = null;
  for (let at = 12; at + 8 <= head.length;) {
    const [id, size] = [text(at), head.readUInt32LE(at + 4)];
    if (id === 'data') {
      if (sampleRate === null) throw new RecordingAudioError('unreadable', 'the wav file does not say its format');
      return { sampleRate, offset: at + 8 };
    }
    if (id === 'fmt ' && at + 24 <= head.length) sampleRate = rateOf(head.subarray(at + 8));
    at += 8 + size + (size & 1);
  }
  if (head.length < HEADER_LIMIT) return null;
  throw new RecordingAudioError('unreadable', 'the wav file has no samples');
}

function rateOf(fmt: Buffer): number {
  const [format, channels, sampleRate, bits] = [
    fmt.readUInt16LE(0),
    fmt.readUInt16LE(2),
    fmt.readUInt32LE(4),
    fmt.readUInt16LE(14),
  ];
  if (format !== PCM || channels !== 1 || bits !== 16 || sampleRate === 0) {
    throw new RecordingAudioError(
      'unreadable',
      `mono 16-bit PCM is needed, not ${channels} × ${bits} bits of ${format}`,
    );
  }
  return sampleRate;
}
