import { LRUCache } from 'lru-cache';
import { atMost } from '../core/model/cache-size.js';
import { EDGE_HEADER } from '../core/model/edge-mark.js';
import { parseSipUri } from '../core/model/sip-uri.js';
import type { Logger } from '../core/ports/logger.js';
import type { EdgeCalls } from './calls/calls.js';
import type { EdgeDirectory } from './directory.js';
import type { Guard } from './guards/guard.js';
import { parseNameAddress } from './message/name-address.js';
import type { SipRequest } from './message/request.js';
import type { Authenticator } from './registrar/authenticator.js';
import type { Location } from './registrar/location.js';
import type { Registrar } from './registrar/registrar.js';

export interface RequestsOptions {
  readonly directory: Pick<EdgeDirectory, 'engineAt' | 'trunkAt'>;
  readonly guard: Pick<Guard, 'serves' | 'isScanner' | 'isUserLocked' | 'sawScanner' | 'sawWrongPassword'>;
  readonly authenticator: Pick<Authenticator, 'judge' | 'challenge'>;
  readonly registrar: Pick<Registrar, 'register'>;
  readonly location: Pick<Location, 'of'>;
  readonly calls: Pick<EdgeCalls, 'toEngine' | 'toPhones'>;
  readonly log: Logger;
}

/** How long an address that has authenticated itself gets answers to OPTIONS, which some phones send to keep a NAT open. */
const KNOWN_MS = 3_600_000;
const MAX_KNOWN = 50_000;

/** Decides what happens to a request that reaches the edge outside of a dialog. */
export class EdgeRequests {
  /** Addresses that have authenticated themselves. */
  readonly #known = new LRUCache<string, true>({ ...atMost(MAX_KNOWN), ttl: KNOWN_MS });

  constructor(private readonly options: RequestsOptions) {}

  /** Never rejects. */
  async handle(request: SipRequest): Promise<void> {
    try {
      await this.#handle(request);
    } catch (error) {
      this.options.log.warn({ err: error, method: request.method }, 'a SIP request could not be served');
      request.answer(503, { headers: { 'Retry-After': '5' } });
    }
  }

  async #handle(request: SipRequest): Promise<void> {
    const { directory, guard, calls } = this.options;
    const { method, source } = request;
    if (directory.engineAt(source) !== null) {
      if (method === 'INVITE') return calls.toPhones(request);
      return request.answer(method === 'OPTIONS' ? 200 : 405);
    }
    if (!guard.serves(source)) return request.ignore();
    // Only the edge itself writes this header.
    if (request.headers.first(EDGE_HEADER.toLowerCase()) !== null) return request.answer(403);
    const trunk = directory.trunkAt(source);
    if (trunk !== null) {
      if (method === 'INVITE') return calls.toEngine(request, { type: 'trunk', id: trunk.id });
      // Phones may be behind the address of a trunk that has no port.
      if (method !== 'REGISTER') return request.answer(method === 'OPTIONS' ? 200 : 405);
    }
    if (guard.isScanner(request.headers.first('user-agent'))) {
      request.ignore();
      return guard.sawScanner(source);
    }
    switch (method) {
      case 'REGISTER':
      case 'INVITE':
        return this.#ofPhone(request);
      case 'OPTIONS':
        return this.#known.has(source.host) ? request.answer(200) : request.ignore();
      default:
        return this.#known.has(source.host) ? this.#refuse(request) : request.ignore();
    }
  }

  async #ofPhone(request: SipRequest): Promise<void> {
    const { guard, authenticator, registrar, location, calls } = this.options;
    const verdict = await authenticator.judge(request);
    if (verdict.type === 'challenge') return authenticator.challenge(request, verdict);
    if (verdict.type === 'wrong') {
      authenticator.challenge(request, { stale: false });
      return guard.sawWrongPassword(request.source, verdict.user);
    }
    const { aor } = verdict;
    if (guard.isUserLocked(aor)) {
      const phones = await location.of(aor);
      const isUsual = phones.some(({ source_host: host }) => host === request.source.host);
      // As for a wrong password: who guessed the right one does not learn it.
      if (!isUsual) return authenticator.challenge(request, { stale: false });
    }
    this.#known.set(request.source.host, true);
    if (request.method === 'REGISTER') return registrar.register(request, aor);
    const from = parseSipUri(parseNameAddress(request.headers.first('from') ?? '')?.uri ?? '');
    if (from?.user !== aor) return request.answer(403);
    return calls.toEngine(request, { type: 'softphone', id: aor });
  }

  #refuse(request: SipRequest): void {
    if (request.method === 'SUBSCRIBE') request.answer(489);
    else request.answer(405, { headers: { Allow: 'INVITE, ACK, BYE, CANCEL, OPTIONS, REGISTER' } });
  }
}
