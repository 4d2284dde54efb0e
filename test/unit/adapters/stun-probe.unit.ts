import { expect } from 'chai';
import { createSocket, type Socket } from 'node:dgram';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { stunProbe } from '../../../adapters/turn/stun-probe.js';

/** The answer of a server to a Binding request: a success without attributes. */
function answerTo(request: Buffer): Buffer {
  const answer = Buffer.from(request);
  answer.writeUInt16BE(0x0101, 0);
  return answer;
}

describe('asking a STUN or TURN server', function () {
  this.timeout(10_000);
  let udp: Socket;
  let tcp: Server;
  let requests = 0;

  before(async () => {
    udp = createSocket('udp4');
    // The first request is lost.
    udp.on('message', (request, { port }) => {
      requests += 1;
      if (requests > 1) udp.send(answerTo(request), port, '127.0.0.1');
    });
    tcp = createServer((socket) => socket.on('data', (request) => socket.end(answerTo(request))));
    await new Promise<void>((resolve) => udp.bind(0, '127.0.0.1', resolve));
    await new Promise<void>((resolve) => tcp.listen(0, '127.0.0.1', resolve));
  });
  after(() => {
    udp.close();
    tcp.close();
  });

  it('finds one over UDP, also if a packet is lost', async () => {
    expect(await stunProbe.answers(`turn:127.0.0.1:${udp.address().port}?transport=udp`)).to.equal(true);
    expect(requests).to.equal(2);
  });

  it('finds one over TCP', async () => {
    const { port } = tcp.address() as AddressInfo;
    expect(await stunProbe.answers(`turn:127.0.0.1:${port}?transport=tcp`)).to.equal(true);
  });

  it('finds none if nobody answers', async () => {
    const closed = createServer();
    await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve));
    const { port } = closed.address() as AddressInfo;
    await new Promise((resolve) => closed.close(resolve));
    expect(await stunProbe.answers(`turn:127.0.0.1:${port}`)).to.equal(false);
    expect(await stunProbe.answers(`turns:127.0.0.1:${port}`)).to.equal(false);
    expect(await stunProbe.answers('https://example.com')).to.equal(false);
  });
});
