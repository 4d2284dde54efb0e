import { randomBytes } from 'node:crypto';
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { allOf, buildSip, header, parseSip, sdp, sequenceOf, type SipMessage } from '../../chaos/phones/sip-message.js';
import { Waiting } from '../waiting.js';

/** No one listens there (RFC 863). */
const DISCARD_PORT = 9;

type Header = readonly [name: string, value: string];

/** A SIP peer that makes and receives calls without audio of its own and keeps each message, for session timers (RFC 4028). */
export class SessionPeer {
  readonly received: SipMessage[] = [];
  readonly #waiting = new Waiting();
  readonly #tag = randomBytes(4).toString('hex');

  private constructor(
    private readonly socket: Socket,
    private readonly enginePort: number,
    /** Additional headers of answers to INVITE and UPDATE. */
    private readonly answer: readonly Header[],
    private readonly mediaPort: number,
  ) {
    socket.on('message', (bytes) => {
      const message = parseSip(bytes.toString('latin1'));
      if (!message) return;
      this.received.push(message);
      if (message.method !== null && message.method !== 'ACK') this.#accept(message);
      this.#waiting.changed();
    });
  }

  /**
   * @param answer additional headers of its answers to INVITE and UPDATE
   * @param mediaPort the port that its offers and answers name
   * @param ownPort its SIP port; a free one by default
   */
  static async start(
    enginePort: number,
    answer: readonly Header[] = [],
    mediaPort = DISCARD_PORT,
    ownPort = 0,
  ): Promise<SessionPeer> {
    const socket = createSocket('udp4').bind(ownPort, '127.0.0.1');
    await once(socket, 'listening');
    return new SessionPeer(socket, enginePort, answer, mediaPort);
  }

  get port(): number {
    return this.socket.address().port;
  }

  get uri(): string {
    return `sip:peer@127.0.0.1:${this.port}`;
  }

  close(): void {
    this.socket.close();
  }

  /** The first message that matches, already received or still to come. */
  message(what: string, isIt: (message: SipMessage) => boolean, limitMs?: number): Promise<SipMessage> {
    return this.#waiting.until(
      () => this.received.find(isIt),
      () => `Received no ${what}, but ${this.received.map(({ startLine }) => startLine).join(', ')}`,
      limitMs,
    );
  }

  /** Calls the number. @returns the final answer, which was acknowledged */
  async call(number: string, extra: readonly Header[]): Promise<SipMessage> {
    const callId = randomBytes(8).toString('hex');
    const branch = `z9hG4bK${callId}`;
    const target = `sip:${number}@127.0.0.1:${this.enginePort}`;
    const compose = (method: string, to: string, via: string, more: readonly Header[], body = ''): string =>
      buildSip(
        `${method} ${target} SIP/2.0`,
        [
          ['Via', `SIP/2.0/UDP 127.0.0.1:${this.port};branch=${via};rport`],
          ['From', `<sip:+966501234567@127.0.0.1>;tag=${this.#tag}`],
          ['To', to],
          ['Call-ID', callId],
          ['CSeq', `1 ${method}`],
          ['Contact', `<${this.uri}>`],
          ['Max-Forwards', '70'],
          ...more,
        ],
        body,
      );
    this.#send(compose('INVITE', `<${target}>`, branch, extra, sdp(this.mediaPort)));
    const answer = await this.message(
      'final answer',
      (message) => message.status >= 200 && header(message, 'call-id') === callId,
    );
    this.#send(compose('ACK', header(answer, 'to'), answer.status < 300 ? `${branch}-ack` : branch, []));
    return answer;
  }

  #accept(request: SipMessage): void {
    const { method } = sequenceOf(request);
    const isOffer = method === 'INVITE';
    const headers: Header[] = [
      ...allOf(request, 'via').map((via) => ['Via', via] as const),
      ['From', header(request, 'from')],
      [
        'To',
        header(request, 'to').includes(';tag=') ? header(request, 'to') : `${header(request, 'to')};tag=${this.#tag}`,
      ],
      ['Call-ID', header(request, 'call-id')],
      ['CSeq', header(request, 'cseq')],
      ['Contact', `<${this.uri}>`],
      ...(isOffer || method === 'UPDATE' ? this.answer : []),
    ];
    this.#send(buildSip('SIP/2.0 200 OK', headers, isOffer ? sdp(this.mediaPort) : ''));
  }

  #send(text: string): void {
    this.socket.send(text, this.enginePort, '127.0.0.1');
  }
}
