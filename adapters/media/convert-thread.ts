import { Worker } from 'node:worker_threads';
import { MediaError } from '../../core/ports/media-store.js';
import type { ConvertAnswer } from './convert-worker.js';
import type { ConvertRequest, Playable } from './convert.js';

/** The thread's heap limit. Samples are outside the heap and limited by the maximum duration. */
const HEAP_MB = 256;

/**
 * Returns the compiled worker or its source: tsx does not apply to worker threads by itself, so the source has to
 * register it.
 */
function workerUrl(): URL {
  if (import.meta.url.endsWith('.js')) return new URL('./convert-worker.js', import.meta.url);
  const loader = import.meta.resolve('tsx/esm/api');
  const source = new URL('./convert-worker.ts', import.meta.url).href;
  return new URL(`data:text/javascript,import { register } from '${loader}'; register(); await import('${source}');`);
}

/** A thread that converts one file at a time. While idle, it does not keep the process alive. */
export class ConvertThread {
  #running: { readonly resolve: (playable: Playable) => void; readonly reject: (error: MediaError) => void } | null =
    null;
  #ended = false;
  readonly #worker: Worker;

  constructor() {
    this.#worker = new Worker(workerUrl(), {
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
      // Discard the decoders' output.
      stdout: true,
      stderr: true,
    });
    this.#worker.on('message', (answer: ConvertAnswer) => this.#answered(answer));
    this.#worker.once('error', (error) => this.end(error));
    this.#worker.once('exit', (code) => this.end(new Error(`the thread ended with ${code}`)));
    this.#worker.unref();
  }

  /** Whether the thread has ended, because of an error or a timeout. */
  get ended(): boolean {
    return this.#ended;
  }

  /** @throws MediaError as `convert`; `unavailable` if the thread ended */
  run(request: ConvertRequest, timeoutMs: number): Promise<Playable> {
    // Copied, because the buffer is transferred to the thread, and the caller's may be part of a larger one.
    const audio = 'file' in request.audio ? request.audio : Uint8Array.from(request.audio);
    const transferred = 'file' in audio ? [] : [audio.buffer];
    const timer = setTimeout(() => this.end(new Error(`timed out after ${timeoutMs} ms`)), timeoutMs);
    this.#worker.ref();
    const result = new Promise<Playable>((resolve, reject) => {
      this.#running = { resolve, reject };
      this.#worker.postMessage({ ...request, audio } satisfies ConvertRequest, transferred);
    });
    return result.finally(() => {
      clearTimeout(timer);
      this.#worker.unref();
    });
  }

  end(cause: unknown): void {
    this.#ended = true;
    this.#running?.reject(new MediaError('unavailable', 'the audio cannot be converted', { cause }));
    this.#running = null;
    void this.#worker.terminate();
  }

  #answered(answer: ConvertAnswer): void {
    if ('playable' in answer) this.#running?.resolve(answer.playable);
    else this.#running?.reject(new MediaError(answer.problem, answer.message));
    this.#running = null;
  }
}
