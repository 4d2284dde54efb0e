import { Router, type Request, type Response } from 'express';
import type { Commands } from '../../../core/model/commands.js';
import type { Overview, Place } from '../../../core/services/overview/overview.js';
import { languageOf } from '../../http/request/language.js';
import { isOnThisMachine } from '../../http/request/on-this-machine.js';
import { frontPage, type OperatorsView } from '../../pages/front/front.js';
import type { Health } from './health.js';

export interface FrontOptions {
  readonly health: () => Promise<Health>;
  /** Rejects if the database cannot be read. */
  readonly overview: () => Promise<Overview>;
  readonly place: () => Place;
  /** How commands are typed here. */
  readonly commands: Commands;
  readonly publicUrl: () => string;
}

/** Allows nothing from other hosts, no scripts and no inline styles. */
const POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "img-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The page at `/`: health and links for everyone; phones, numbers and the next command on this machine only. */
export function frontRouter({ health, overview, place, commands, publicUrl }: FrontOptions): Router {
  const router = Router();
  const operatorsView = async (): Promise<OperatorsView> => ({
    overview: await overview().catch(() => null),
    place: place(),
  });
  router.get('/', async (req: Request, res: Response) => {
    const [found, operator] = await Promise.all([
      health(),
      isOnThisMachine(req, publicUrl()) ? operatorsView() : Promise.resolve(null),
    ]);
    res.setHeader('Content-Security-Policy', POLICY);
    res.setHeader('Cache-Control', 'no-store');
    res.setHeader('Vary', 'Accept-Language');
    const page = frontPage(found, operator, commands, languageOf(req));
    res
      .status(found.status === 'down' ? 503 : 200)
      .type('text/html; charset=utf-8')
      .send(page);
  });
  return router;
}
