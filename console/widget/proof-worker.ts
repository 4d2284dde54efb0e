import { Search, type Challenge } from './search.js';

/** Runs in a worker: receives a challenge and posts the number back, or null if there is none. */
addEventListener('message', ({ data }: MessageEvent<Challenge>) => {
  const search = new Search(data);
  while (search.step(10_000));
  // In a worker, the second parameter of postMessage is not the target origin.
  (postMessage as (message: unknown) => void)(search.found);
});
