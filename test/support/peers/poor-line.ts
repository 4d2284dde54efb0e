import { UdpProxy, type OnItsWay } from './udp-proxy.js';

/** The delay of the phone's RTCP reports. */
const REPORT_DELAY_MS = 40;

/** Of every ten packets one is lost and five are 15 ms late. */
export const POOR: OnItsWay = (() => {
  let seen = 0;
  return (packet) => {
    seen += 1;
    if (seen % 10 === 0) return null;
    return seen % 2 === 0 ? { packet } : { packet, delayMs: 15 };
  };
})();

/**
 * The network between an engine and one phone. The phone's audio passes through it; the engine's audio goes directly to
 * the phone. SIP passes through it too, so that the engine's offer can be changed to name this network's ports.
 */
export class PoorLine {
  private constructor(
    private readonly sip: UdpProxy,
    private readonly media: UdpProxy,
    private readonly reports: UdpProxy,
  ) {}

  /** @param phonePort the phone's SIP port @param onItsWay what happens to the phone's audio packets */
  static async start(phonePort: number, onItsWay: OnItsWay): Promise<PoorLine> {
    const media = await UdpProxy.start(0, onItsWay);
    const reports = await UdpProxy.start(0, (packet) => ({ packet, delayMs: REPORT_DELAY_MS }));
    const sip = await UdpProxy.start(phonePort, (packet) => ({ packet: divert(packet, media, reports) }));
    return new PoorLine(sip, media, reports);
  }

  /** The port to call the phone at. */
  get sipPort(): number {
    return this.sip.port;
  }

  close(): void {
    this.sip.close();
    this.media.close();
    this.reports.close();
  }
}

/** Replaces the ports in the engine's offer with those of the proxies, including the one for RTCP (RFC 3605). */
function divert(packet: Buffer, media: UdpProxy, reports: UdpProxy): Buffer {
  const [head = '', body = ''] = packet.toString('latin1').split('\r\n\r\n', 2);
  const port = Number(/^m=audio (\d+)/m.exec(body)?.[1] ?? 0);
  if (port === 0) return packet;
  media.leadTo(port);
  reports.leadTo(port + 1);
  const diverted = body
    .replace(/^a=rtcp:.*\r\n/m, '')
    .replace(/^m=audio \d+(.*\r\n)/m, `m=audio ${media.port}$1a=rtcp:${reports.port} IN IP4 127.0.0.1\r\n`);
  const length = `Content-Length: ${Buffer.byteLength(diverted, 'latin1')}`;
  return Buffer.from(`${head.replace(/^(Content-Length|l)\s*:.*$/im, length)}\r\n\r\n${diverted}`, 'latin1');
}
