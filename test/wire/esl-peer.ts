import { createServer, type Server, type Socket } from 'node:net';
import { Framer, isReply, textOf, type EslSaid, type EslTranscript } from './esl-lines.js';
import { listenLocally } from './local-server.js';
import { inPieces, isAsked, Script, type PeerOptions } from './script.js';
import type { Asked } from './transcript.js';

/** Plays FreeSWITCH's part of a transcript to an adapter. */
export class EslPeer {
  readonly #server: Server;
  #port = 0;
  readonly #sockets = new Set<Socket>();
  readonly #scripts = new Set<Script<EslSaid, Socket>>();
  /** Received commands that were not recorded. */
  readonly surprises: string[] = [];
  #broken = false;

  private constructor(
    private readonly transcript: EslTranscript,
    private readonly options: PeerOptions<EslSaid>,
  ) {
    this.#server = createServer((socket) => {
      this.#sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        this.#sockets.delete(socket);
        this.#broken = true;
      });
      if (this.#broken) this.#playEmpty(socket);
      else this.#play(socket);
    });
  }

  static async start(transcript: EslTranscript, options: PeerOptions<EslSaid> = {}): Promise<EslPeer> {
    const peer = new EslPeer(transcript, options);
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
    for (const script of this.#scripts) script.stop();
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Keeps listening, but no longer answers. */
  fallSilent(): void {
    for (const socket of this.#sockets) {
      socket.removeAllListeners('data');
      socket.resume();
    }
  }

  /** Sends bytes that were not recorded to all connections. */
  say(bytes: Buffer | string): void {
    for (const socket of this.#sockets) socket.write(bytes);
  }

  #play(socket: Socket): void {
    const bytesOf = (said: EslSaid): Buffer => {
      const body = script.current(said.body);
      const head = script.current(said.head);
      const length = `Content-Length: ${Buffer.byteLength(body)}`;
      return Buffer.from(`${head.replace(/^Content-Length: \d+$/m, length)}\n\n${body}`);
    };
    const script = new Script<EslSaid, Socket>(this.transcript, this.options, commandOf, {
      say: (said) => inPieces(bytesOf(said), this.options.pieceBytes, (piece) => socket.write(piece)),
      breakAt: (point, said) => {
        const bytes = bytesOf(said);
        socket.write(bytes.subarray(0, point === 'within' ? bytes.length / 2 : 0), () => this.breakOff());
      },
      improvise: (command) => this.#improvise(socket, command),
    });
    this.#scripts.add(script);
    const framer = new Framer((text) => script.hear(textOf(text), socket));
    socket.on('data', (chunk) => framer.push(chunk));
    script.speak();
  }

  /** Answers like an empty FreeSWITCH. */
  #playEmpty(socket: Socket): void {
    const framer = new Framer((text) => this.#improvise(socket, text));
    socket.on('data', (chunk) => framer.push(chunk));
    socket.write('Content-Type: auth/request\n\n');
  }

  #improvise(socket: Socket, command: string): void {
    const [verb = '', ...words] = command.split('\n', 1).join('').split(' ');
    if (verb !== 'api') {
      const text = verb === 'auth' ? '+OK accepted' : '+OK';
      socket.write(`Content-Type: command/reply\nReply-Text: ${text}\n\n`);
      if (!['auth', 'event', 'filter'].includes(verb)) this.surprises.push(command);
      return;
    }
    const body = this.#improvised(words.join(' '));
    socket.write(`Content-Type: api/response\nContent-Length: ${Buffer.byteLength(body)}\n\n${body}`);
  }

  /** The adapter's mark appears in the task list at once. */
  #mark = '';

  #improvised(command: string): string {
    if (command.startsWith('sched_api')) this.#mark = command;
    if (command === 'global_getvar core_uuid') return this.#coreUuid();
    if (command === 'version') return 'FreeSWITCH Version 1.10.12-release~64bit ( 64bit)\n';
    if (command === 'show tasks as json') return JSON.stringify({ row_count: 1, rows: [{ task_group: this.#mark }] });
    if (command.startsWith('show ')) return '{"row_count":0}\n';
    if (command === 'global_getvar') return 'hostname=peer\n';
    if (command === 'conference json_list') return '[]';
    if (command.startsWith('acl ')) return 'true';
    if (command.startsWith('sched_') || command === 'reloadacl') return '+OK\n';
    this.surprises.push(command);
    return '-ERR No such channel!\n';
  }

  #coreUuid(): string {
    const { lines } = this.transcript;
    const asked = lines.findIndex((line) => isAsked(line) && line.text === 'api global_getvar core_uuid');
    const answer = [...commandOf(lines)].find(([, command]) => command === asked)?.[0];
    const said = answer === undefined ? undefined : lines[answer];
    return said && !isAsked(said) ? said.body : '00000000-0000-4000-8000-000000000000';
  }
}

/** Replies are matched to commands in order. */
function commandOf(lines: readonly (Asked | EslSaid)[]): ReadonlyMap<number, number> {
  const indexes = [...lines.entries()];
  const commands = indexes.flatMap(([at, line]) => (isAsked(line) ? at : []));
  const replies = indexes.flatMap(([at, line]) => (isReply(line) ? at : []));
  return new Map(
    replies.flatMap((at, place) => (commands[place] === undefined ? [] : [[at, commands[place]] as const])),
  );
}
