import { Worker } from 'node:worker_threads';
import { MediaError } from '../../core/ports/media-store.js';
import type { ConvertAnswer } from './convert-worker.js';
import type { ConvertRequest, Playable } from './convert.js';

/** The thread's own heap; samples lie outside of it and are bounded by the length that is allowed. */
const HEAP_MB = 256;

/** As compiled, or from the source: the loader of TypeScript does not reach into threads by itself. */
function workerUrl(): URL {
  if (import.meta.url.endsWith('.js')) return new URL('./convert-worker.js', import.meta.url);
  const loader = import.meta.resolve('tsx/esm/api');
  const source = new URL('./convert-worker.ts', import.meta.url).href;
  return new URL(`data:text/javascript,import { register } from '${loader}'; register(); await import('${source}');`);
}

/** A thread that converts one file at a time. It keeps no process alive while it has nothing to do. */
export class ConvertThread {
  #running: { readonly resolve: (playable: Playable) => void; readonly reject: (error: MediaError) => void } | null =
    null;
  #ended = false;
  readonly #worker: Worker;

  constructor() {
    this.#worker = new Worker(workerUrl(), {
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
      // What the decoders print is nobody's.
      stdout: true,
      stderr: true,
    });
    this.#worker.on('message', (answer: ConvertAnswer) => this.#answered(answer));
    this.#worker.once('error', (error) => this.end(error));
    this.#worker.once('exit', (code) => this.end(new Error(`the thread ended with ${code}`)));
    this.#worker.unref();
  }

  /** Over: by a fault or a file that took too long. */
  get ended(): boolean {
    return this.#ended;
  }

  /** @throws MediaError what `convert` throws; `unavailable` when the thread ended over it. */
  run(request: ConvertRequest, timeoutMs: number): Promise<Playable> {
    // A copy: the thread takes the memory over, and the caller's may be part of a larger buffer.
    const bytes = Uint8Array.from(request.bytes);
    const timer = setTimeout(() => this.end(new Error(`not done in ${timeoutMs} ms`)), timeoutMs);
    this.#worker.ref();
    const result = new Promise<Playable>((resolve, reject) => {
      this.#running = { resolve, reject };
      this.#worker.postMessage({ ...request, bytes } satisfies ConvertRequest, [bytes.buffer]);
    });
    return result.finally(() => {
      clearTimeout(timer);
      this.#worker.unref();
    });
  }

  end(cause: unknown): void {
    this.#ended = true;
    this.#running?.reject(new MediaError('unavailable', 'the audio could not be converted', { cause }));
    this.#running = null;
    void this.#worker.terminate();
  }

  #answered(answer: ConvertAnswer): void {
    if ('playable' in answer) this.#running?.resolve(answer.playable);
    else this.#running?.reject(new MediaError(answer.problem, answer.message));
    this.#running = null;
  }
}
