import { EDGE_HEADER, edgeMark, type EdgeCaller } from '../../core/model/edge-mark.js';
import { parseSipUri } from '../../core/model/sip-uri.js';
import type { Logger } from '../../core/ports/logger.js';
import type { SipProbe } from '../../core/ports/sip-probe.js';
import type { EdgeDirectory } from './directory.js';
import { parseNameAddress } from '../message/name-address.js';
import type { SipRequest } from '../message/request.js';
import { gruuOf } from '../registrar/contact-fields.js';
import type { Location } from '../registrar/location.js';
import { hostPort, isReachable, targetOf } from './targets.js';

/** An engine that does not answer OPTIONS within this time is passed over. */
const ALIVE_WITHIN_MS = 400;
/** How long an answer counts: at a high rate of calls, not each of them asks. */
const ALIVE_FOR_MS = 100;
/** An engine that sends nothing for this long, although it was alive, loses the call. */
const SILENT_ENGINE_MS = 900;
/** A phone that sends nothing for this long is gone. */
const SILENT_PHONE_MS = 5_000;

export interface EdgeCallsOptions {
  readonly directory: Pick<EdgeDirectory, 'forNewCall' | 'passedTo'>;
  readonly location: Pick<Location, 'of'>;
  readonly probe: SipProbe;
  /** Keyed hash of the installation's secret, for the purpose `edge`. */
  readonly mac: (text: string) => string;
  readonly monotonicMs: () => number;
  readonly log: Logger;
}

/** Passes calls on: of phones and trunks to an engine, and of engines to phones. */
export class EdgeCalls {
  /** When an engine last answered, by its address. */
  readonly #alive = new Map<string, number>();

  constructor(private readonly options: EdgeCallsOptions) {}

  /**
   * Passes a new call on to an engine that is alive. It is given to one engine only, so that nobody is rung twice.
   * @param caller who was authenticated, or whose address is known
   */
  async toEngine(request: SipRequest, caller: EdgeCaller): Promise<void> {
    const { directory, mac, log } = this.options;
    for (const engine of directory.forNewCall()) {
      if (!(await this.#isAlive(engine.host, engine.port))) {
        log.warn({ engine: engine.name }, 'an engine does not answer SIP; its call goes to another one');
        continue;
      }
      directory.passedTo(engine.id);
      const user = parseSipUri(request.uri)?.user ?? '';
      const target = { uri: `sip:${user}@${hostPort(engine)};transport=udp`, path: [] };
      const headers = { [EDGE_HEADER]: edgeMark(caller, mac) };
      const contact = parseNameAddress(request.headers.first('contact') ?? '')?.uri ?? '';
      if (isReachable(contact, request.source)) await request.proxy([target], headers, SILENT_ENGINE_MS);
      else await request.bridge([target], headers);
      return;
    }
    request.answer(503, { headers: { 'Retry-After': '5' } });
  }

  /** Rings the phones of a softphone, wherever they are registered: all of them, or the one that the address names. */
  async toPhones(request: SipRequest): Promise<void> {
    const { user = null, parameters = {} } = parseSipUri(request.uri) ?? {};
    if (user === null) {
      request.answer(404);
      return;
    }
    const all = await this.options.location.of(user);
    const { gr } = parameters;
    const rows = gr === undefined ? all : all.filter(({ instance }) => instance !== null && gruuOf(instance) === gr);
    const targets = rows.map(targetOf);
    if (targets.length === 0) request.answer(480, { reason: 'Not Registered' });
    else if (targets.every((target) => target.isReachable)) await request.proxy(targets, {}, SILENT_PHONE_MS);
    else await request.bridge(targets, {});
  }

  async #isAlive(host: string, port: number): Promise<boolean> {
    const { probe, monotonicMs } = this.options;
    const key = hostPort({ host, port });
    if (monotonicMs() - (this.#alive.get(key) ?? -Infinity) < ALIVE_FOR_MS) return true;
    const isAlive = await probe.probe(host, port, ALIVE_WITHIN_MS);
    if (isAlive) this.#alive.set(key, monotonicMs());
    return isAlive;
  }
}
