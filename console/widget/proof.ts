import { Search, type Challenge } from './search.js';

/** The worker's source, inlined by the build, so that a page's content security policy need not allow another script. */
declare const PROOF_WORKER: string;

/** A solved challenge in the form that the platform accepts. */
export type Proof = Omit<Challenge, 'maxnumber'> & { readonly number: number };

/** Solves a challenge, in a worker if the page's policy allows one. @throws Error if the challenge has no solution */
export async function solve(challenge: Challenge): Promise<Proof> {
  const number = await inWorker(challenge).catch(() => inSlices(challenge));
  if (number === null) throw new Error('the challenge has no solution');
  const { algorithm, challenge: hash, salt, signature } = challenge;
  return { algorithm, challenge: hash, salt, signature, number };
}

function inWorker(challenge: Challenge): Promise<number | null> {
  return new Promise((resolve, reject) => {
    const url = URL.createObjectURL(new Blob([PROOF_WORKER], { type: 'text/javascript' }));
    const worker = new Worker(url);
    const end = (): void => {
      worker.terminate();
      URL.revokeObjectURL(url);
    };
    worker.onmessage = ({ data }: MessageEvent<number | null>) => {
      end();
      resolve(data);
    };
    worker.onerror = () => {
      end();
      reject(new Error('no worker'));
    };
    worker.postMessage(challenge);
  });
}

/** Solves on the page's main thread, a few milliseconds at a time. */
async function inSlices(challenge: Challenge): Promise<number | null> {
  const search = new Search(challenge);
  while (search.step(2_000)) await new Promise((resolve) => setTimeout(resolve));
  return search.found;
}
