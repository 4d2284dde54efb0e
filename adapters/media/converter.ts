import { MediaError } from '../../core/ports/media-store.js';
import { ConvertThread } from './convert-thread.js';
import type { ConvertRequest, Playable } from './convert.js';
import { Gate } from './gate.js';

export interface ConverterOptions {
  /** Files converted at once, each in a thread of its own; 1 by default: live calls need the other processors. */
  readonly atOnce?: number;
  /** Files that may wait for their turn; the next is refused. 256 by default. */
  readonly waiting?: number;
  /** Limit for one file; 60 s by default. */
  readonly timeoutMs?: number;
}

/** Converts audio beside the event loop, so that nobody's call stutters, and a file that is too much ends only its thread. */
export class AudioConverter {
  readonly #gate: Gate;
  readonly #idle: ConvertThread[] = [];
  readonly #timeoutMs: number;

  constructor({ atOnce = 1, waiting = 256, timeoutMs = 60_000 }: ConverterOptions = {}) {
    this.#gate = new Gate(atOnce, waiting);
    this.#timeoutMs = timeoutMs;
  }

  /** @throws MediaError `not_audio`, `empty`, `too_large`; `unavailable` when too many wait or the thread ended over it. */
  async convert(request: ConvertRequest): Promise<Playable> {
    const turn = this.#gate.enter(() => this.#convert(request));
    if (turn === null) throw new MediaError('unavailable', 'too many audio files are waiting to be converted');
    return turn;
  }

  /** A thread is kept for the next file: starting one takes longer than converting a sentence. */
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
