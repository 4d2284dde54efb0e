import { UdpProxy, type OnItsWay } from './udp-proxy.js';

/** On the way of what the phone reports. */
const REPORT_DELAY_MS = 40;

/** Of each ten packets one is lost; of the others each second one comes 15 ms late. */
export const POOR: OnItsWay = (() => {
  let seen = 0;
  return (packet) => {
    seen += 1;
    if (seen % 10 === 0) return null;
    return seen % 2 === 0 ? { packet } : { packet, delayMs: 15 };
  };
})();

/**
 * The network between an engine and one phone: what the phone says goes through it, what it hears comes straight. SIP passes, and is told on the way that
 * the engine takes its audio here.
 */
export class PoorLine {
  private constructor(
    private readonly sip: UdpProxy,
    private readonly media: UdpProxy,
    private readonly reports: UdpProxy,
  ) {}

  /** @param phonePort where the phone takes calls @param onItsWay what becomes of its audio */
  static async start(phonePort: number, onItsWay: OnItsWay): Promise<PoorLine> {
    const media = await UdpProxy.start(0, onItsWay);
    const reports = await UdpProxy.start(0, (packet) => ({ packet, delayMs: REPORT_DELAY_MS }));
    const sip = await UdpProxy.start(phonePort, (packet) => ({ packet: divert(packet, media, reports) }));
    return new PoorLine(sip, media, reports);
  }

  /** Where the phone is called. */
  get sipPort(): number {
    return this.sip.port;
  }

  close(): void {
    this.sip.close();
    this.media.close();
    this.reports.close();
  }
}

/** The engine's offer names the proxies, also the one for RTCP (RFC 3605). */
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
