import { open, type FileHandle } from 'node:fs/promises';
import { hasCode } from '../../core/model/error-code.js';
import { RecordingAudioError } from '../../core/ports/recording-audio.js';

const HEADER_LIMIT = 4096;
const PCM = 1;
const BYTES_PER_SAMPLE = 2;

/** A mono WAV file written by an engine, open for reading. */
export interface WavTap {
  /** Null if there is no file. */
  readonly handle: FileHandle | null;
  /** Hz; null if the writer stopped before the header was on disk, so that there is no audio. */
  readonly sampleRate: number | null;
  /** The file offset of the first sample. */
  readonly offset: number;
  readonly samples: number;
}

/**
 * Opens a tap. The samples extend to the end of the file whatever the header says: a recorder updates the sizes last,
 * so after a crash they are outdated or missing.
 * @throws RecordingAudioError `missing`, `unreadable`; other file system errors
 */
export async function openTap(file: string): Promise<WavTap> {
  const handle = await open(file, 'r').catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) {
      throw new RecordingAudioError('missing', 'a recorded file is missing', { cause: error });
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

/** Parses the header; null if the file ends before its samples. */
function readHeader(head: Buffer): { sampleRate: number; offset: number } | null {
  const text = (at: number): string => head.toString('latin1', at, at + 4);
  if (head.length < 12) return null;
  if (text(0) !== 'RIFF' || text(8) !== 'WAVE') throw new RecordingAudioError('unreadable', 'not a WAV file');
  let sampleRate: number | null = null;
  for (let at = 12; at + 8 <= head.length;) {
    const [id, size] = [text(at), head.readUInt32LE(at + 4)];
    if (id === 'data') {
      if (sampleRate === null) throw new RecordingAudioError('unreadable', 'the WAV file has no format');
      return { sampleRate, offset: at + 8 };
    }
    if (id === 'fmt ' && at + 24 <= head.length) sampleRate = rateOf(head.subarray(at + 8));
    at += 8 + size + (size & 1);
  }
  if (head.length < HEADER_LIMIT) return null;
  throw new RecordingAudioError('unreadable', 'the WAV file has no samples');
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
      `mono 16-bit PCM is required, not ${channels} × ${bits} bits in format ${format}`,
    );
  }
  return sampleRate;
}
