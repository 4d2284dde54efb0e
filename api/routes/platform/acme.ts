import { Router, type NextFunction, type Request, type Response } from 'express';

export interface AcmeRouterOptions {
  /** The answer to a challenge; null for an unknown token. @throws DatabaseUnavailable */
  readonly answer: (token: string) => Promise<string | null>;
}

const TOKEN = /^[\w-]{1,200}$/;

/** Answers the HTTP-01 challenges of an ACME authority (RFC 8555 §8.3). */
export function acmeRouter({ answer }: AcmeRouterOptions): Router {
  const router = Router();
  router.get(
    '/.well-known/acme-challenge/:token',
    async (req: Request<{ token: string }>, res: Response, next: NextFunction) => {
      const { token } = req.params;
      const found = TOKEN.test(token) ? await answer(token) : null;
      if (found === null) next();
      else res.type('application/octet-stream').send(found);
    },
  );
  return router;
}
