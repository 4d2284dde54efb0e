import { LRUCache } from 'lru-cache';
import { atMost } from '../core/model/cache-size.js';
import type { SipRefusal } from '../core/model/sip-edge.js';
import { srtpOf, type SipSecurity } from '../core/model/sip-security.js';
import { parseSipUri } from '../core/model/sip-uri.js';
import { isWebAor } from '../core/model/web-calling.js';
import type { Logger } from '../core/ports/logger.js';
import type { EdgeCalls } from './calls/calls.js';
import type { EdgeDirectory } from './calls/directory.js';
import { isAcceptable, isPrivate } from './calls/encryption.js';
import type { TextAdmission } from './calls/text-admission.js';
import type { Guard } from './guards/guard.js';
import type { Tarpit } from './guards/tarpit.js';
import { isOwnField } from './message/own-fields.js';
import { parseNameAddress } from './message/name-address.js';
import type { SipRequest, SipSource } from './message/request.js';
import type { Authenticator } from './registrar/authenticator.js';
import type { Location } from './registrar/location.js';
import type { Registrar } from './registrar/registrar.js';
import type { SubscriptionAdmission } from './subscriptions/admit.js';

export interface RequestsOptions {
  readonly directory: Pick<EdgeDirectory, 'trunkAt'>;
  readonly guard: Pick<Guard, 'refusalOf' | 'isScanner' | 'isUserLocked' | 'sawScanner' | 'sawWrongPassword'>;
  readonly tarpit: Pick<Tarpit, 'sawWrongPassword' | 'forgive' | 'wait'>;
  /** Counts a request that is not served. */
  readonly refused: (reason: SipRefusal, host: string) => void;
  readonly authenticator: Pick<Authenticator, 'judge' | 'challenge'>;
  readonly registrar: Pick<Registrar, 'register'>;
  readonly subscriptions: Pick<SubscriptionAdmission, 'admit'>;
  readonly texts: Pick<TextAdmission, 'admit'>;
  readonly location: Pick<Location, 'of'>;
  readonly calls: Pick<EdgeCalls, 'toEngine' | 'fromEngine'>;
  /** Whether the relay sends from here, which engines alone reach. */
  readonly isRelay: (source: SipSource) => boolean;
  readonly security: SipSecurity;
  /** Numbers whose calls pass every limit, as they are dialled. */
  readonly emergency: ReadonlySet<string>;
  readonly log: Logger;
}

/** How long an address that has authenticated itself gets answers to OPTIONS, which some phones send to keep a NAT open. */
const KNOWN_MS = 3_600_000;
const MAX_KNOWN = 50_000;
/** What phones may ask for, if they have a password. */
const OF_PHONES: ReadonlySet<string> = new Set(['REGISTER', 'INVITE', 'SUBSCRIBE', 'MESSAGE']);

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
    const { directory, guard, calls, isRelay } = this.options;
    const { method, source } = request;
    const isInvite = method === 'INVITE';
    if (isRelay(source)) {
      if (isInvite) await calls.fromEngine(request);
      else answerOther(request);
      return;
    }
    const isBrowser = isOfBrowser(source);
    const trunk = isBrowser ? null : directory.trunkAt(source);
    // Phones may be behind the address of a trunk that has no port.
    const isOfTrunk = trunk !== null && method !== 'REGISTER';
    const refusal = isOfTrunk || isBrowser ? null : guard.refusalOf(source);
    if (refusal !== null) this.#ignore(request, refusal);
    else if (request.headers.names().some((name) => isOwnField(name, !isOfTrunk))) {
      this.options.refused('forged', source.host);
      request.answer(403);
    } else if (isBrowser) await this.#ofBrowser(request);
    else if (!isOfTrunk) await this.#ofStranger(request);
    else if (isInvite) await this.#ofTrunk(request, trunk);
    else answerOther(request);
  }

  #ignore(request: SipRequest, reason: SipRefusal): void {
    this.options.refused(reason, request.source.host);
    request.ignore();
  }

  async #ofTrunk(request: SipRequest, trunk: { readonly id: string; readonly transport: string }): Promise<void> {
    const { calls, security } = this.options;
    const mode = srtpOf(trunk, security);
    if (mode === 'required' && !isPrivate(request.source.transport)) request.answer(403, { reason: 'TLS Required' });
    else if (!isAcceptable(request.body, request.source.transport, mode)) request.answer(488);
    else await calls.toEngine(request, { type: 'trunk', id: trunk.id });
  }

  /** All browsers come from the address of the API, which has its own limits of addresses: nobody is locked out by it. */
  async #ofBrowser(request: SipRequest): Promise<void> {
    const { authenticator, guard } = this.options;
    if (request.method !== 'REGISTER' && request.method !== 'INVITE') {
      answerOther(request);
      return;
    }
    const verdict = await authenticator.judge(request);
    if (verdict.type === 'wrong') await guard.sawWrongPassword(null, verdict.user);
    const isAuthentic = verdict.type === 'authentic' && isWebAor(verdict.aor) && !guard.isUserLocked(verdict.aor);
    if (isAuthentic) await this.#ofSoftphone(request, verdict.aor);
    else authenticator.challenge(request, { stale: verdict.type === 'challenge' && verdict.stale });
  }

  async #ofStranger(request: SipRequest): Promise<void> {
    const { guard } = this.options;
    const { method, source, headers } = request;
    if (guard.isScanner(headers.first('user-agent'), headers.first('from'), headers.first('server'))) {
      this.#ignore(request, 'scanner');
      await guard.sawScanner(source);
    } else if (OF_PHONES.has(method)) {
      await this.#ofPhone(request);
    } else if (this.#known.has(source.host)) {
      answerOther(request);
    } else {
      this.#ignore(request, 'stranger');
    }
  }

  async #ofPhone(request: SipRequest): Promise<void> {
    const { guard, tarpit, authenticator, security } = this.options;
    const { source } = request;
    if (security.phonesNeedTls && !isPrivate(source.transport) && !this.#isEmergency(request)) {
      this.options.refused('transport', source.host);
      request.answer(403, { reason: 'TLS Required' });
      return;
    }
    const verdict = await authenticator.judge(request);
    if (verdict.type === 'wrong') {
      tarpit.sawWrongPassword(source);
      // Before the pause: guesses may come at the same time.
      await guard.sawWrongPassword(source, verdict.user);
    }
    if (verdict.type !== 'authentic') {
      const stale = verdict.type === 'challenge' && verdict.stale;
      if (await tarpit.wait(source)) authenticator.challenge(request, { stale });
      else this.#ignore(request, 'locked_out');
    } else if (guard.isUserLocked(verdict.aor) && !(await this.#isUsual(request, verdict.aor))) {
      this.options.refused('locked_out', source.host);
      // As for a wrong password: who guessed the right one does not learn it.
      authenticator.challenge(request, { stale: false });
    } else if (isWebAor(verdict.aor)) {
      // Its media is that of a browser, and its account is for the API's WebSocket.
      request.answer(403);
    } else {
      this.#known.set(source.host, true);
      tarpit.forgive(source);
      await this.#ofSoftphone(request, verdict.aor);
    }
  }

  async #ofSoftphone(request: SipRequest, aor: string): Promise<void> {
    const { registrar, subscriptions, texts, calls, security } = this.options;
    if (request.method === 'REGISTER') {
      await registrar.register(request, aor);
      return;
    }
    const from = parseSipUri(parseNameAddress(request.headers.first('from') ?? '')?.uri ?? '');
    if (from?.user !== aor) request.answer(403);
    else if (request.method === 'SUBSCRIBE') await subscriptions.admit(request, aor);
    else if (request.method === 'MESSAGE') await texts.admit(request, aor);
    else {
      const mode = this.#isEmergency(request) ? 'off' : security.phones;
      if (isAcceptable(request.body, request.source.transport, mode)) {
        await calls.toEngine(request, { type: 'softphone', id: aor });
      } else request.answer(488);
    }
  }

  #isEmergency({ method, uri }: SipRequest): boolean {
    return method === 'INVITE' && this.options.emergency.has(parseSipUri(uri)?.user ?? '');
  }

  /** Whether one of the user's phones is registered from the request's address. */
  async #isUsual({ source }: SipRequest, aor: string): Promise<boolean> {
    return (await this.options.location.of(aor)).some(({ source_host: host }) => host === source.host);
  }
}

/** Whether the API has passed it on from a browser: phones use WebSockets over TLS only. */
function isOfBrowser({ transport }: SipSource): boolean {
  return transport === 'ws';
}

/** Answers a known sender: OPTIONS is a question whether the edge is there; nothing else is served here. */
function answerOther(request: SipRequest): void {
  if (request.method === 'OPTIONS') request.answer(200);
  else request.answer(405, { headers: { Allow: 'INVITE, ACK, BYE, CANCEL, MESSAGE, OPTIONS, REGISTER, SUBSCRIBE' } });
}
