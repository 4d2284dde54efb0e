import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer as createTcpServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { Headers } from '../../../../sip/message/headers.js';
import { parseNameAddress } from '../../../../sip/message/name-address.js';
import { eventually } from '../../eventually.js';
import type { MadeCertificate } from '../../certificates.js';
import { SILENT_SDP } from './socket.js';

type Transport = 'udp' | 'tcp' | 'tls';

/** A message that arrived, and the way back to its sender. */
export interface Arrived {
  readonly text: string;
  readonly headers: Headers;
  send(text: string): void;
}

export interface CarrierReply {
  /** Whole lines. */
  readonly fields?: readonly string[];
  readonly sdp?: string;
}

/** A carrier on this machine to which calls arrive. It does nothing by itself: tests answer, and see each message. */
export class ScriptedCarrier {
  /** What arrived and was not taken with {@link next}. */
  readonly arrived: Arrived[] = [];
  #listening: { readonly port: number; close(): void } = { port: 0, close: () => undefined };

  private constructor(readonly transport: Transport) {}

  /** @param certificate for TLS */
  static async open(transport: Transport = 'udp', certificate?: MadeCertificate): Promise<ScriptedCarrier> {
    const carrier = new ScriptedCarrier(transport);
    const note = (text: string, send: (text: string) => void): void => {
      carrier.arrived.push({ text, headers: new Headers(text), send });
    };
    carrier.#listening = transport === 'udp' ? await overUdp(note) : await overStreams(note, certificate);
    return carrier;
  }

  get port(): number {
    return this.#listening.port;
  }

  close(): void {
    this.#listening.close();
  }

  /** Takes the first message whose text fits, past or future. */
  async next(fits: (text: string) => boolean, limitMs?: number): Promise<Arrived> {
    const found = await eventually(
      () => this.arrived.find(({ text }) => fits(text)),
      () => `a message at the carrier\n${this.arrived.map(({ text }) => text).join('\n')}`,
      limitMs,
    );
    this.arrived.splice(this.arrived.indexOf(found), 1);
    return found;
  }

  /** A new call. @param number in the address of its request */
  invite(number: string, limitMs?: number): Promise<Arrived> {
    return this.next((text) => text.startsWith(`INVITE sip:${number}@`), limitMs);
  }

  /** The next request of this method in a call. */
  within(invite: Arrived, method: string): Promise<Arrived> {
    const callId = invite.headers.first('call-id') ?? '';
    return this.next((text) => text.startsWith(`${method} `) && text.includes(callId));
  }

  reply(request: Arrived, status: string, { fields = [], sdp = '' }: CarrierReply = {}): void {
    const { headers } = request;
    const kept = (name: string): string[] => headers.all(name.toLowerCase()).map((value) => `${name}: ${value}`);
    const to = headers.first('to') ?? '';
    const lines = [
      `SIP/2.0 ${status}`,
      ...['Via', 'Record-Route', 'From', 'Call-ID', 'CSeq'].flatMap(kept),
      `To: ${to}${to.includes('tag=') ? '' : ';tag=there'}`,
      // Without its transport, as many carriers write it.
      `Contact: <sip:gateway@127.0.0.1:${this.port}>`,
      ...fields,
    ];
    request.send(written(lines, sdp));
  }

  /** Answers a call, and waits for its acknowledgement. */
  async answer(invite: Arrived): Promise<void> {
    this.reply(invite, '180 Ringing');
    this.reply(invite, '200 OK', { sdp: SILENT_SDP });
    await this.within(invite, 'ACK');
  }

  /** Sends a request in a call that was answered. */
  send(invite: Arrived, method: string, cseq: number, sdp = ''): void {
    const { headers } = invite;
    const target = parseNameAddress(headers.first('contact') ?? '')?.uri ?? '';
    const branch = `z9hG4bK${method}${cseq}${headers.first('call-id')?.replace(/\W/g, '')}`;
    const lines = [
      `${method} ${target} SIP/2.0`,
      `Via: SIP/2.0/${this.transport.toUpperCase()} 127.0.0.1:${this.port};branch=${branch};rport`,
      ...headers.all('record-route').map((value) => `Route: ${value}`),
      `From: ${headers.first('to')};tag=there`,
      `To: ${headers.first('from')}`,
      `Call-ID: ${headers.first('call-id')}`,
      `CSeq: ${cseq} ${method}`,
      `Contact: <sip:gateway@127.0.0.1:${this.port}>`,
      'Max-Forwards: 70',
    ];
    invite.send(written(lines, sdp));
  }

  /** Sends such a request again and again until it is answered, as UDP needs. @returns the final response */
  async ask(invite: Arrived, method: string, cseq: number, sdp = ''): Promise<Arrived> {
    const callId = invite.headers.first('call-id') ?? '';
    this.send(invite, method, cseq, sdp);
    const again = setInterval(() => this.send(invite, method, cseq, sdp), 500);
    try {
      return await this.next(
        (text) => /^SIP\/2\.0 [2-6]/.test(text) && text.includes(callId) && text.includes(`CSeq: ${cseq} ${method}`),
        30_000,
      );
    } finally {
      clearInterval(again);
    }
  }
}

function written(lines: readonly string[], sdp: string): string {
  const type = sdp === '' ? [] : ['Content-Type: application/sdp'];
  return [...lines, ...type, `Content-Length: ${sdp.length}`, '', sdp].join('\r\n');
}

type Note = (text: string, send: (text: string) => void) => void;

async function overUdp(note: Note): Promise<{ readonly port: number; close(): void }> {
  const socket = createSocket('udp4');
  socket.on('message', (bytes, { port, address }) => {
    note(bytes.toString('latin1'), (text) => socket.send(Buffer.from(text, 'latin1'), port, address));
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return { port: socket.address().port, close: () => socket.close() };
}

async function overStreams(
  note: Note,
  certificate?: MadeCertificate,
): Promise<{ readonly port: number; close(): void }> {
  const open = new Set<Socket>();
  const accept = (socket: Socket): void => {
    open.add(socket);
    let text = '';
    socket.on('error', () => undefined).on('close', () => open.delete(socket));
    socket.on('data', (bytes: Buffer) => {
      text = (text + bytes.toString('latin1')).replace(/^(?:\r\n)+/, '');
      for (;;) {
        const end = text.indexOf('\r\n\r\n');
        const length = Number(/^(?:content-length|l)\s*:\s*(\d+)/im.exec(text.slice(0, end))?.[1] ?? '0');
        if (end < 0 || text.length < end + 4 + length) return;
        note(text.slice(0, end + 4 + length), (reply) => socket.write(reply, 'latin1'));
        text = text.slice(end + 4 + length).replace(/^(?:\r\n)+/, '');
      }
    });
  };
  const server: Server = certificate
    ? createTlsServer({ cert: certificate.cert, key: certificate.key }, accept)
    : createTcpServer(accept);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    close() {
      for (const socket of open) socket.destroy();
      server.close();
    },
  };
}
