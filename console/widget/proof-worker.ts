import { Search, type Challenge } from './search.js';

/** Runs beside the page: is sent a challenge, sends the number back, null where there is none. */
addEventListener('message', ({ data }: MessageEvent<Challenge>) => {
  const search = new Search(data);
  while (search.step(10_000));
  // In a worker the second parameter is not the target origin.
  (postMessage as (message: unknown) => void)(search.found);
});
