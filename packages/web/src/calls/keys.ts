import { ownError } from '../errors/error.js';

export interface KeysOptions {
  /** Null while there is none. */
  readonly session: () => { sendDTMF(keys: string, options: object): void } | null;
  /** Whether the audio takes keys now. */
  readonly isReady: () => boolean;
}

/** RFC 4733, with the times that the platform uses itself. */
const KEY = { transportType: 'RFC2833', duration: 160, interToneGap: 100 };
/** Browsers report no event when the audio begins to take keys. */
const ASK_MS = 100;

/**
 * The keys that are pressed in one call. A browser refuses keys before the audio is connected, which is after the call
 * is answered, and while the other side holds the call: they wait, and are sent in their order.
 */
export class Keys {
  #waiting = '';
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly options: KeysOptions) {}

  /** @throws HatifError INVALID_DIGITS */
  press(keys: string): void {
    if (!/^[\d*#A-Da-d,]{1,64}$/.test(keys)) throw ownError('INVALID_DIGITS');
    this.#waiting += keys;
    this.#pass();
  }

  /** Forgets the keys that wait. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#waiting = '';
  }

  #pass(): void {
    clearTimeout(this.#timer);
    const session = this.options.session();
    if (session === null || !this.options.isReady()) {
      this.#timer = setTimeout(() => this.#pass(), ASK_MS);
      return;
    }
    const keys = this.#waiting;
    this.#waiting = '';
    session.sendDTMF(keys, KEY);
  }
}
