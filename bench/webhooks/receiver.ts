/** The least that can receive webhooks: reads the body, answers 204, counts. Asked for its count, it tells when it has reached it. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

let received = 0;
let wanted: number | null = null;

const server = createServer((req, res) => {
  req.resume();
  req.on('end', () => {
    res.writeHead(204).end();
    received += 1;
    tell();
  });
}).listen(0, '127.0.0.1', () => {
  process.send?.({ port: (server.address() as AddressInfo).port });
});

process.on('message', (message: { count: number }) => {
  wanted = message.count;
  tell();
});

function tell(): void {
  if (wanted === null || received < wanted) return;
  process.send?.({ received, atMs: Date.now() });
  wanted = null;
  received = 0;
}
