import { createServer, request as send, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { FrameReader, textOf, type AriAsked, type AriSaid } from './ari-lines.js';
import { couple, listenLocally } from './local-server.js';
import type { Recorder } from './wire-suite.js';

/** The API description, static files of Asterisk that only ari-client reads. */
const DESCRIPTION = '/ari/api-docs/';

/** A proxy between an adapter and a real Asterisk that records their messages. */
export class AriRecorder implements Recorder {
  readonly lines: (AriAsked | AriSaid)[] = [];
  readonly #server: Server;
  #port = 0;
  #requests = 0;

  private constructor(private readonly target: number) {
    this.#server = createServer((request, response) => {
      this.#pass(request, response).catch((error: unknown) => response.destroy(error as Error));
    });
    this.#server.on('upgrade', (request, client) => {
      const upstream = connect(target, '127.0.0.1');
      upstream.write(headOf(request));
      let head = Buffer.alloc(0);
      let isOpen = false;
      const reader = new FrameReader((kind, payload) => {
        if (kind !== 'text') return;
        const event = JSON.parse(payload.toString('utf8')) as { type: string };
        this.lines.push({ from: 'asterisk', event: slim(event) as { type: string } });
      });
      upstream.on('data', (chunk: Buffer) => {
        client.write(chunk);
        if (isOpen) {
          reader.push(chunk);
          return;
        }
        head = Buffer.concat([head, chunk]);
        const end = head.indexOf('\r\n\r\n');
        isOpen = end >= 0;
        if (isOpen) reader.push(head.subarray(end + 4));
      });
      client.on('data', (chunk: Buffer) => upstream.write(chunk));
      couple(client, upstream);
    });
  }

  static async start(port: number): Promise<AriRecorder> {
    const recorder = new AriRecorder(port);
    recorder.#port = await listenLocally(recorder.#server);
    return recorder;
  }

  get port(): number {
    return this.#port;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET', url: path = '/', headers } = request;
    const asked = await buffer(request);
    const isDescription = path.startsWith(DESCRIPTION);
    const number = isDescription ? 0 : ++this.#requests;
    if (!isDescription) {
      this.lines.push({ from: 'engine', request: number, text: textOf(method, path, asked.toString('utf8')) });
    }
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      const upstream = send({ host: '127.0.0.1', port: this.target, method, path, headers }, resolve);
      upstream.on('error', reject);
      upstream.end(asked);
    });
    const body = await buffer(answer);
    const { statusCode: status = 0 } = answer;
    if (!isDescription) this.lines.push({ from: 'asterisk', request: number, status, ...bodyOf(body, method, path) });
    response.writeHead(status, { 'content-type': answer.headers['content-type'] ?? 'application/json' });
    response.end(body);
  }
}

/** Returns the request that opens a websocket, unchanged. */
function headOf({ method = 'GET', url = '/', rawHeaders }: IncomingMessage): string {
  const headers = rawHeaders.flatMap((name, at) => (at % 2 === 0 ? `${name}: ${rawHeaders[at + 1] ?? ''}\r\n` : []));
  return `${method} ${url} HTTP/1.1\r\n${headers.join('')}\r\n`;
}

/** Omits the long response to a configuration, which the adapter ignores. */
function bodyOf(body: Buffer, method: string, path: string): { readonly body?: unknown } {
  if (body.length === 0 || method === 'PUT') return {};
  const parsed: unknown = JSON.parse(body.toString('utf8'));
  if (path !== '/ari/asterisk/info') return { body: slim(parsed) };
  const { system, status } = parsed as { system: Record<string, unknown>; status: Record<string, unknown> };
  const { version, entity_id } = system;
  return { body: { system: { version, entity_id }, status: { startup_time: status.startup_time } } };
}

/** Removes values that every event repeats about the recording machine. */
function slim(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (name, member: unknown) => (name === 'asterisk_id' ? undefined : member)));
}
