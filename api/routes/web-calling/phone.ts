import { Router, type Request, type Response } from 'express';
import { languageOf } from '../../http/request/language.js';
import { phoneManifest, phonePage } from '../../pages/phone.js';
import { serveFile } from '../../pages/served-file.js';

/** The built page. */
export interface PhoneFiles {
  readonly script: Uint8Array;
  readonly style: Uint8Array;
  /** The service worker. */
  readonly worker: Uint8Array;
}

/** A page of this origin, with its own files only: the API and the WebSocket, and a ring tone that it makes itself. */
function policy(publicUrl: string): string {
  const socket = new URL(publicUrl).origin.replace(/^http/, 'ws');
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "manifest-src 'self'",
    "worker-src 'self'",
    'media-src blob:',
    `connect-src 'self' ${socket}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'self'",
    "require-trusted-types-for 'script'",
  ].join('; ');
}

/** The telephone of agents as a page, which a person can install. */
export function phoneRouter({ script, style, worker }: PhoneFiles, publicUrl: () => string): Router {
  const router = Router();
  router.get('/phone', (req: Request, res: Response) => {
    res.setHeader('Content-Security-Policy', policy(publicUrl()));
    res.setHeader('Permissions-Policy', 'microphone=(self), speaker-selection=(self)');
    res.setHeader('Cache-Control', 'no-cache');
    res.setHeader('Vary', 'Accept-Language');
    res.type('text/html; charset=utf-8').send(phonePage(languageOf(req)));
  });
  router.get('/phone/manifest.webmanifest', (req: Request, res: Response) => {
    res.setHeader('Vary', 'Accept-Language');
    res.type('application/manifest+json').send(JSON.stringify(phoneManifest(languageOf(req))));
  });
  router.get('/phone/main.js', serveFile(script, 'text/javascript; charset=utf-8'));
  router.get('/phone/worker.js', (_req: Request, res: Response) => {
    // The page is not below the folder of its worker.
    res.setHeader('Service-Worker-Allowed', '/phone');
    res.setHeader('Content-Security-Policy', "default-src 'none'; connect-src 'self'");
    res.setHeader('Cache-Control', 'no-cache');
    res.type('text/javascript; charset=utf-8').send(Buffer.from(worker));
  });
  router.get('/phone/style.css', serveFile(style, 'text/css; charset=utf-8'));
  return router;
}
