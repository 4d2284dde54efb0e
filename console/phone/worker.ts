/**
 * The service worker of the page: without a network, and while the platform restarts, the page opens as it was last seen
 * and connects as soon as it can. It keeps the files of the page and nothing else: no calls, no tokens.
 */

interface FetchEvent extends Event {
  readonly request: Request;
  respondWith(response: Promise<Response>): void;
}
interface Lifetime extends Event {
  waitUntil(work: Promise<unknown>): void;
}
interface Worker {
  addEventListener(type: 'fetch', listener: (event: FetchEvent) => void): void;
  addEventListener(type: 'install' | 'activate', listener: (event: Lifetime) => void): void;
  skipWaiting(): Promise<void>;
  readonly clients: { claim(): Promise<void> };
}

const CACHE = 'hatif-phone';
const FILES = /^\/phone(\/[\w.-]+)?$|^\/docs\/assets\/icon\.svg$/;

const worker = self as unknown as Worker;

worker.addEventListener('install', (event) => event.waitUntil(worker.skipWaiting()));
worker.addEventListener('activate', (event) => event.waitUntil(worker.clients.claim()));
worker.addEventListener('fetch', (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method === 'GET' && origin === location.origin && FILES.test(pathname)) {
    event.respondWith(newestOf(request));
  }
});

/** The present file of the platform; while it does not answer, the one from before. */
async function newestOf(request: Request): Promise<Response> {
  const cache = await caches.open(CACHE);
  try {
    const answer = await fetch(request);
    if (answer.ok) await cache.put(request, answer.clone());
    return answer;
  } catch (error) {
    // The page in another language is better than none.
    const known = (await cache.match(request)) ?? (await cache.match(request, { ignoreSearch: true }));
    if (known) return known;
    throw error;
  }
}

export {};
