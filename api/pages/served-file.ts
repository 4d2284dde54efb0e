import type { Request, Response } from 'express';
import { createHash } from 'node:crypto';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

/** Minutes, so that a fix reaches all pages soon; what a browser has is shown meanwhile and is asked for by its hash. */
const CACHE = 'public, max-age=600, stale-while-revalidate=86400';

/** The highest quality takes ten times as long for a few percent. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };

/** Serves a file that pages of any origin load, also with `crossorigin` and `integrity`. */
export function serveFile(file: Uint8Array, type: string): (req: Request, res: Response) => void {
  // Compressed when somebody first asks for it, so that a start does not wait.
  const bodies = {
    br: once(() => brotliCompressSync(file, BROTLI)),
    gzip: once(() => gzipSync(file)),
    identity: once(() => Buffer.from(file)),
  };
  const hash = createHash('sha256').update(file).digest('base64url').slice(0, 22);
  return (req, res) => {
    const encoding = (['br', 'gzip'] as const).find((one) => req.acceptsEncodings(one) === one) ?? 'identity';
    res.setHeader('Cache-Control', CACHE);
    res.setHeader('ETag', `"${hash}-${encoding}"`);
    res.setHeader('Vary', 'Accept-Encoding');
    res.setHeader('Access-Control-Allow-Origin', '*');
    res.setHeader('Cross-Origin-Resource-Policy', 'cross-origin');
    if (encoding !== 'identity') res.setHeader('Content-Encoding', encoding);
    res.type(type).send(bodies[encoding]());
  };
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
