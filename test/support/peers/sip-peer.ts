import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';

/** A SIP peer with one socket that sends requests and returns the status codes of their responses. */
export class SipPeer {
  private readonly statuses: string[] = [];
  private wake: () => void = () => undefined;
  private constructor(
    private readonly socket: Socket,
    private readonly sipPort: number,
  ) {
    socket.on('message', (message) => {
      const status = /^SIP\/2\.0 (\d+)/.exec(message.toString())?.[1];
      if (status === undefined) return;
      this.statuses.push(status);
      this.wake();
    });
  }

  static async open(sipPort: number): Promise<SipPeer> {
    const socket = createSocket('udp4').bind(0, '127.0.0.1');
    await once(socket, 'listening');
    return new SipPeer(socket, sipPort);
  }

  get port(): number {
    return this.socket.address().port;
  }

  /** Calls a number. @returns the statuses up to and including the first that satisfies `until` */
  async invite(number: string, until: (status: string) => boolean): Promise<string[]> {
    const tag = Math.random().toString(36).slice(2);
    this.statuses.length = 0;
    const sdp = `v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\nm=audio 9 RTP/AVP 8\r\na=rtpmap:8 PCMA/8000\r\n`;
    this.request(
      'INVITE',
      number,
      tag,
      `Contact: <sip:127.0.0.1:${this.port}>\r\nContent-Type: application/sdp\r\n`,
      sdp,
    );
    for (;;) {
      const end = this.statuses.findIndex(until);
      if (end >= 0) {
        const final = this.statuses[end]!;
        this.request(Number(final) >= 300 ? 'ACK' : 'CANCEL', number, tag, '', '');
        return this.statuses.slice(0, end + 1);
      }
      await new Promise<void>((resolve) => (this.wake = resolve));
    }
  }

  close(): void {
    this.socket.close();
  }

  private request(method: string, number: string, tag: string, headers: string, body: string): void {
    this.socket.send(
      `${method} sip:${number}@127.0.0.1:${this.sipPort} SIP/2.0\r\n` +
        `Via: SIP/2.0/UDP 127.0.0.1:${this.port};branch=z9hG4bK${tag};rport\r\nMax-Forwards: 70\r\n` +
        `From: <sip:+966501112222@127.0.0.1>;tag=${tag}\r\nTo: <sip:${number}@127.0.0.1>\r\n` +
        `Call-ID: ${tag}\r\nCSeq: 1 ${method}\r\n${headers}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
      this.sipPort,
      '127.0.0.1',
    );
  }
}
