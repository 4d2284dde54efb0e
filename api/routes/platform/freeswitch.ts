import express, { Router, type NextFunction, type Request, type Response } from 'express';
import { HatifError } from '../../../core/model/errors/index.js';
import type { MemoryRateLimiter } from '../../../core/services/access/rate-limit.js';
import { applyAllowance } from '../../http/rate-headers.js';

/** Path to which FreeSWITCH sends its requests; not part of /v1 and not for clients. */
export const FREESWITCH_PATH = '/engine/freeswitch';

/** An authenticated FreeSWITCH engine. */
export interface AskingEngine {
  /** @returns the XML document that answers a request of mod_xml_curl. @throws DatabaseUnavailable */
  answer(question: URLSearchParams): Promise<string>;
  /** A leg ended (mod_json_cdr). @returns whether the record was accepted; if not, FreeSWITCH keeps it and retries. */
  ended(json: string): Promise<boolean>;
}

export interface FreeswitchOptions {
  /** @returns null for an unknown engine or a wrong secret */
  readonly identify: (name: string, secret: string) => Promise<AskingEngine | null>;
  /** Counts refused attempts by address. Authenticated engines are never rate limited. */
  readonly addressLimiter: MemoryRateLimiter;
  readonly refusedPerMinute: number;
}

const WINDOW_SECONDS = 60;
/** Requests of both modules are a few kilobytes. */
const MAX_BYTES = 1024 * 1024;

const readText = express.text({ type: () => true, limit: MAX_BYTES });

/** Requests and reports of FreeSWITCH engines, over HTTP with basic authentication (RFC 7617). */
export function freeswitchRouter({ identify, addressLimiter, refusedPerMinute }: FreeswitchOptions): Router {
  const router = Router();
  const known = async (req: Request, res: Response, next: NextFunction): Promise<void> => {
    const [name, secret] = credentialsOf(req.headers.authorization);
    const engine = await identify(name, secret);
    if (!engine) {
      applyAllowance(res, 'address', addressLimiter.takeNow(req.ip ?? '', refusedPerMinute, WINDOW_SECONDS));
      throw new HatifError('ENGINE_UNAUTHORIZED');
    }
    engines.set(req, engine);
    next();
  };
  router.post(FREESWITCH_PATH, known, readText, async (req: Request, res: Response) => {
    const engine = askingEngine(req);
    const body: unknown = req.body;
    const text = typeof body === 'string' ? body : '';
    if (req.is('application/json') !== false) {
      res.sendStatus((await engine.ended(text)) ? 200 : 503);
      return;
    }
    const answer = await engine.answer(new URLSearchParams(text));
    res.setHeader('Cache-Control', 'no-store');
    res.type('text/xml').send(answer);
  });
  return router;
}

/** The authenticated engine of each request. */
const engines = new WeakMap<Request, AskingEngine>();

function askingEngine(req: Request): AskingEngine {
  const engine = engines.get(req);
  if (!engine) throw new HatifError('ENGINE_UNAUTHORIZED');
  return engine;
}

function credentialsOf(header: string | undefined): readonly [name: string, secret: string] {
  const [, encoded = ''] = /^Basic ([\w+/=-]+)$/i.exec(header ?? '') ?? [];
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  return colon < 0 ? [text, ''] : [text.slice(0, colon), text.slice(colon + 1)];
}
