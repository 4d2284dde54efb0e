/** The worker thread of {@link AudioConverter}: one reply per file, in order. */
import { parentPort } from 'node:worker_threads';
import { MediaError, type MediaProblem } from '../../core/ports/media-store.js';
import { convert, type ConvertRequest, type Playable } from './convert.js';

export type ConvertAnswer =
  { readonly playable: Playable } | { readonly problem: MediaProblem; readonly message: string };

async function answer(request: ConvertRequest): Promise<void> {
  try {
    const playable = await convert(request);
    const reply: ConvertAnswer = { playable };
    parentPort?.postMessage(reply, [playable.narrow.buffer, playable.wide.buffer]);
  } catch (error) {
    // Any other error is a bug: it ends the thread, and ConvertThread handles that.
    if (!(error instanceof MediaError)) throw error;
    const reply: ConvertAnswer = { problem: error.problem, message: error.message };
    parentPort?.postMessage(reply);
  }
}

parentPort?.on('message', (request: ConvertRequest) => void answer(request));
