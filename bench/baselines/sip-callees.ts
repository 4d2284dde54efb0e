/** Two engines for the edge that only answer: OPTIONS, each call, and its end. */
import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { freeUdpPort } from '../lib/ports.js';

const SDP = 'v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\nm=audio 9000 RTP/AVP 8\r\n';

function answer(socket: Socket, port: number, request: string, { address, port: from }: RemoteInfo): void {
  const end = request.indexOf('\r\n\r\n');
  const [start = '', ...lines] = request.slice(0, end).split('\r\n');
  const method = start.slice(0, start.indexOf(' '));
  if (method === 'ACK' || start.startsWith('SIP/2.0')) return;
  const kept = lines.filter((line) => /^(?:via|record-route|from|call-id|cseq):/i.test(line));
  const to = lines.find((line) => /^to:/i.test(line)) ?? '';
  const body = method === 'INVITE' ? SDP : '';
  const fields = [
    ...kept,
    to.includes(';tag=') ? to : `${to};tag=there`,
    `Contact: <sip:callee@127.0.0.1:${port}>`,
    ...(body === '' ? [] : ['Content-Type: application/sdp']),
    `Content-Length: ${body.length}`,
  ];
  socket.send(`SIP/2.0 200 OK\r\n${fields.join('\r\n')}\r\n\r\n${body}`, from, address);
}

const ports: number[] = [];
for (let callee = 0; callee < 2; callee += 1) {
  const port = await freeUdpPort();
  const socket = createSocket({ type: 'udp4', recvBufferSize: 4_000_000 });
  socket.on('message', (message, source) => answer(socket, port, message.toString('latin1'), source));
  await new Promise<void>((resolve) => socket.bind(port, '127.0.0.1', resolve));
  ports.push(port);
}
process.send?.({ ports });
