import { UdpProxy, type OnItsWay } from './udp-proxy.js';
import { Waiting } from './waiting.js';

/** On the way of what the phone reports. */
const REPORT_DELAY_MS = 40;
/** Both sides report every five seconds. */
const LIMIT_MS = 15_000;
const SENDER_REPORT = 200;
const RECEIVER_REPORT = 201;
const SENDER_HEAD_BYTES = 28;
const RECEIVER_HEAD_BYTES = 8;
/** Of LSR in a report block. */
const LAST_REPORT_OFFSET = 16;

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
  #isAnswered = false;
  readonly #waiting = new Waiting();

  private constructor(
    private readonly sip: UdpProxy,
    private readonly media: UdpProxy,
    private readonly reports: UdpProxy,
  ) {}

  /** @param phonePort where the phone takes calls @param onItsWay what becomes of its audio */
  static async start(phonePort: number, onItsWay: OnItsWay): Promise<PoorLine> {
    const media = await UdpProxy.start(0, onItsWay);
    const reports = await UdpProxy.start(0, (packet) => {
      if (answersReport(packet)) line.#answered();
      return { packet, delayMs: REPORT_DELAY_MS };
    });
    const sip = await UdpProxy.start(phonePort, (packet) => ({ packet: divert(packet, media, reports) }));
    const line = new PoorLine(sip, media, reports);
    return line;
  }

  /** Where the phone is called. */
  get sipPort(): number {
    return this.sip.port;
  }

  /** Resolves once the phone answered a report of the engine's, from which the engine knows the round trip; the answer is still on its way. */
  async answered(): Promise<void> {
    await this.#waiting.until(
      () => this.#isAnswered || undefined,
      () => 'The phone answered no report',
      LIMIT_MS,
    );
  }

  #answered(): void {
    this.#isAnswered = true;
    this.#waiting.changed();
  }

  close(): void {
    this.sip.close();
    this.media.close();
    this.reports.close();
  }
}

/** Whether a sender's or receiver's report (RFC 3550 §6.4) says when the other side's last one came (LSR). */
function answersReport(packet: Buffer): boolean {
  const isSender = packet[1] === SENDER_REPORT;
  if (!isSender && packet[1] !== RECEIVER_REPORT) return false;
  const lastReportAt = (isSender ? SENDER_HEAD_BYTES : RECEIVER_HEAD_BYTES) + LAST_REPORT_OFFSET;
  return packet.length >= lastReportAt + 4 && packet.readUInt32BE(lastReportAt) !== 0;
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
