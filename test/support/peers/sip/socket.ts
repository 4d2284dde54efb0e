import { randomBytes } from 'node:crypto';
import { digestResponse } from '../../../../sip/message/digest.js';
import { Headers } from '../../../../sip/message/headers.js';
import { parseNameAddress } from '../../../../sip/message/name-address.js';
import { eventually } from '../../eventually.js';
import { tcpLink, tlsLink, udpLink, wssLink, type SipLink } from './links.js';

/** Timer T1 of RFC 3261. */
const AGAIN_MS = 500;
/** Of a phone that sends no audio. */
export const SILENT_SDP = [
  ...['v=0', 'o=- 1 1 IN IP4 127.0.0.1', 's=-', 'c=IN IP4 127.0.0.1', 't=0 0', 'm=audio 9000 RTP/AVP 8'],
  ...['a=rtpmap:8 PCMA/8000', ''],
].join('\r\n');

type Fields = Readonly<Record<string, string>>;

/** Sends single SIP messages, and collects what arrives. */
export class SipSocket {
  /** What arrived and was not taken with {@link next}. */
  readonly messages: string[] = [];
  #last = '';
  #link!: SipLink;

  /**
   * Over UDP.
   * @param address of the loopback, from which it sends
   * @param port from which it sends; any by default
   */
  static open(remotePort: number, address = '127.0.0.1', port = 0): Promise<SipSocket> {
    return SipSocket.#over((onMessage) => udpLink(remotePort, onMessage, address, port));
  }

  static openTcp(remotePort: number): Promise<SipSocket> {
    return SipSocket.#over((onMessage) => tcpLink(remotePort, onMessage));
  }

  static openTls(remotePort: number, ca: string): Promise<SipSocket> {
    return SipSocket.#over((onMessage) => tlsLink(remotePort, onMessage, ca));
  }

  /** Over a WebSocket with TLS, as browsers do. */
  static openWss(remotePort: number, ca: string): Promise<SipSocket> {
    return SipSocket.#over((onMessage) => wssLink(remotePort, onMessage, ca));
  }

  static async #over(open: (onMessage: (message: string) => void) => Promise<SipLink>): Promise<SipSocket> {
    const socket = new SipSocket();
    socket.#link = await open((message) => socket.messages.push(message));
    return socket;
  }

  get port(): number {
    return this.#link.port;
  }

  /** Its contact, as a phone of this transport writes it. */
  contact(user = '1001'): string {
    const { protocol, host, port } = this.#link;
    if (protocol === 'WSS') return `sip:${user}@${host};transport=ws`;
    return `sip:${user}@${host}:${port}${protocol === 'UDP' ? '' : `;transport=${protocol.toLowerCase()}`}`;
  }

  /** @param fields replace or follow the usual ones. @returns the Call-ID of the request */
  send(method: string, uri: string, fields: Fields = {}, body = ''): string {
    const id = randomBytes(8).toString('hex');
    const all = {
      'Max-Forwards': '70',
      From: `<sip:1001@127.0.0.1>;tag=${id}`,
      To: '<sip:1001@127.0.0.1>',
      'Call-ID': id,
      CSeq: `1 ${method}`,
      Contact: `<${this.contact()}>`,
      ...(body !== '' && { 'Content-Type': 'application/sdp' }),
      ...fields,
      'Content-Length': String(Buffer.byteLength(body, 'latin1')),
    };
    const { protocol, host, port } = this.#link;
    const via = `SIP/2.0/${protocol} ${host}:${port};branch=z9hG4bK${id};rport`;
    const lines = Object.entries({ Via: via, ...all }).map(([name, value]) => `${name}: ${value}`);
    this.#write([`${method} ${uri} SIP/2.0`, ...lines], body);
    return all['Call-ID'];
  }

  /** Sends what need not be a message. */
  raw(text: string): void {
    this.#link.send(text);
  }

  /** Sends a request, and once more with the answer to its challenge. @returns the response to that */
  async authenticated(
    method: string,
    uri: string,
    { user, password }: { readonly user: string; readonly password: string },
    fields: Fields = {},
    body = '',
  ): Promise<string> {
    const own = { From: `<sip:${user}@127.0.0.1>;tag=1`, To: `<${uri}>`, ...fields };
    const callId = this.send(method, uri, own, body);
    const isOurs = (message: string): boolean => message.includes(callId) && !message.startsWith('SIP/2.0 1');
    const challenge = new Headers(await this.#insisting((one) => isOurs(one) && /^SIP\/2\.0 40[17]/.test(one)));
    const isProxy = challenge.first('proxy-authenticate') !== null;
    const given = challenge.first(isProxy ? 'proxy-authenticate' : 'www-authenticate') ?? '';
    const nonce = /nonce="([^"]+)"/.exec(given)?.[1] ?? '';
    if (method === 'INVITE') this.send('ACK', uri, { ...own, 'Call-ID': callId, CSeq: '1 ACK' });
    const what = { username: user, realm: 'hatif', nonce, uri, algorithm: 'MD5', count: null } as const;
    const response = digestResponse(what, method, password);
    const credentials = `Digest username="${user}", realm="hatif", nonce="${nonce}", uri="${uri}", response="${response}"`;
    const answer = { [isProxy ? 'Proxy-Authorization' : 'Authorization']: credentials };
    this.send(method, uri, { ...own, 'Call-ID': callId, CSeq: `2 ${method}`, ...answer }, body);
    return this.#insisting((one) => isOurs(one) && one.includes(`CSeq: 2 ${method}`));
  }

  /** Registers, by default with the contact where it is; with another one like a phone behind a NAT. */
  async register(user: string, password: string, contact = this.contact(user)): Promise<void> {
    const to = `<sip:${user}@127.0.0.1>`;
    const answer = await this.authenticated(
      'REGISTER',
      'sip:127.0.0.1',
      { user, password },
      { To: to, Contact: `<${contact}>` },
    );
    if (!answer.startsWith('SIP/2.0 200')) throw new Error(`not registered: ${answer}`);
  }

  /** Answers a request, with SDP if there is any. */
  reply(request: string, status: string, sdp = ''): void {
    const headers = new Headers(request);
    const kept = (name: string): string[] => headers.all(name.toLowerCase()).map((value) => `${name}: ${value}`);
    const to = headers.first('to') ?? '';
    this.#write(
      [
        `SIP/2.0 ${status}`,
        ...['Via', 'Record-Route', 'From', 'Call-ID', 'CSeq'].flatMap(kept),
        `To: ${to}${to.includes('tag=') ? '' : ';tag=there'}`,
        `Contact: <${this.contact('there')}>`,
        ...(sdp === '' ? [] : ['Content-Type: application/sdp']),
        `Content-Length: ${sdp.length}`,
      ],
      sdp,
    );
  }

  /** Hangs up a call that was answered here. */
  bye(invite: string, number = 1): void {
    const headers = new Headers(invite);
    const target = parseNameAddress(headers.first('contact') ?? '')?.uri ?? '';
    const routes = headers.all('record-route');
    this.send('BYE', target, {
      ...(routes.length > 0 && { Route: routes.join(', ') }),
      From: `${headers.first('to')};tag=there`,
      To: headers.first('from') ?? '',
      'Call-ID': headers.first('call-id') ?? '',
      CSeq: `${number} BYE`,
    });
  }

  /** Takes the first message that fits, past or future. */
  async next(fits: (message: string) => boolean): Promise<string> {
    const found = await eventually(
      () => this.messages.find(fits),
      () => `a SIP message\n${this.messages.join('\n')}`,
    );
    this.messages.splice(this.messages.indexOf(found), 1);
    return found;
  }

  /** Repeats the last message until a fitting one arrives: UDP may lose either (RFC 3261 timer E). */
  async #insisting(fits: (message: string) => boolean): Promise<string> {
    if (this.#link.protocol !== 'UDP') return this.next(fits);
    const again = setInterval(() => this.#link.send(this.#last), AGAIN_MS);
    try {
      return await this.next(fits);
    } finally {
      clearInterval(again);
    }
  }

  close(): void {
    this.#link.close();
  }

  /** Resolves when the other side knows that it is closed. */
  get closed(): Promise<unknown> {
    return this.#link.closed;
  }

  #write(lines: readonly string[], body = ''): void {
    this.#last = `${lines.join('\r\n')}\r\n\r\n${body}`;
    this.#link.send(this.#last);
  }
}
