import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { randomBytes } from 'node:crypto';
import { digestResponse } from '../../../sip/message/digest.js';
import { Headers } from '../../../sip/message/headers.js';
import { parseNameAddress } from '../../../sip/message/name-address.js';
import { eventually } from '../eventually.js';

/** Timer T1 of RFC 3261. */
const AGAIN_MS = 500;

/** Sends single SIP messages over UDP, and collects what arrives. */
export class SipSocket {
  /** What arrived and was not taken with {@link next}. */
  readonly messages: string[] = [];
  #last = '';

  private constructor(
    private readonly socket: Socket,
    readonly port: number,
    private readonly remotePort: number,
    private readonly address: string,
  ) {
    socket.on('message', (message) => this.messages.push(message.toString('latin1')));
  }

  /** @param address of the loopback, from which it sends */
  static async open(remotePort: number, address = '127.0.0.1'): Promise<SipSocket> {
    const socket = createSocket('udp4');
    socket.bind(0, address);
    await once(socket, 'listening');
    return new SipSocket(socket, socket.address().port, remotePort, address);
  }

  /** @param fields replace or follow the usual ones. @returns the Call-ID of the request */
  send(method: string, uri: string, fields: Readonly<Record<string, string>> = {}): string {
    const id = randomBytes(8).toString('hex');
    const all = {
      'Max-Forwards': '70',
      From: `<sip:1001@127.0.0.1>;tag=${id}`,
      To: '<sip:1001@127.0.0.1>',
      'Call-ID': id,
      CSeq: `1 ${method}`,
      Contact: `<sip:1001@${this.address}:${this.port}>`,
      ...fields,
      'Content-Length': '0',
    };
    const via = `Via: SIP/2.0/UDP ${this.address}:${this.port};branch=z9hG4bK${id};rport`;
    this.#write([`${method} ${uri} SIP/2.0`, via, ...Object.entries(all).map(([name, value]) => `${name}: ${value}`)]);
    return all['Call-ID'];
  }

  /** Registers with a contact that is not where this socket is, as a phone behind a NAT does. */
  async register(user: string, password: string, contact: string): Promise<void> {
    const uri = 'sip:127.0.0.1';
    const own = { From: `<sip:${user}@127.0.0.1>;tag=1`, To: `<sip:${user}@127.0.0.1>`, Contact: `<${contact}>` };
    const callId = this.send('REGISTER', uri, own);
    const challenge = new Headers(await this.#insisting((message) => message.startsWith('SIP/2.0 401')));
    const nonce = /nonce="([^"]+)"/.exec(challenge.first('www-authenticate') ?? '')?.[1] ?? '';
    const given = { username: user, realm: 'hatif', nonce, uri, algorithm: 'MD5', count: null } as const;
    const response = digestResponse(given, 'REGISTER', password);
    const credentials = `Digest username="${user}", realm="hatif", nonce="${nonce}", uri="${uri}", response="${response}"`;
    this.send('REGISTER', uri, { ...own, 'Call-ID': callId, CSeq: '2 REGISTER', Authorization: credentials });
    await this.#insisting((message) => message.startsWith('SIP/2.0 200'));
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
        `Contact: <sip:there@127.0.0.1:${this.port}>`,
        ...(sdp === '' ? [] : ['Content-Type: application/sdp']),
        `Content-Length: ${sdp.length}`,
      ],
      sdp,
    );
  }

  /** Hangs up a call that was answered here. */
  bye(invite: string): void {
    const headers = new Headers(invite);
    const target = parseNameAddress(headers.first('contact') ?? '')?.uri ?? '';
    this.send('BYE', target, {
      From: `${headers.first('to')};tag=there`,
      To: headers.first('from') ?? '',
      'Call-ID': headers.first('call-id') ?? '',
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
    const again = setInterval(() => this.socket.send(this.#last, this.remotePort, '127.0.0.1'), AGAIN_MS);
    try {
      return await this.next(fits);
    } finally {
      clearInterval(again);
    }
  }

  close(): void {
    this.socket.close();
  }

  #write(lines: readonly string[], body = ''): void {
    this.#last = `${lines.join('\r\n')}\r\n\r\n${body}`;
    this.socket.send(this.#last, this.remotePort, '127.0.0.1');
  }
}
