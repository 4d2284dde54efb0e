import { MediaError } from '../../core/ports/media-store.js';
import { ConvertThread } from './convert-thread.js';
import type { ConvertRequest, Playable } from './convert.js';
import { Gate } from './gate.js';

export interface ConverterOptions {
  /** Files converted concurrently, each in its own thread. Default 1, because live calls need the other processors. */
  readonly atOnce?: number;
  /** Maximum number of queued files; further ones are rejected. Default 256. */
  readonly waiting?: number;
  /** Timeout for one file. Default 60 s. */
  readonly timeoutMs?: number;
}

/**
 * Converts audio outside the event loop, so that calls do not stutter, and a file that is too demanding only ends its
 * own thread.
 */
export class AudioConverter {
  readonly #gate: Gate;
  readonly #idle: ConvertThread[] = [];
  readonly #timeoutMs: number;

  constructor({ atOnce = 1, waiting = 256, timeoutMs = 60_000 }: ConverterOptions = {}) {
    this.#gate = new Gate(atOnce, waiting);
    this.#timeoutMs = timeoutMs;
  }

  /** @throws MediaError `not_audio`, `empty`, `too_large`; `unavailable` if the queue is full or the thread ended */
  async convert(request: ConvertRequest): Promise<Playable> {
    const turn = this.#gate.enter(() => this.#convert(request));
    if (turn === null) throw new MediaError('unavailable', 'too many audio files are waiting to be converted');
    return turn;
  }

  /** Keeps a thread for the next file: starting one takes longer than converting a sentence. */
  async #convert(request: ConvertRequest): Promise<Playable> {
    let thread = this.#idle.pop();
    if (!thread || thread.ended) thread = new ConvertThread();
    try {
      return await thread.run(request, this.#timeoutMs);
    } finally {
      if (!thread.ended) this.#idle.push(thread);
    }
  }
}
