import { randomBytes } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { TurnProbe } from '../../core/ports/turn.js';

const TIMEOUT_MS = 2_000;
/** UDP may lose a packet (RFC 8489 §6.2.1). */
const AGAIN_MS = 500;
const URL_PARTS = /^(stun|turn|turns):(?:\[([^\]]+)\]|([^:?]+))(?::(\d+))?(?:\?transport=(udp|tcp))?$/;

/** Sends a STUN Binding request, which every TURN server answers without credentials. */
export const stunProbe: TurnProbe = {
  answers(url) {
    const [, scheme, ipv6, name, port, transport] = URL_PARTS.exec(url) ?? [];
    const host = ipv6 ?? name;
    if (scheme === undefined || host === undefined) return Promise.resolve(false);
    const isSecure = scheme === 'turns';
    const at = { host, port: port === undefined ? (isSecure ? 5349 : 3478) : Number(port) };
    return isSecure || transport === 'tcp' ? overStream(at, isSecure) : overUdp(at);
  },
};

interface Address {
  readonly host: string;
  readonly port: number;
}

function overUdp({ host, port }: Address): Promise<boolean> {
  return new Promise((resolve) => {
    const request = bindingRequest();
    const socket = createSocket(isIP(host) === 6 ? 'udp6' : 'udp4');
    const settle = (answers: boolean): void => {
      clearTimeout(timer);
      clearInterval(again);
      socket.removeAllListeners().on('error', () => undefined);
      socket.close();
      resolve(answers);
    };
    const timer = setTimeout(() => settle(false), TIMEOUT_MS);
    socket.once('error', () => settle(false));
    socket.on('message', (message) => {
      if (isAnswer(message, request)) settle(true);
    });
    const send = (): void => socket.send(request, port, host, (error) => error && settle(false));
    const again = setInterval(send, AGAIN_MS);
    send();
  });
}

function overStream({ host, port }: Address, isSecure: boolean): Promise<boolean> {
  return new Promise((resolve) => {
    const request = bindingRequest();
    // The certificate is the browser's concern: this only asks whether somebody is there.
    const socket: Socket = isSecure
      ? connectTls({ host, port, servername: isIP(host) === 0 ? host : '', rejectUnauthorized: false })
      : connectTcp({ host, port });
    const settle = (answers: boolean): void => {
      clearTimeout(timer);
      socket.removeAllListeners().on('error', () => undefined);
      socket.destroy();
      resolve(answers);
    };
    const timer = setTimeout(() => settle(false), TIMEOUT_MS);
    let received = Buffer.alloc(0);
    socket.once(isSecure ? 'secureConnect' : 'connect', () => socket.write(request));
    socket.once('error', () => settle(false));
    socket.once('close', () => settle(false));
    socket.on('data', (bytes: Buffer) => {
      received = Buffer.concat([received, bytes]);
      if (received.length >= HEADER_BYTES) settle(isAnswer(received, request));
    });
  });
}

const HEADER_BYTES = 20;
const BINDING_REQUEST = 0x0001;
const BINDING_ANSWERS = [0x0101, 0x0111];
const MAGIC_COOKIE = 0x2112a442;

/** RFC 8489 §5: type, length without the header, magic cookie, transaction id. */
function bindingRequest(): Buffer {
  const request = Buffer.alloc(HEADER_BYTES);
  request.writeUInt16BE(BINDING_REQUEST, 0);
  request.writeUInt32BE(MAGIC_COOKIE, 4);
  randomBytes(12).copy(request, 8);
  return request;
}

function isAnswer(message: Buffer, request: Buffer): boolean {
  if (message.length < HEADER_BYTES || !BINDING_ANSWERS.includes(message.readUInt16BE(0))) return false;
  return message.subarray(4, HEADER_BYTES).equals(request.subarray(4));
}
