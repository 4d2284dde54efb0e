import { open, type FileHandle } from 'node:fs/promises';

const HEADER_BYTES = 44;
const SAMPLE_BYTES = 2;
const PCM = 1;
const PCM_EXTENSIBLE = 0xfffe;
/** Frames to read at a time. */
const STEP = 65_536;

interface Format {
  readonly channels: number;
  readonly rate: number;
  readonly at: number;
  readonly bytes: number;
}

/**
 * Splits a 16-bit PCM WAV file into one mono file per channel.
 * @throws Error `ENOENT` if the file does not exist; also for another format
 */
export async function splitWav(source: string, targets: readonly string[]): Promise<void> {
  const input = await open(source, 'r');
  const outputs: FileHandle[] = [];
  try {
    const format = await formatOf(input);
    if (format.channels !== targets.length) {
      throw new Error(`${source} has ${format.channels} channels instead of ${targets.length}`);
    }
    for (const target of targets) outputs.push(await open(target, 'w'));
    const frames = Math.floor(format.bytes / SAMPLE_BYTES / format.channels);
    await Promise.all(outputs.map((output) => output.write(header(format.rate, frames * SAMPLE_BYTES))));
    for (let done = 0; done < frames; done += STEP) {
      const count = Math.min(STEP, frames - done);
      const chunk = Buffer.alloc(count * SAMPLE_BYTES * format.channels);
      await input.read(chunk, 0, chunk.length, format.at + done * SAMPLE_BYTES * format.channels);
      for (const [channel, output] of outputs.entries()) await output.write(channelOf(chunk, channel, format.channels));
    }
  } finally {
    await Promise.all([input, ...outputs].map((file) => file.close()));
  }
}

/** Locates the samples. If the writer died, the sizes in the header are wrong; then the audio extends to the end of the file. */
async function formatOf(input: FileHandle): Promise<Format> {
  const { size } = await input.stat();
  const start = Buffer.alloc(Math.min(size, 4_096));
  await input.read(start, 0, start.length, 0);
  let channels = 0;
  let rate = 0;
  for (let at = 12; at + 8 <= start.length;) {
    const [id, length] = [start.toString('latin1', at, at + 4), start.readUInt32LE(at + 4)];
    if (id === 'fmt ') {
      const [kind, bits] = [start.readUInt16LE(at + 8), start.readUInt16LE(at + 22)];
      if ((kind !== PCM && kind !== PCM_EXTENSIBLE) || bits !== 16)
        throw new Error(`Not 16-bit PCM: ${kind}, ${bits} bits`);
      [channels, rate] = [start.readUInt16LE(at + 10), start.readUInt32LE(at + 12)];
    } else if (id === 'data') {
      const left = size - at - 8;
      return { channels, rate, at: at + 8, bytes: length === 0 || length > left ? left : length };
    }
    at += 8 + length + (length % 2);
  }
  throw new Error('Not a WAV file with audio');
}

function channelOf(chunk: Buffer, channel: number, channels: number): Buffer {
  if (channels === 1) return chunk;
  const samples = chunk.length / SAMPLE_BYTES / channels;
  const mono = Buffer.alloc(samples * SAMPLE_BYTES);
  for (let at = 0; at < samples; at++) {
    mono.writeInt16LE(chunk.readInt16LE((at * channels + channel) * SAMPLE_BYTES), at * SAMPLE_BYTES);
  }
  return mono;
}

function header(rate: number, bytes: number): Buffer {
  const head = Buffer.alloc(HEADER_BYTES);
  head.write('RIFF', 0);
  head.writeUInt32LE(36 + bytes, 4);
  head.write('WAVEfmt ', 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(PCM, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(rate, 24);
  head.writeUInt32LE(rate * SAMPLE_BYTES, 28);
  head.writeUInt16LE(SAMPLE_BYTES, 32);
  head.writeUInt16LE(16, 34);
  head.write('data', 36);
  head.writeUInt32LE(bytes, 40);
  return head;
}
