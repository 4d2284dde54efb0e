import express, { Router, type NextFunction, type Request, type Response } from 'express';
import { HatifError } from '../../../core/model/errors/index.js';
import type { MemoryRateLimiter } from '../../../core/services/access/rate-limit.js';
import { applyAllowance } from '../../http/rate-headers.js';

/** Where every FreeSWITCH asks; not part of /v1, and nothing for clients. */
export const FREESWITCH_PATH = '/engine/freeswitch';

/** A FreeSWITCH that proved which one it is. */
export interface AskingEngine {
  /** @returns the answer to a question of mod_xml_curl, a document of FreeSWITCH's. @throws DatabaseUnavailable */
  answer(question: URLSearchParams): Promise<string>;
  /** A leg ended (mod_json_cdr). @returns whether somebody takes notice; where nobody does, FreeSWITCH keeps the word of it. */
  ended(json: string): Promise<boolean>;
}

export interface FreeswitchOptions {
  /** @returns null for an engine that is not known, or a wrong secret */
  readonly identify: (name: string, secret: string) => Promise<AskingEngine | null>;
  /** Counts refused attempts by address. Engines themselves are never refused for coming often. */
  readonly addressLimiter: MemoryRateLimiter;
  readonly refusedPerMinute: number;
}

const WINDOW_SECONDS = 60;
/** Both are some kilobytes. */
const MAX_BYTES = 1024 * 1024;

const readText = express.text({ type: () => true, limit: MAX_BYTES });

/** What FreeSWITCHes ask of the application, and what they tell it, by HTTP with basic authentication (RFC 7617). */
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

/** Who proved to ask, by request. */
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
