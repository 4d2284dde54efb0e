import { TRUNK_HEADER } from '../../core/model/edge-mark.js';
import { hostPort, type HostPort } from '../../core/model/host-port.js';
import { parseSipUri, type SipTransport } from '../../core/model/sip-uri.js';
import { parseNameAddress } from '../message/name-address.js';
import type { SipText } from '../message/text.js';
import { carrierFlow, withHiddenCredentials, withTransport } from './carriers.js';
import { hide, type Hidden } from './hiding.js';
import {
  branchFor,
  hiddenContact,
  oneHopLess,
  replyTo,
  routeOf,
  tokenIn,
  viaOf,
  type Outgoing,
  type RelayContext,
} from './step.js';
import { hopOf, nearIf, type Token } from './tokens.js';

export interface OutwardsOptions extends RelayContext {
  /** Where drachtio-server takes SIP over UDP from the relay. */
  readonly drachtio: () => HostPort;
  /** How the trunk that a mark names is called at this address; null for a mark that is not genuine, or for another one. */
  readonly transportOf: (mark: string, to: HostPort) => SipTransport | null;
  /** Where requests for the contact of a softphone's phone go now; null if no such phone is registered. */
  readonly flowOf: (aor: string, contact: string) => Promise<string | null>;
  /** Whether the phones of a softphone, or a trunk, reach private addresses of engines. */
  readonly isNear: (callee: Callee) => Promise<boolean>;
}

/** Who is called: a softphone, or a trunk at this host. The other member is empty. */
export interface Callee {
  readonly aor: string;
  readonly host: string;
}

interface Addressed extends Callee {
  /** The address of the request, as the edge recognizes it. */
  readonly uri: string;
  /** That of a trunk; empty for a softphone. */
  readonly carrier: string;
}

/** From engines, through drachtio-server, to phones and carriers; and the responses of those. */
export class Outwards {
  constructor(private readonly options: OutwardsOptions) {}

  /** @returns null for a request that cannot be passed on */
  async request(message: SipText, source: HostPort, hidden: Hidden): Promise<Outgoing | null> {
    const shorter = oneHopLess(message);
    if (!shorter) return { message: replyTo(message, 483, 'Too Many Hops'), to: source };
    const [first, ...routes] = message.all('route');
    const way = this.options.tokens.read('route', tokenIn(first));
    if (way) {
      const uri = await this.#reachable(message.uri, way);
      const routed = shorter.withUri(uri).with('Route', routes);
      const back = { opens: '', aor: '', carrier: '', near: way.near };
      const other = parseSipUri(message.uri)?.host;
      const via = this.#via(message, source, back);
      return { message: this.#shown(routed, via, { ...hidden, ...(other && { other }) }, way.near), to: hopOf(way) };
    }
    // The ACK of a refused call has the tag of the refusal.
    if (message.isInDialog && message.method !== 'ACK') {
      return { message: replyTo(message, 481, 'Call/Transaction Does Not Exist'), to: source };
    }
    const target = this.#addressed(message);
    if (target === null) return { message: replyTo(message, 404, 'Not Found'), to: source };
    // An engine that takes the relay for its outbound proxy writes it into a route.
    const addressed = shorter.withUri(target.uri).with('Route', []);
    const isCall = message.method === 'INVITE';
    const near = nearIf(isCall && (await this.options.isNear(target).catch(() => false)));
    const { aor, carrier, host } = target;
    const back = isCall ? { opens: 'call', aor, carrier, near } : { opens: '', aor: '', carrier: '', near };
    const via = this.#via(message, source, back);
    const shown = this.#shown(addressed, via, { ...hidden, ...(host !== '' && { other: host }) }, near);
    const passed = carrier === '' ? shown : withHiddenCredentials(shown, this.options.tokens);
    return { message: passed, to: this.options.drachtio() };
  }

  /**
   * Whom a new request names. A CANCEL or the ACK of a refusal has no mark: drachtio-server knows their call without the
   * address.
   */
  #addressed(message: SipText): Addressed | null {
    const { user = null, host = '', port = null, parameters = {} } = parseSipUri(message.uri) ?? {};
    if (user === null) return null;
    const { drachtio, transportOf, tokens } = this.options;
    const edge = hostPort(drachtio());
    const mark = message.first(TRUNK_HEADER.toLowerCase());
    if (mark === null) {
      const { gr } = parameters;
      const uri = `sip:${user}@${edge}${gr === undefined || gr === null ? '' : `;gr=${gr}`}`;
      return { uri, aor: user, host: '', carrier: '' };
    }
    const transport = port === null ? null : transportOf(mark, { host, port });
    if (transport === null) return null;
    const carrier = withTransport(message.uri, transport);
    return { uri: `sip:${tokens.write('carrier', { uri: carrier })}@${edge}`, aor: '', host, carrier };
  }

  #via(
    message: SipText,
    { host, port }: HostPort,
    back: Pick<Token<'outwards'>, 'opens' | 'aor' | 'carrier' | 'near'>,
  ): string {
    const via = message.all('via').join('\t');
    const { tokens, outside } = this.options;
    const token = tokens.write('outwards', { host, port: String(port), ...back, via });
    return viaOf(outside, branchFor(message, this.options), token);
  }

  #shown(message: SipText, via: string, hidden: Hidden, near: Token<'contact'>['near']): SipText {
    const shown = hide(message, hidden, near !== '').with('Via', [via]);
    if (message.first('contact') === null) return shown;
    return shown.with('Contact', hiddenContact(message, near, this.options));
  }

  /** The response of a phone or carrier, as it goes to the engine; null for one that answers nothing of an engine. */
  response(message: SipText, source: HostPort): Outgoing | null {
    const [own] = message.all('via');
    const back = this.options.tokens.read('outwards', tokenIn(own));
    if (back === null) return null;
    const passed = message.with('Via', back.via.split('\t'));
    return { message: this.#routed(passed, source, back), to: hopOf(back) };
  }

  /** With the way of the engine's later requests, which begins at the relay. */
  #routed(message: SipText, source: HostPort, { opens, aor, carrier, near }: Token<'outwards'>): SipText {
    const { status } = message;
    const contact = message.first('contact');
    const isAccepted = status !== null && status > 100 && status < 300 && contact !== null;
    if (!isAccepted || opens === '' || message.answered !== 'INVITE') return message;
    const routes = message.all('record-route');
    const { tokens, inside } = this.options;
    const way = {
      ...{ host: source.host, port: String(source.port) },
      // Without a route, drachtio-server itself is the other side, and knows where its phone is.
      ...{ aor: routes.length === 0 ? '' : aor, near },
      flow: carrier === '' ? '' : carrierFlow(parseNameAddress(contact)?.uri ?? '', carrier),
    };
    return message.with('Record-Route', [...routes, routeOf(inside, tokens.write('route', way))]);
  }

  /** Where the other side can be reached: phones are behind NAT, and connect anew. */
  async #reachable(uri: string, { aor, flow }: Token<'route'>): Promise<string> {
    const current = aor === '' ? null : await this.options.flowOf(aor, uri).catch(() => null);
    return current ?? (flow === '' ? uri : flow);
  }
}
