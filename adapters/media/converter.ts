import { MediaError } from '../../core/ports/media-store.js';
import { ConvertThread } from './convert-thread.js';
import type { ConvertRequest, Playable } from './convert.js';
import { Gate } from './gate.js';

export interface ConverterOptions {
  /** Files converted concurrently, each in its own thread. Default 1, because live calls need the other processors. */
  readonly atOnce?: number;
  /** Maximum number of queued files; further ones are rejected. Default 256. */
  readonly waiting?: number;
  /** Timeout for one file, including its wait in the queue. Default 60 s. */
  readonly timeoutMs?: number;
}

/** At least this number of projects share the queue. */
const GROUPS = 4;

/**
 * Converts audio outside the event loop, so that calls do not stutter, and a file that is too demanding only ends its
 * own thread.
 */
export class AudioConverter {
  readonly #gate: Gate;
  readonly #idle: ConvertThread[] = [];
  readonly #timeoutMs: number;

  constructor({ atOnce = 1, waiting = 256, timeoutMs = 60_000 }: ConverterOptions = {}) {
    this.#gate = new Gate(atOnce, waiting, Math.ceil(waiting / GROUPS));
    this.#timeoutMs = timeoutMs;
  }

  /**
   * @param group whose files these are: groups take turns
   * @throws MediaError `not_audio`, `empty`, `too_large`; `unavailable` if the queue is full or the thread ended
   */
  async convert(request: ConvertRequest, group = ''): Promise<Playable> {
    const untilMs = performance.now() + this.#timeoutMs;
    const turn = this.#gate.enter(() => this.#convert(request, untilMs - performance.now()), group);
    if (turn === null) throw new MediaError('unavailable', 'too many audio files are waiting to be converted');
    return turn;
  }

  /** Keeps a thread for the next file: starting one takes longer than converting a sentence. */
  async #convert(request: ConvertRequest, timeoutMs: number): Promise<Playable> {
    if (timeoutMs <= 0) throw new MediaError('unavailable', 'the audio waited too long to be converted');
    let thread = this.#idle.pop();
    if (!thread || thread.ended) thread = new ConvertThread();
    try {
      return await thread.run(request, timeoutMs);
    } finally {
      if (!thread.ended) this.#idle.push(thread);
    }
  }
}
