import { EDGE_HEADER } from '../../core/model/edge-mark.js';
import type { HostPort } from '../../core/model/host-port.js';
import { isOwnField, RELAY_HEADER } from '../message/own-fields.js';
import { SipText } from '../message/text.js';
import { hide, type Hidden } from './hiding.js';
import {
  addressOf,
  branchFor,
  hiddenContact,
  oneHopLess,
  replyTo,
  routeOf,
  tokenIn,
  userOf,
  viaOf,
  type Outgoing,
  type RelayContext,
} from './step.js';
import { hopOf, type Token } from './tokens.js';

/** A request for the edge itself, which serves subscriptions. */
export interface OwnRequest {
  readonly request: SipText;
  readonly source: HostPort;
  /** A new subscription, or the id of one that exists. */
  readonly subscription: Token<'subscription'> | { readonly id: string };
}

/** From phones and carriers, through drachtio-server, to engines; and the responses of engines. */
export class Inwards {
  constructor(private readonly context: RelayContext) {}

  /** @returns null for a request that no token of the relay routes; an answer for one that asks whether the relay serves */
  request(message: SipText, source: HostPort): Outgoing | OwnRequest | null {
    const { tokens } = this.context;
    const user = userOf(message.uri);
    // The edge measures its delay.
    if (message.method === 'OPTIONS' && user === null) return { message: replyTo(message, 200, 'OK'), to: source };
    const subscribed = message.isInDialog ? tokens.read('subscribed', user) : null;
    if (subscribed) return { request: message, source, subscription: subscribed };
    const given = message.first(RELAY_HEADER.toLowerCase()) ?? user;
    const subscription = tokens.read('subscription', given);
    if (subscription) return { request: message, source, subscription };
    const isCancel = message.method === 'CANCEL';
    const call = message.isInDialog && !isCancel ? null : tokens.read('call', given);
    // Addresses of engines are given away in dialogs, and only open dialogs.
    const contact = message.isInDialog ? tokens.read('contact', user) : null;
    const uri = call?.uri ?? contact?.uri;
    const to = uri === undefined ? null : addressOf(uri);
    if (uri === undefined || to === null) return null;
    const shorter = oneHopLess(message);
    if (!shorter) return { message: replyTo(message, 483, 'Too Many Hops'), to: source };
    const near = call?.near ?? contact?.near ?? '';
    const request = call !== null && isCancel ? withoutTag(shorter) : shorter;
    return { message: this.#passed(request.withUri(uri), source, call, { uri, near }), to };
  }

  #passed(message: SipText, source: HostPort, call: Token<'call'> | null, { uri, near }: Token<'contact'>): SipText {
    const { tokens, inside } = this.context;
    const back = { host: source.host, port: String(source.port), near };
    const via = tokens.write('inwards', { ...back, route: call?.route ?? '', uri });
    // The edge refused what callers may not send before it made the token of a new call.
    const isNew = call !== null;
    const clean = message.map((name, value) => {
      const isMark = name === EDGE_HEADER.toLowerCase() && isNew;
      return isOwnField(name, isNew) && !isMark ? null : value;
    });
    const sent = clean.with('Via', [viaOf(inside, branchFor(message, this.context), via), ...message.all('via')]);
    if (call === null || message.method === 'CANCEL') return sent;
    const route = tokens.write('route', { ...back, aor: call.aor, flow: call.flow });
    return sent.with('Record-Route', [routeOf(inside, route), ...message.all('record-route')]);
  }

  /**
   * The response of an engine, as it goes outside.
   * @returns with the ACK of a refused call, which drachtio-server sends to the relay only
   */
  response(message: SipText, source: HostPort, hidden: Hidden): readonly Outgoing[] {
    const [own, ...via] = message.all('via');
    const back = this.context.tokens.read('inwards', tokenIn(own));
    const { status } = message;
    if (back === null || status === null) return [];
    const bare = hide(message, hidden, back.near !== '').with('Via', via);
    const shown = this.#shown(bare, status, back);
    const passed = { message: shown, to: hopOf(back) };
    const isRefusal = status >= 300 && message.answered === 'INVITE';
    return isRefusal ? [passed, { message: acknowledged(message, back.uri), to: source }] : [passed];
  }

  #shown(message: SipText, status: number, { route, near }: Token<'inwards'>): SipText {
    const { tokens } = this.context;
    const [first, ...others] = message.all('record-route').filter((one) => tokens.read('route', tokenIn(one)) === null);
    const routes = first === undefined ? [] : [route === '' ? first : route, ...others];
    const routed = message.with('Record-Route', routes);
    if (message.first('contact') === null) return routed;
    return routed.with('Contact', status >= 300 ? [] : hiddenContact(message, near, this.context));
  }
}

/** The ACK of a final response that is no success (RFC 3261 §17.1.1.3). */
function acknowledged(response: SipText, uri: string): SipText {
  const [via = ''] = response.all('via');
  const cseq = /^\d+/.exec(response.first('cseq') ?? '')?.[0] ?? '1';
  return SipText.of(`ACK ${uri} SIP/2.0`, [
    ['Via', via],
    ['Max-Forwards', '70'],
    ['From', response.first('from') ?? ''],
    ['To', response.first('to') ?? ''],
    ['Call-ID', response.first('call-id') ?? ''],
    ['CSeq', `${cseq} ACK`],
  ]);
}

/**
 * The CANCEL of a new call as RFC 3261 §9.1 wants it: drachtio-server adds the `To` tag of a provisional response, which
 * the INVITE did not have.
 */
function withoutTag(cancel: SipText): SipText {
  return cancel.map((name, value) => (name === 'to' ? value.replace(/;\s*tag=[^;]*/i, '') : value));
}
