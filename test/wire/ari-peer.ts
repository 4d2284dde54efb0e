import { createServer, STATUS_CODES, type IncomingMessage, type Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { text } from 'node:stream/consumers';
import { acceptOf, frame, FrameReader, textOf, type AriAnswer, type AriAsked, type AriSaid } from './ari-lines.js';
import { listenLocally } from './local-server.js';
import { inPieces, isAsked, Script, type PeerOptions } from './script.js';
import type { Asked, Transcript } from './transcript.js';

/** The minimal API description that ari-client needs to open the websocket. */
function description(path: string, host: string): object | undefined {
  const events = '/api-docs/events.{format}';
  const common = { swaggerVersion: '1.1', basePath: `http://${host}/ari` };
  if (path === '/ari/api-docs/resources.json') return { ...common, apis: [{ path: events }] };
  if (path === '/ari/api-docs/events.json') return { ...common, resourcePath: events, apis: [], models: {} };
  return undefined;
}

/** Plays Asterisk's part of a transcript to an adapter. */
export class AriPeer {
  readonly #server: Server;
  #port = 0;
  readonly #sockets = new Set<Socket>();
  readonly #script: Script<AriSaid, Socket>;
  #websocket: Duplex | undefined;
  /** Received messages that were not recorded. */
  readonly surprises: string[] = [];
  #broken = false;
  #silent = false;

  private constructor(
    private readonly transcript: Transcript<AriSaid>,
    private readonly options: PeerOptions<AriSaid>,
  ) {
    this.#script = new Script(transcript, options, commandOf, {
      say: (said, call) => {
        inPieces(this.#bytesOf(said), options.pieceBytes, (piece) => this.#wireOf(said, call)?.write(piece));
      },
      breakAt: (point, said, call) => {
        const bytes = this.#bytesOf(said);
        this.#wireOf(said, call)?.write(bytes.subarray(0, point === 'within' ? bytes.length / 2 : 0), () => {
          this.breakOff();
        });
      },
      improvise: (command, call) => {
        this.surprises.push(command);
        this.#improvise(command, call);
      },
    });
    this.#server = createServer((request) => void this.#hear(request));
    this.#server.on('connection', (socket) => {
      this.#sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => this.#sockets.delete(socket));
    });
    this.#server.on('upgrade', (request, socket) => this.#open(request, socket));
  }

  static async start(transcript: Transcript<AriSaid>, options: PeerOptions<AriSaid> = {}): Promise<AriPeer> {
    const peer = new AriPeer(transcript, options);
    peer.#port = await listenLocally(peer.#server);
    return peer;
  }

  get port(): number {
    return this.#port;
  }

  close(): void {
    this.breakOff();
    this.#server.close();
  }

  /** Breaks the connections; everything in the engine is lost. */
  breakOff(): void {
    this.#broken = true;
    this.#script.stop();
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Breaks only the websocket; everything in the engine is lost. */
  dropWebsocket(): void {
    this.#broken = true;
    this.#script.stop();
    this.#websocket?.destroy();
  }

  /** Keeps listening, but no longer answers. */
  fallSilent(): void {
    this.#silent = true;
  }

  /** Sends bytes that were not recorded over the websocket. */
  say(bytes: Buffer): void {
    this.#websocket?.write(bytes);
  }

  async #hear(request: IncomingMessage): Promise<void> {
    // Written to the socket directly, because the server's own responses cannot be sent in pieces.
    const { method = 'GET', url = '/', socket } = request;
    const described = description(url, request.headers.host ?? '');
    const command = textOf(method, url, await text(request));
    if (this.#silent) return;
    if (described) socket.write(answerBytes(200, JSON.stringify(described)));
    else if (this.#broken) this.#improvise(command, socket);
    else this.#script.hear(command, socket);
  }

  #open(request: IncomingMessage, socket: Duplex): void {
    if (this.#silent) return;
    const key = request.headers['sec-websocket-key'] ?? '';
    const head = ['HTTP/1.1 101 Switching Protocols', 'Upgrade: websocket', 'Connection: Upgrade'];
    socket.write(`${[...head, `Sec-WebSocket-Accept: ${acceptOf(key)}`].join('\r\n')}\r\n\r\n`);
    const reader = new FrameReader((kind, payload) => {
      if (kind === 'ping' && !this.#silent) socket.write(frame('pong', payload));
    });
    socket.on('data', (chunk: Buffer) => reader.push(chunk));
    socket.on('error', () => undefined);
    this.#websocket = socket;
  }

  #wireOf(said: AriSaid, call: Socket | undefined): Duplex | undefined {
    return 'event' in said ? this.#websocket : call;
  }

  #bytesOf(said: AriSaid): Buffer {
    if ('event' in said) return frame('text', Buffer.from(this.#script.current(JSON.stringify(said.event))));
    return answerBytes(said.status, said.body === undefined ? '' : this.#script.current(JSON.stringify(said.body)));
  }

  /** Answers like an empty Asterisk. */
  #improvise(command: string, call: Socket): void {
    const [method = '', path = ''] = command.split(' ');
    const nothing: Readonly<Record<string, unknown>> = {
      '/ari/asterisk/info': this.#info(),
      '/ari/channels': [],
      '/ari/bridges': [],
      '/ari/recordings/stored': [],
      '/ari/endpoints/PJSIP': [],
      '/ari/applications/hatif': { channel_ids: [], endpoint_ids: [] },
      '/ari/applications/hatif-registrations': { channel_ids: [], endpoint_ids: [] },
    };
    const say = (status: number, body: unknown): boolean => call.write(answerBytes(status, JSON.stringify(body)));
    if (method === 'GET' && path in nothing) say(200, nothing[path]);
    else if (method === 'PUT' || path.startsWith('/ari/applications/')) say(200, {});
    else say(404, { message: 'Not found' });
  }

  #info(): unknown {
    const { lines } = this.transcript;
    const asked = lines.findIndex((line) => isAsked(line) && line.text === 'GET /ari/asterisk/info');
    const said = [...commandOf(lines)].find(([, command]) => command === asked)?.[0];
    const line = said === undefined ? undefined : lines[said];
    return line && 'body' in line ? line.body : null;
  }
}

function commandOf(lines: readonly (Asked | AriSaid)[]): ReadonlyMap<number, number> {
  const requestOf = (line: Asked | AriSaid): number | undefined => (line as Partial<AriAsked | AriAnswer>).request;
  const commands = new Map(lines.flatMap((line, at) => (isAsked(line) ? [[requestOf(line), at] as const] : [])));
  return new Map(
    lines.flatMap((line, at) => {
      const asked = isAsked(line) ? undefined : requestOf(line);
      const command = asked === undefined ? undefined : commands.get(asked);
      return command === undefined ? [] : [[at, command] as const];
    }),
  );
}

/** As bytes, because they may be sent in pieces or partly. */
function answerBytes(status: number, body: string): Buffer {
  const reason = STATUS_CODES[status] ?? '';
  const length = status === 204 ? '' : `Content-Length: ${Buffer.byteLength(body)}\r\n`;
  return Buffer.from(`HTTP/1.1 ${status} ${reason}\r\nContent-Type: application/json\r\n${length}\r\n${body}`);
}
