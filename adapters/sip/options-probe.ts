import { randomBytes } from 'node:crypto';
import { createSocket, type Socket } from 'node:dgram';
import { isIP } from 'node:net';
import { afterReading, systemClock } from '../../core/ports/clock.js';
import type { SipProbe } from '../../core/ports/sip-probe.js';

/**
 * The user part of From. The engines have an account for it, so that requests are not logged as unauthorized attempts.
 */
const USER = 'hatif-health';
/** UDP may lose a packet, so the request is repeated at this interval (RFC 3261 timer T1). */
const AGAIN_MS = 500;

/** Sends OPTIONS over UDP, each from a socket of its own that is connected to the server. */
export const optionsProbe: SipProbe = {
  probe(host, port, timeoutMs) {
    return new Promise((resolve) => {
      const socket = createSocket(isIP(host) === 6 ? 'udp6' : 'udp4');
      const callId = randomBytes(12).toString('hex');
      let again: NodeJS.Timeout | undefined;
      const settle = (answered: boolean): void => {
        timer.cancel();
        clearInterval(again);
        socket.removeAllListeners().on('error', () => undefined);
        socket.close();
        resolve(answered);
      };
      const timer = afterReading(systemClock, timeoutMs, () => settle(false));
      socket.once('error', () => settle(false));
      socket.on('message', (message) => {
        const text = message.toString('latin1');
        if (text.startsWith('SIP/2.0 ') && text.includes(callId)) settle(true);
      });
      socket.connect(port, host, () => {
        const send = (): void => socket.send(optionsRequest(socket, host, port, callId));
        again = setInterval(send, AGAIN_MS);
        send();
      });
    });
  },
};

function optionsRequest(socket: Socket, host: string, port: number, callId: string): string {
  const own = socket.address();
  const here = `${bracketed(own.address)}:${own.port}`;
  const there = `${bracketed(host)}:${port}`;
  return [
    `OPTIONS sip:${there} SIP/2.0`,
    `Via: SIP/2.0/UDP ${here};branch=z9hG4bK${callId};rport`,
    'Max-Forwards: 70',
    `From: <sip:${USER}@${bracketed(own.address)}>;tag=${callId.slice(0, 8)}`,
    `To: <sip:${there}>`,
    `Call-ID: ${callId}`,
    'CSeq: 1 OPTIONS',
    `Contact: <sip:${USER}@${here}>`,
    'Content-Length: 0',
    '\r\n',
  ].join('\r\n');
}

function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}
