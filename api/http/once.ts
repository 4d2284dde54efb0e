import type { Request } from 'express';
import { invalidField } from '../../core/model/errors/index.js';
import type { ReadBody } from './body.js';
import type { ApiDeps } from './deps.js';
import type { Exchange } from './exchange.js';
import { isJson, type JsonReply, type Reply } from './reply.js';
import type { AbandonedRequest, Route } from './route.js';

const IDEMPOTENCY_KEY = /^[A-Za-z0-9_:-]{1,255}$/;
const BAD_IDEMPOTENCY_KEY = {
  en: 'must be 1 to 255 characters of A-Z, a-z, 0-9, _, : and -',
  ar: 'يجب أن يتكوّن من 1 إلى 255 حرفًا من `A-Z` و`a-z` و`0-9` و`_` و`:` و`-`',
};

/** Serves a request, or recovers the answer of an earlier attempt whose process died. Neither rejects. */
export interface Work {
  readonly serve: () => Promise<Reply>;
  readonly recover: (first: AbandonedRequest) => Promise<Reply | null>;
}

/**
 * Runs a request with an idempotency key once; a repeated request gets the stored answer.
 * @param owner whose idempotency keys count; null: no client's
 */
export async function once(
  deps: ApiDeps,
  route: Route,
  exchange: Exchange,
  owner: string | null,
  body: ReadBody,
  req: Request,
  work: Work,
): Promise<Reply> {
  const given = req.headers['idempotency-key'];
  if (!route.idempotent || owner === null || given === undefined) return work.serve();
  const idempotencyKey = String(given);
  if (!IDEMPOTENCY_KEY.test(idempotencyKey)) throw invalidField('Idempotency-Key', BAD_IDEMPOTENCY_KEY);
  const { requestId, method, path } = exchange;
  const query = req.url.includes('?') ? req.url.slice(req.url.indexOf('?')) : '';
  const fingerprint = `${query}\n${body.fingerprint()}`;
  const begun = await deps.idempotency.begin({
    keyId: owner,
    method,
    path,
    idempotencyKey,
    fingerprint,
    requestId,
  });
  if (begun.action === 'replay') return replay(exchange, begun.answer);
  const { abandoned } = begun;
  const reply = await deps.idempotency.running(
    begun.claim,
    async () => (abandoned && (await work.recover(abandoned))) ?? work.serve(),
  );
  if (isKept(reply)) await deps.idempotency.keep(begun.claim, withoutSecrets(route, reply));
  else await deps.idempotency.release(begun.claim);
  return reply;
}

function replay(exchange: Exchange, kept: JsonReply): Reply {
  const body: unknown = kept.body;
  if (typeof body === 'object' && body !== null && 'error_code' in body) exchange.errorCode = String(body.error_code);
  return {
    status: kept.status,
    ...(kept.status === 204 ? {} : { body }),
    headers: { ...kept.headers, 'Idempotent-Replayed': 'true' },
  };
}

function isKept(reply: Reply): reply is JsonReply {
  return isJson(reply) && reply.status < 500 && ![401, 403, 429].includes(reply.status);
}

function withoutSecrets({ secretFields = [] }: Route, { status, body, headers = {} }: JsonReply) {
  const secrets = Object.fromEntries(secretFields.map((name) => [name, null]));
  const kept = typeof body === 'object' && body !== null && status < 400 ? { ...body, ...secrets } : body;
  return { status, body: kept, headers };
}
