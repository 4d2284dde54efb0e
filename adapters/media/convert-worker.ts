/** The other thread of {@link AudioConverter}: one file, one answer. */
import { parentPort, workerData } from 'node:worker_threads';
import { MediaError, type MediaProblem } from '../../core/ports/media-store.js';
import { convert, type ConvertRequest, type Playable } from './convert.js';

export type ConvertAnswer =
  { readonly playable: Playable } | { readonly problem: MediaProblem; readonly message: string };

async function answer(): Promise<ConvertAnswer> {
  try {
    return { playable: await convert(workerData as ConvertRequest) };
  } catch (error) {
    if (error instanceof MediaError) return { problem: error.problem, message: error.message };
    throw error;
  }
}

const reply = await answer();
const buffers = 'playable' in reply ? [reply.playable.narrow.buffer, reply.playable.wide.buffer] : [];
parentPort?.postMessage(reply, buffers);
