import { randomUUID } from 'node:crypto';
import { access, mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { MediaItem } from '../../core/ports/engine.js';
import { tapOf } from './tap.js';

type Tone = Extract<MediaItem, { type: 'tone' }>['tone'];

/** Saudi Arabia's call progress tones (ITU-T E.180 supplement 2): duration of tone and of silence. */
const CADENCES: Readonly<Record<Exclude<Tone, 'beep'>, { readonly onMs: number; readonly offMs: number }>> = {
  ringback: { onMs: 1_200, offMs: 4_600 },
  busy: { onMs: 500, offMs: 500 },
  congestion: { onMs: 250, offMs: 250 },
};
const TONE_HZ = 425;
/** A multiple of each cadence. */
const TONE_FILE_MS = 290_000;
/** Four hours in total: the maximum duration of a call. */
const TONE_FILES = 50;

const RATE = 8_000;
const AMPLITUDE = 8_000;
const BEEP_HZ = 1_000;
const BEEP_MS = 250;
const MAX_SILENCE_MS = 60_000;
/** Silence is generated in steps, so that arbitrary lengths do not fill the disk. */
const SILENCE_STEP_MS = 100;

/**
 * Builds media URIs (ARI `POST /channels/{id}/play`). Tones and silence are WAV files, generated once in `directory`,
 * which Asterisk must see at the same path: Asterisk has no silence of arbitrary length, its own tones cannot end, and
 * while it plays one on a channel it does not read the channel, so that a recording would miss what is said meanwhile.
 */
export class MediaUris {
  readonly #made = new Map<string, Promise<string>>();

  constructor(private readonly directory: string) {}

  /** Items after a tone are dropped, because a tone has no end. */
  async ofAll(items: readonly MediaItem[], loop: number): Promise<readonly string[]> {
    const endless = items.findIndex(isEndless);
    if (endless < 0) {
      const once = await Promise.all(items.map((item) => this.#of(item)));
      return Array.from({ length: loop }, () => once).flat();
    }
    const last = await Promise.all(items.slice(0, endless + 1).map((item) => this.#of(item)));
    return [...last, ...Array.from({ length: TONE_FILES - 1 }, () => last.at(-1) ?? '')];
  }

  #of(item: MediaItem): Promise<string> {
    switch (item.type) {
      case 'file':
        return Promise.resolve(`sound:${item.path}`);
      case 'recording':
        return Promise.resolve(`recording:${tapOf(item.recordingId, 1)}`);
      case 'tone':
        return item.tone === 'beep' ? this.#beep() : this.#tone(item.tone);
      case 'silence':
        return this.#silence(item.durationMs);
    }
  }

  #beep(): Promise<string> {
    return this.#make('beep', () => sine(BEEP_HZ, BEEP_MS));
  }

  #tone(name: keyof typeof CADENCES): Promise<string> {
    const { onMs, offMs } = CADENCES[name];
    return this.#make(`tone-${name}`, () => {
      const cadence = new Int16Array(samplesIn(onMs + offMs));
      cadence.set(sine(TONE_HZ, onMs));
      const samples = new Int16Array(samplesIn(TONE_FILE_MS));
      for (let at = 0; at < samples.length; at += cadence.length) samples.set(cadence, at);
      return samples;
    });
  }

  #silence(durationMs: number): Promise<string> {
    const steps = Math.max(1, Math.ceil(Math.min(durationMs, MAX_SILENCE_MS) / SILENCE_STEP_MS));
    const lengthMs = steps * SILENCE_STEP_MS;
    return this.#make(`silence-${lengthMs}`, () => new Int16Array(samplesIn(lengthMs)));
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
      // Write to a temporary file and rename it: another engine or process may be generating the same file.
      const draft = `${file}.${randomUUID()}`;
      await writeFile(draft, wav(samples()));
      await rename(draft, file);
    }
    return `sound:${path}`;
  }
}

function isEndless(item: MediaItem): boolean {
  return item.type === 'tone' && item.tone !== 'beep';
}

function samplesIn(durationMs: number): number {
  return (RATE * durationMs) / 1000;
}

function sine(hz: number, durationMs: number): Int16Array {
  const samples = new Int16Array(samplesIn(durationMs));
  return samples.map((_, at) => Math.round(AMPLITUDE * Math.sin((2 * Math.PI * hz * at) / RATE)));
}

async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}

/** 8 kHz mono 16-bit PCM with a RIFF header. */
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
