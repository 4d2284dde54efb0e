import { LRUCache } from 'lru-cache';
import { atMost } from '../core/model/cache-size.js';
import { EDGE_HEADER } from '../core/model/edge-mark.js';
import { parseSipUri } from '../core/model/sip-uri.js';
import type { Logger } from '../core/ports/logger.js';
import type { EdgeCalls } from './calls/calls.js';
import type { EdgeDirectory } from './calls/directory.js';
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
    const isInvite = method === 'INVITE';
    if (directory.engineAt(source) !== null) {
      if (isInvite) await calls.toPhones(request);
      else answerOther(request);
    } else if (!guard.serves(source)) {
      request.ignore();
    } else if (request.headers.first(EDGE_HEADER.toLowerCase()) !== null) {
      // Only the edge itself writes this header.
      request.answer(403);
    } else {
      const trunk = directory.trunkAt(source);
      // Phones may be behind the address of a trunk that has no port.
      if (trunk === null || method === 'REGISTER') await this.#ofStranger(request);
      else if (isInvite) await calls.toEngine(request, { type: 'trunk', id: trunk.id });
      else answerOther(request);
    }
  }

  async #ofStranger(request: SipRequest): Promise<void> {
    const { guard } = this.options;
    const { method, source } = request;
    if (guard.isScanner(request.headers.first('user-agent'))) {
      request.ignore();
      await guard.sawScanner(source);
    } else if (method === 'REGISTER' || method === 'INVITE') {
      await this.#ofPhone(request);
    } else if (this.#known.has(source.host)) {
      answerOther(request);
    } else {
      request.ignore();
    }
  }

  async #ofPhone(request: SipRequest): Promise<void> {
    const { guard, authenticator } = this.options;
    const verdict = await authenticator.judge(request);
    if (verdict.type === 'challenge') {
      authenticator.challenge(request, verdict);
    } else if (verdict.type === 'wrong') {
      authenticator.challenge(request, { stale: false });
      await guard.sawWrongPassword(request.source, verdict.user);
    } else if (guard.isUserLocked(verdict.aor) && !(await this.#isUsual(request, verdict.aor))) {
      // As for a wrong password: who guessed the right one does not learn it.
      authenticator.challenge(request, { stale: false });
    } else {
      this.#known.set(request.source.host, true);
      await this.#ofSoftphone(request, verdict.aor);
    }
  }

  async #ofSoftphone(request: SipRequest, aor: string): Promise<void> {
    if (request.method === 'REGISTER') {
      await this.options.registrar.register(request, aor);
      return;
    }
    const from = parseSipUri(parseNameAddress(request.headers.first('from') ?? '')?.uri ?? '');
    if (from?.user === aor) await this.options.calls.toEngine(request, { type: 'softphone', id: aor });
    else request.answer(403);
  }

  /** Whether one of the user's phones is registered from the request's address. */
  async #isUsual({ source }: SipRequest, aor: string): Promise<boolean> {
    return (await this.options.location.of(aor)).some(({ source_host: host }) => host === source.host);
  }
}

/** Answers a known sender: OPTIONS is a question whether the edge is there; nothing else is served here. */
function answerOther(request: SipRequest): void {
  if (request.method === 'OPTIONS') request.answer(200);
  else if (request.method === 'SUBSCRIBE') request.answer(489);
  else request.answer(405, { headers: { Allow: 'INVITE, ACK, BYE, CANCEL, OPTIONS, REGISTER' } });
}
