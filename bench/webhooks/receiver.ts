/**
 * The minimum webhook receiver: reads the body, responds with 204, counts. Reports when it has reached a requested
 * count.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

let received = 0;
let wanted: number | null = null;

const server = createServer((req, res) => {
  req.resume();
  req.on('end', () => {
    res.writeHead(204).end();
    received += 1;
    reportIfReached();
  });
}).listen(0, '127.0.0.1', () => {
  process.send?.({ port: (server.address() as AddressInfo).port });
});

process.on('message', (message: { count: number }) => {
  wanted = message.count;
  reportIfReached();
});

function reportIfReached(): void {
  if (wanted === null || received < wanted) return;
  process.send?.({ received, atMs: Date.now() });
  wanted = null;
  received = 0;
}
