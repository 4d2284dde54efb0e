import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { randomBytes } from 'node:crypto';
import { eventually } from '../eventually.js';

/** Sends single SIP messages over UDP, and collects what arrives. */
export class SipSocket {
  readonly messages: string[] = [];

  private constructor(
    private readonly socket: Socket,
    readonly port: number,
    private readonly remotePort: number,
  ) {
    socket.on('message', (message) => this.messages.push(message.toString('latin1')));
  }

  static async open(remotePort: number): Promise<SipSocket> {
    const socket = createSocket('udp4');
    socket.bind(0, '127.0.0.1');
    await once(socket, 'listening');
    return new SipSocket(socket, socket.address().port, remotePort);
  }

  /** @returns the Call-ID of the request */
  send(method: string, uri: string, fields: readonly string[]): string {
    const id = randomBytes(8).toString('hex');
    const here = `127.0.0.1:${this.port}`;
    const lines = [
      `${method} ${uri} SIP/2.0`,
      `Via: SIP/2.0/UDP ${here};branch=z9hG4bK${id};rport`,
      'Max-Forwards: 70',
      `From: <sip:1001@127.0.0.1>;tag=${id}`,
      'To: <sip:1001@127.0.0.1>',
      `Call-ID: ${id}`,
      `CSeq: 1 ${method}`,
      `Contact: <sip:1001@${here}>`,
      ...fields,
      'Content-Length: 0',
      '\r\n',
    ];
    this.socket.send(lines.join('\r\n'), this.remotePort, '127.0.0.1');
    return id;
  }

  /** Resolves with the first messages, as many as asked for. */
  async received(count: number): Promise<readonly string[]> {
    await eventually(() => this.messages.length >= count, `${count} SIP messages`);
    return this.messages.slice(0, count);
  }

  close(): void {
    this.socket.close();
  }
}
