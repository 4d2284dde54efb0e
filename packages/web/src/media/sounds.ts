import type { AudioDevices } from './audio-devices.js';
import { Speaker } from './speaker.js';
import { RING, RINGBACK, toneFile } from './tone.js';

export interface SoundsOptions {
  readonly audio: AudioDevices;
  /** The address of a file; true: the package's own; false: none. */
  readonly ringtone: string | boolean;
  readonly ringback: boolean;
  /** The browser plays no ring tone until the person clicked. */
  readonly onRingtoneBlocked: (isBlocked: boolean) => void;
}

/** The sounds of the telephone itself: it rings, and a caller hears that it rings there. */
export class Sounds {
  readonly #ring: Speaker;
  readonly #ringback = new Speaker(() => undefined);
  readonly #ringing = new Set<object>();
  readonly #waiting = new Set<object>();
  readonly #files = new Map<string, string>();

  constructor(private readonly options: SoundsOptions) {
    this.#ring = new Speaker(options.onRingtoneBlocked);
    options.audio.addOutput('ringtone', this.#ring);
    options.audio.addOutput('output', this.#ringback);
  }

  /** @param of the call that rings here */
  ring(of: object): void {
    const { ringtone } = this.options;
    this.#ringing.add(of);
    if (ringtone === false) return;
    this.#ring.play(ringtone === true ? this.#file('ring', () => toneFile(RING)) : ringtone);
  }

  /** @param of the call that rings at the other side */
  ringBack(of: object): void {
    this.#waiting.add(of);
    if (this.options.ringback) this.#ringback.play(this.#file('ringback', () => toneFile(RINGBACK)));
  }

  quiet(of: object): void {
    if (this.#ringing.delete(of) && this.#ringing.size === 0) this.#ring.stop();
    if (this.#waiting.delete(of) && this.#waiting.size === 0) this.#ringback.stop();
  }

  close(): void {
    this.#ring.stop();
    this.#ringback.stop();
    for (const url of this.#files.values()) URL.revokeObjectURL(url);
    this.#files.clear();
  }

  #file(name: string, make: () => Uint8Array): string {
    const known = this.#files.get(name);
    if (known !== undefined) return known;
    const url = URL.createObjectURL(new Blob([make() as BlobPart], { type: 'audio/wav' }));
    this.#files.set(name, url);
    return url;
  }
}
