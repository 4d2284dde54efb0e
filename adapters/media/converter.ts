import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { MediaError } from '../../core/ports/media-store.js';
import type { ConvertAnswer } from './convert-worker.js';
import type { ConvertRequest, Playable } from './convert.js';
import { Gate } from './gate.js';

export interface ConverterOptions {
  /** Files converted at once; 1 by default: live calls need the other processors. */
  readonly atOnce?: number;
  /** Files that may wait for their turn; the next is refused. 64 by default. */
  readonly waiting?: number;
  /** Limit for one file; 60 s by default. */
  readonly timeoutMs?: number;
}

/**
 * As compiled, or from the source: the loader of TypeScript does not reach into threads by itself. It is looked for by hand, because a test
 * runner may load this file as CommonJS, where `import.meta.resolve` is missing.
 */
function workerUrl(): URL {
  if (import.meta.url.endsWith('.js')) return new URL('./convert-worker.js', import.meta.url);
  const tsx = pathToFileURL(createRequire(import.meta.url).resolve('tsx/package.json'));
  const loader = new URL('./dist/esm/api/index.mjs', tsx).href;
  const source = new URL('./convert-worker.ts', import.meta.url).href;
  return new URL(`data:text/javascript,import { register } from '${loader}'; register(); await import('${source}');`);
}

/** The worker's own heap; samples lie outside of it and are bounded by the length that is allowed. */
const WORKER_HEAP_MB = 256;

/** Converts audio in a thread of its own, so that nobody's call stutters, and a file that is too much for it ends only itself. */
export class AudioConverter {
  readonly #gate: Gate;

  constructor(private readonly options: ConverterOptions = {}) {
    this.#gate = new Gate(options.atOnce ?? 1, options.waiting ?? 64);
  }

  /** @throws MediaError `not_audio`, `empty`, `too_large`; `unavailable` when too many wait or the thread died. */
  async convert(request: ConvertRequest): Promise<Playable> {
    const turn = this.#gate.enter(() => this.#convert(request));
    if (turn === null) throw new MediaError('unavailable', 'too many audio files are waiting to be converted');
    return turn;
  }

  #convert(request: ConvertRequest): Promise<Playable> {
    const { timeoutMs = 60_000 } = this.options;
    // A copy: the worker takes the memory over, and the caller's may be part of a larger buffer.
    const bytes = Uint8Array.from(request.bytes);
    return new Promise((resolve, reject) => {
      const worker = new Worker(workerUrl(), {
        workerData: { ...request, bytes } satisfies ConvertRequest,
        transferList: [bytes.buffer],
        resourceLimits: { maxOldGenerationSizeMb: WORKER_HEAP_MB },
        stdout: true,
        stderr: true,
      });
      const failed = (cause: unknown): void => {
        reject(new MediaError('unavailable', 'the audio could not be converted', { cause }));
        void worker.terminate();
      };
      const timer = setTimeout(() => failed(new Error(`not done in ${timeoutMs} ms`)), timeoutMs);
      worker.once('message', (answer: ConvertAnswer) => {
        if ('playable' in answer) resolve(answer.playable);
        else reject(new MediaError(answer.problem, answer.message));
      });
      worker.once('error', failed);
      worker.once('exit', (code) => {
        clearTimeout(timer);
        failed(new Error(`the worker ended with ${code}`));
      });
    });
  }
}
