import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { connect as connectTcp, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { Agent, WebSocket } from 'undici';

/** A way to exchange SIP messages with a server on the loopback. */
export interface SipLink {
  /** As `Via` names it. */
  readonly protocol: 'UDP' | 'TCP' | 'TLS' | 'WSS';
  readonly host: string;
  readonly port: number;
  send(message: string): void;
  close(): void;
  /** Resolves when the other side knows that it is closed. */
  readonly closed: Promise<unknown>;
}

export type OnMessage = (message: string) => void;

/**
 * @param host of the loopback, from which it sends
 * @param port from which it sends; any by default
 */
export async function udpLink(
  remotePort: number,
  onMessage: OnMessage,
  host = '127.0.0.1',
  port = 0,
): Promise<SipLink> {
  const socket = createSocket('udp4');
  socket.bind(port, host);
  await once(socket, 'listening');
  socket.on('message', (message) => onMessage(message.toString('latin1')));
  return {
    ...{ protocol: 'UDP', host, port: socket.address().port },
    send: (message) => socket.send(Buffer.from(message, 'latin1'), remotePort, '127.0.0.1'),
    close: () => socket.close(),
    closed: new Promise((resolve) => socket.once('close', resolve)),
  };
}

export async function tcpLink(remotePort: number, onMessage: OnMessage): Promise<SipLink> {
  const socket = connectTcp(remotePort, '127.0.0.1');
  await once(socket, 'connect');
  return streamLink('TCP', socket, onMessage);
}

/** @param ca PEM of the authority that it trusts */
export async function tlsLink(remotePort: number, onMessage: OnMessage, ca: string): Promise<SipLink> {
  const socket = connectTls({ port: remotePort, host: '127.0.0.1', ca });
  await once(socket, 'secureConnect');
  return streamLink('TLS', socket, onMessage);
}

/** A WebSocket over TLS (RFC 7118). */
export async function wssLink(remotePort: number, onMessage: OnMessage, ca: string): Promise<SipLink> {
  const dispatcher = new Agent({ connect: { ca } });
  const socket = new WebSocket(`wss://127.0.0.1:${remotePort}`, { protocols: ['sip'], dispatcher });
  socket.addEventListener('message', ({ data }) => onMessage(String(data)));
  const closed = new Promise((resolve) => socket.addEventListener('close', resolve));
  await new Promise<void>((resolve, reject) => {
    socket.addEventListener('open', () => resolve());
    socket.addEventListener('error', () => reject(new Error('the WebSocket could not be opened')));
  });
  return {
    // A browser does not know its address (RFC 7118 §5).
    ...{ protocol: 'WSS', host: 'df7jal23ls0d.invalid', port: 443 },
    send: (message) => socket.send(message),
    close() {
      socket.close();
      // It may be closed already.
      dispatcher.close().catch(() => undefined);
    },
    closed,
  };
}

function streamLink(protocol: 'TCP' | 'TLS', socket: Socket, onMessage: OnMessage): SipLink {
  let text = '';
  socket.on('data', (bytes: Buffer) => {
    text += bytes.toString('latin1');
    for (;;) {
      text = text.replace(/^(?:\r\n)+/, '');
      const end = text.indexOf('\r\n\r\n');
      if (end < 0) return;
      const length = Number(/^(?:content-length|l)\s*:\s*(\d+)/im.exec(text.slice(0, end))?.[1] ?? '0');
      const whole = end + 4 + length;
      if (text.length < whole) return;
      onMessage(text.slice(0, whole));
      text = text.slice(whole);
    }
  });
  socket.on('error', () => undefined);
  return {
    ...{ protocol, host: '127.0.0.1', port: socket.localPort ?? 0 },
    send: (message) => socket.write(message, 'latin1'),
    close: () => socket.destroy(),
    closed: new Promise((resolve) => socket.once('close', resolve)),
  };
}
