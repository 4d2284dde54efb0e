import type { SipContactRow } from '../../core/data/rows.js';
import { EDGE_HEADER, edgeMark, type EdgeCaller } from '../../core/model/edge-mark.js';
import { hostPort } from '../../core/model/host-port.js';
import type { SipSecurity } from '../../core/model/sip-security.js';
import { parseSipUri } from '../../core/model/sip-uri.js';
import { isWebAor } from '../../core/model/web-calling.js';
import type { Logger } from '../../core/ports/logger.js';
import type { SipProbe } from '../../core/ports/sip-probe.js';
import { parseNameAddress } from '../message/name-address.js';
import { RELAY_HEADER } from '../message/own-fields.js';
import type { SipRequest, SipTarget } from '../message/request.js';
import type { Location } from '../registrar/location.js';
import { gruuOf } from '../registrar/contact-fields.js';
import { hiddenCredentials } from '../relay/carriers.js';
import { nearIf, type Token, type Tokens } from '../relay/tokens.js';
import type { Admission } from './admission.js';
import type { EdgeDirectory } from './directory.js';
import { EngineChecks } from './engine-checks.js';
import { isAcceptable, isPrivate } from './encryption.js';
import { Lateness } from './lateness.js';
import { flowTo, onePerPhone, targetOf } from './targets.js';

/** How often refusals because of overload are logged. */
const LOGGED_EVERY_MS = 10_000;
/**
 * An engine that sends nothing for this long, although it was alive, loses the call. A busy one needs more than a second
 * when many calls begin at the same time, and no other engine may ring the same phone.
 */
const SILENT_ENGINE_MS = 4_000;
/** A phone that sends nothing for this long is gone. */
const SILENT_PHONE_MS = 5_000;
/** A carrier that sends nothing for this long gets no call. */
const SILENT_TRUNK_MS = 5_000;

export interface EdgeCallsOptions {
  readonly directory: Pick<EdgeDirectory, 'forNewCall' | 'passedTo'>;
  readonly location: Pick<Location, 'of' | 'drop'>;
  readonly admission: Pick<Admission, 'admits'>;
  readonly tokens: Tokens;
  /** Where drachtio-server reaches the relay. */
  readonly relay: { readonly host: string; readonly port: number };
  readonly probe: SipProbe;
  /** Whether a phone can be sent something; false at once for one whose connection is closed. */
  readonly reaches: (target: SipTarget) => Promise<boolean>;
  readonly security: SipSecurity;
  /** Whether this address reaches private addresses of engines. */
  readonly isNear: (host: string) => boolean;
  /** Numbers whose calls pass every limit, as they are dialled. */
  readonly emergency: ReadonlySet<string>;
  /** Keyed hash of the installation's secret, for the purpose `edge`. */
  readonly mac: (text: string) => string;
  /** How long a message takes through the edge at present, in milliseconds. */
  readonly delayMs: () => number;
  readonly monotonicMs: () => number;
  readonly log: Logger;
}

/** Passes calls on: of phones and trunks to an engine, and of engines to phones and trunks. */
export class EdgeCalls {
  readonly #checks: EngineChecks;
  readonly #lateness: Lateness;
  #loggedMs = -Infinity;

  constructor(private readonly options: EdgeCallsOptions) {
    this.#checks = new EngineChecks(options);
    this.#lateness = new Lateness(options.monotonicMs);
  }

  /**
   * Passes a new call on to an engine that is alive. It is given to one engine only, so that nobody is rung twice.
   * @param caller who was authenticated, or whose address is known
   */
  async toEngine(request: SipRequest, caller: EdgeCaller): Promise<void> {
    const { directory, admission, emergency, mac, log } = this.options;
    const user = parseSipUri(request.uri)?.user ?? null;
    if (user === null) {
      request.answer(404);
      return;
    }
    const isEmergency = emergency.has(user);
    const waitedMs = Math.max(request.waitedMs, this.options.delayMs());
    // A refusal costs a tenth of a call. Without it all calls get later, until none is in time.
    if (this.#lateness.note(waitedMs) && !isEmergency) {
      this.#refuseLate(request, waitedMs);
      return;
    }
    for (const engine of directory.forNewCall()) {
      if (!isEmergency && !(await admission.admits(engine))) continue;
      const state = await this.#checks.stateOf(engine);
      if (state === 'silent') {
        log.warn({ engine: engine.name }, 'an engine does not answer SIP; its call goes to another one');
        continue;
      }
      if (state === 'late' && !isEmergency) continue;
      directory.passedTo(engine.id);
      const mark = { [EDGE_HEADER]: edgeMark(caller, mac) };
      await this.#relayed(
        request,
        'call',
        { uri: `sip:${user}@${hostPort(engine)}`, ...this.#way(request, caller) },
        mark,
      );
      return;
    }
    request.answer(503, { headers: { 'Retry-After': '5' } });
  }

  #refuseLate(request: SipRequest, waitedMs: number): void {
    const { monotonicMs, log } = this.options;
    request.answer(503, { headers: { 'Retry-After': '5' } });
    if (monotonicMs() - this.#loggedMs < LOGGED_EVERY_MS) return;
    this.#loggedMs = monotonicMs();
    log.warn({ waitedMs: Math.round(waitedMs) }, 'the SIP edge is overloaded; it refuses new calls');
  }

  /** Passes a subscription on to the process that serves it. */
  subscribe(request: SipRequest, { aor, target }: { readonly aor: string; readonly target: string }): Promise<void> {
    const { route, flow } = this.#way(request, { type: 'softphone', id: aor });
    return this.#relayed(request, 'subscription', { aor, target, route, flow }, {});
  }

  /** What later requests in the dialog need: how the caller reaches the edge, and where the caller is. */
  #way(request: SipRequest, caller: EdgeCaller): Pick<Token<'call'>, 'route' | 'aor' | 'flow' | 'near'> {
    const { headers, source, route } = request;
    const near = nearIf(this.options.isNear(source.host));
    // Behind a proxy that stays in the way, the caller is where that proxy sends requests.
    if (headers.first('record-route') !== null) return { route, aor: '', flow: '', near };
    // drachtio-server cuts the address of a next hop off after 255 characters, and a browser has a long name. It needs no
    // other route than its WebSocket, and is found by where it is registered.
    if (isWebAor(caller.id)) return { route: '', aor: caller.id, flow: '', near };
    const contact = parseNameAddress(headers.first('contact') ?? '')?.uri ?? '';
    return { route, aor: caller.type === 'softphone' ? caller.id : '', flow: flowTo(contact, source) ?? '', near };
  }

  async #relayed<K extends 'call' | 'subscription'>(
    request: SipRequest,
    kind: K,
    token: Token<K>,
    headers: Readonly<Record<string, string>>,
  ): Promise<void> {
    const { tokens, relay } = this.options;
    const sealed = tokens.write(kind, token);
    // In the header, because drachtio-server leaves the address of a request as it is unless it is its own; in the
    // address as well, because a CANCEL has no such header.
    const uri = `sip:${sealed}@${hostPort(relay)};transport=udp`;
    await request.proxy([{ uri, path: [] }], { ...headers, [RELAY_HEADER]: sealed }, SILENT_ENGINE_MS);
  }

  /** Passes the call of an engine on: to the trunk that it names, otherwise to the phones of a softphone. */
  async fromEngine(request: SipRequest): Promise<void> {
    const { user = null, parameters = {} } = parseSipUri(request.uri) ?? {};
    const carrier = this.options.tokens.read('carrier', user);
    if (user === null) request.answer(404);
    else if (carrier === null) await this.#toPhones(request, user, parameters.gr ?? null);
    else await this.#toTrunk(request, carrier.uri);
  }

  /**
   * Sends the call to a carrier. Its answer, whatever it is, goes back to the engine, which decides what follows: another
   * trunk after a failure of this one, or credentials after a challenge.
   */
  async #toTrunk(request: SipRequest, uri: string): Promise<void> {
    if (!isAcceptable(request.body, parseSipUri(uri)?.transport ?? 'udp', 'off')) {
      request.answer(488);
      return;
    }
    const credentials = hiddenCredentials(request.headers.first('content-type'), this.options.tokens);
    await request.proxy([{ uri, path: [] }], credentials, SILENT_TRUNK_MS);
  }

  /** Rings the phones of a softphone, wherever they are registered: all of them, or the one that the address names. */
  async #toPhones(request: SipRequest, aor: string, gr: string | null): Promise<void> {
    const all = await this.options.location.of(aor);
    const { phonesNeedTls } = this.options.security;
    const rows = all.filter(
      ({ instance, transport }) =>
        (gr === null || (instance !== null && gruuOf(instance) === gr)) &&
        // It registered before the operator required TLS. A browser has it up to the API.
        (!phonesNeedTls || isPrivate(transport) || isWebAor(aor)),
    );
    const targets = (await this.#connected(onePerPhone(rows))).map(targetOf);
    if (targets.length === 0) request.answer(480, { reason: 'Not Registered' });
    else if (targets.every(({ path }) => path.length === 0)) await request.proxy(targets, {}, SILENT_PHONE_MS);
    // drachtio-server's proxy cannot send a request to another host than the one in its address.
    else await request.bridge(targets, {});
  }

  /** Those that are still connected: drachtio-server never answers a call for a WebSocket that is closed. */
  async #connected(rows: readonly SipContactRow[]): Promise<readonly SipContactRow[]> {
    const { reaches, location, log } = this.options;
    const checked = rows.map(async (row) => {
      const isWeb = row.transport === 'ws' || row.transport === 'wss';
      if (!isWeb || row.path.length > 0 || (await reaches(targetOf(row)))) return [row];
      log.info({ aor: row.aor }, 'the WebSocket of a phone is closed; its registration ends');
      await location.drop(row).catch((error: unknown) => log.warn({ err: error }, 'a registration could not be ended'));
      return [];
    });
    return (await Promise.all(checked)).flat();
  }
}
