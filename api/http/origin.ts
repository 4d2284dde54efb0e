import type { Request, Response } from 'express';
import { HatifError } from '../../core/model/errors/index.js';
import { isOriginAllowed, parseOrigin } from '../../core/model/access/origin.js';
import type { WidgetContext } from '../../core/services/widgets/gate.js';
import type { ApiDeps } from './deps.js';
import { readQuery } from './request/query.js';

/** Answer headers that pages may read. */
const EXPOSED = 'X-Request-Id, Retry-After, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset';

/**
 * Lets a web page use an API key only if its origin is listed: keys are secrets, and a page exposes its key. Programs
 * send no origin.
 * @throws HatifError ORIGIN_NOT_ALLOWED
 */
export function admitOrigin(deps: ApiDeps, req: Request, res: Response): void {
  const { origin } = req.headers;
  if (origin === undefined || isOwn(deps, req, origin)) return;
  if (!isOriginAllowed(origin, deps.allowedOrigins)) throw new HatifError('ORIGIN_NOT_ALLOWED', { origin });
  share(res, origin);
}

/** Lets a page of any origin read the answer. */
export function admitPage(deps: ApiDeps, req: Request, res: Response): void {
  const { origin } = req.headers;
  if (origin !== undefined && !isOwn(deps, req, origin)) share(res, origin);
}

/** The page of another site that makes the request; null if none does, or one that the settings allow. */
export function foreignOrigin(deps: Pick<ApiDeps, 'publicUrl' | 'allowedOrigins'>, req: Request): string | null {
  const { origin } = req.headers;
  if (origin === undefined || isOwn(deps, req, origin) || isOriginAllowed(origin, deps.allowedOrigins)) return null;
  return origin;
}

/**
 * The widget that the request names, if the page may use it. Browsers send `Origin` with every cross-origin request and
 * with every request that is not a GET, so a GET without it comes from the platform's own page or from no page.
 * @param isGet whether the request is a GET
 * @throws HatifError INVALID_API_KEY, REVOKED_API_KEY, WIDGET_ORIGIN_NOT_ALLOWED
 */
export async function admitWidget(
  deps: Pick<ApiDeps, 'widgets' | 'publicUrl'>,
  req: Request,
  res: Response,
  isGet: boolean,
): Promise<WidgetContext> {
  const { key = '' } = readQuery(req.url);
  const widget = await deps.widgets.find(typeof key === 'string' ? key : '');
  const { origin } = req.headers;
  if (origin === undefined ? isGet : isOwn(deps, req, origin)) return widget;
  deps.widgets.assertOrigin(widget, origin ?? null);
  if (origin !== undefined) share(res, origin);
  return widget;
}

/**
 * Whether the origin is the platform itself: its public URL, or the host that the request was sent to. A page that came
 * without encryption may be anybody's who is on the way: over HTTPS, it is not the platform's.
 */
function isOwn({ publicUrl }: Pick<ApiDeps, 'publicUrl'>, req: Request, text: string): boolean {
  const origin = parseOrigin(text);
  if (origin === null) return false;
  if (origin === new URL(publicUrl()).origin) return true;
  const { host, protocol } = new URL(origin);
  return host === req.headers.host && (protocol === 'https:' || !req.secure);
}

function share(res: Response, origin: string): void {
  res.setHeader('Access-Control-Allow-Origin', origin);
  res.setHeader('Access-Control-Expose-Headers', EXPOSED);
  res.setHeader('Vary', 'Origin');
}
