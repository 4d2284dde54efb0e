import { access, mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { MediaItem } from '../../core/ports/engine.js';

type Tone = Extract<MediaItem, { type: 'tone' }>['tone'];

/** Saudi Arabia's tones (ITU-T E.180 supplement 2), in Asterisk's `frequency/milliseconds` notation. They repeat. */
const TONES: Readonly<Record<Exclude<Tone, 'beep'>, string>> = {
  ringback: 'tone:425/1200,0/4600',
  busy: 'tone:425/500,0/500',
  congestion: 'tone:425/250,0/250',
};

const RATE = 8_000;
const BEEP_HZ = 1_000;
const BEEP_MS = 250;
const MAX_SILENCE_MS = 60_000;
/** Silence is made in steps, so that a free choice of lengths does not fill the disk. */
const SILENCE_STEP_MS = 100;

/**
 * Makes media URIs (ARI `POST /channels/{id}/play`). Asterisk's own tones repeat until they are stopped and it has no
 * silence of free length, so the beep and silences are small wav files, made once in `directory`, which Asterisk must
 * be able to read by the same path.
 */
export class MediaUris {
  readonly #made = new Map<string, Promise<string>>();

  constructor(private readonly directory: string) {}

  of(item: MediaItem): Promise<string> {
    switch (item.type) {
      case 'file':
        return Promise.resolve(`sound:${item.path}`);
      case 'tone':
        return item.tone === 'beep' ? this.#beep() : Promise.resolve(TONES[item.tone]);
      case 'silence':
        return this.#silence(item.durationMs);
    }
  }

  #beep(): Promise<string> {
    return this.#make('beep', () => {
      const samples = new Int16Array((RATE * BEEP_MS) / 1000);
      return samples.map((_, at) => Math.round(8_000 * Math.sin((2 * Math.PI * BEEP_HZ * at) / RATE)));
    });
  }

  #silence(durationMs: number): Promise<string> {
    const steps = Math.max(1, Math.ceil(Math.min(durationMs, MAX_SILENCE_MS) / SILENCE_STEP_MS));
    const lengthMs = steps * SILENCE_STEP_MS;
    return this.#make(`silence-${lengthMs}`, () => new Int16Array((RATE * lengthMs) / 1000));
  }

  #make(name: string, samples: () => Int16Array): Promise<string> {
    const known = this.#made.get(name);
    if (known) return known;
    const making = this.#write(name, samples).catch((error: unknown) => {
      this.#made.delete(name);
      throw error;
    });
    this.#made.set(name, making);
    return making;
  }

  async #write(name: string, samples: () => Int16Array): Promise<string> {
    const path = join(this.directory, name);
    const file = `${path}.wav`;
    if (!(await exists(file))) {
      await mkdir(this.directory, { recursive: true });
      // Written aside and moved: another process may be making the same file.
      const draft = `${file}.${process.pid}`;
      await writeFile(draft, wav(samples()));
      await rename(draft, file);
    }
    return `sound:${path}`;
  }
}

async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}

/** 8 kHz mono 16-bit PCM in a RIFF header. */
function wav(samples: Int16Array): Buffer {
  const file = Buffer.alloc(44 + samples.length * 2);
  file.write('RIFF', 0);
  file.writeUInt32LE(36 + samples.length * 2, 4);
  file.write('WAVEfmt ', 8);
  file.writeUInt32LE(16, 16);
  file.writeUInt16LE(1, 20);
  file.writeUInt16LE(1, 22);
  file.writeUInt32LE(RATE, 24);
  file.writeUInt32LE(RATE * 2, 28);
  file.writeUInt16LE(2, 32);
  file.writeUInt16LE(16, 34);
  file.write('data', 36);
  file.writeUInt32LE(samples.length * 2, 40);
  samples.forEach((sample, at) => file.writeInt16LE(sample, 44 + at * 2));
  return file;
}
