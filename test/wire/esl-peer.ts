import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { Framer, type Line, type Transcript } from './transcript.js';

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

type Message = Extract<Line, { from: 'freeswitch' }>;

export interface PeerOptions {
  /** Each write has so many bytes at most. */
  readonly pieceBytes?: number;
  /** False: FreeSWITCH never says it. */
  readonly keeps?: (message: Message) => boolean;
  /** What is said instead. */
  readonly changes?: (message: Message) => Message;
  /** The connection is broken when this would be said. Whoever connects after one was broken meets an empty FreeSWITCH. */
  readonly breaksAt?: (message: Message) => boolean;
  /** What is said to a command in place of what was recorded; undefined leaves it. */
  readonly answers?: (command: string) => Message | undefined;
}

/** Plays FreeSWITCH's part of a transcript to an adapter, which may choose other ids than it did then. */
export class EslPeer {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  /** Recorded ids by those of now, and the other way. */
  readonly #then = new Map<string, string>();
  readonly #now = new Map<string, string>();
  /** What came that was not recorded. */
  readonly surprises: string[] = [];
  #broken = false;

  private constructor(
    private readonly transcript: Transcript,
    private readonly options: PeerOptions,
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

  static async start(transcript: Transcript, options: PeerOptions = {}): Promise<EslPeer> {
    const peer = new EslPeer(transcript, options);
    await new Promise<void>((resolve) => peer.#server.listen(0, '127.0.0.1', resolve));
    return peer;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
  }

  /** Goes on listening, and answers nothing any more. */
  fallSilent(): void {
    for (const socket of this.#sockets) {
      socket.removeAllListeners('data');
      socket.resume();
    }
  }

  /** Says something that was not recorded, to all who are connected. */
  say(bytes: Buffer | string): void {
    for (const socket of this.#sockets) socket.write(bytes);
  }

  #play(socket: Socket): void {
    let at = 0;
    const waiting: string[] = [];
    /** Everything up to the next command of the adapter. */
    const speak = (): void => {
      for (;;) {
        const line = this.transcript.lines[at];
        if (line?.from !== 'freeswitch') break;
        at += 1;
        if (!this.#say(socket, line)) return;
      }
      listen();
    };
    const listen = (): void => {
      const line = this.transcript.lines[at];
      if (line?.from !== 'engine') {
        for (const command of waiting.splice(0)) this.#improvise(socket, command);
        return;
      }
      const place = waiting.findIndex((command) => this.#isSame(line.text, command));
      if (place < 0) return;
      const [command = ''] = waiting.splice(place, 1);
      at += 1;
      const instead = this.options.answers?.(command);
      if (instead && this.transcript.lines[at]?.from === 'freeswitch') {
        at += 1;
        this.#say(socket, instead);
      }
      speak();
    };
    const framer = new Framer((text) => {
      if (this.#isToCome(at, text)) waiting.push(text);
      else this.#improvise(socket, text);
      listen();
    });
    socket.on('data', (chunk) => framer.push(chunk));
    speak();
  }

  #isToCome(at: number, text: string): boolean {
    const shape = text.replaceAll(UUID, '');
    return this.transcript.lines
      .slice(at)
      .some((line) => line.from === 'engine' && line.text.replaceAll(UUID, '') === shape);
  }

  /** The same but for ids; which are the same from then on. */
  #isSame(recorded: string, command: string): boolean {
    const [then, now] = [recorded.match(UUID) ?? [], command.match(UUID) ?? []];
    if (recorded.replaceAll(UUID, '') !== command.replaceAll(UUID, '') || then.length !== now.length) return false;
    const isKnown = (id: string, index: number): boolean => {
      const current = now[index] ?? '';
      return (this.#now.get(id) ?? current) === current && (this.#then.get(current) ?? id) === id;
    };
    if (!then.every(isKnown)) return false;
    for (const [index, id] of then.entries()) {
      this.#now.set(id, now[index] ?? '');
      this.#then.set(now[index] ?? '', id);
    }
    return true;
  }

  /** @returns whether the connection goes on. */
  #say(socket: Socket, recorded: Message): boolean {
    const message = this.options.changes?.(recorded) ?? recorded;
    if (this.options.breaksAt?.(message) === true) {
      this.#broken = true;
      socket.destroy();
      return false;
    }
    if (this.options.keeps?.(message) === false) return true;
    const current = (text: string): string => text.replaceAll(UUID, (id) => this.#now.get(id) ?? id);
    const body = current(message.body);
    const head = current(message.head).replace(/^Content-Length: \d+$/m, `Content-Length: ${Buffer.byteLength(body)}`);
    const bytes = Buffer.from(`${head}\n\n${body}`);
    const { pieceBytes = bytes.length } = this.options;
    for (let from = 0; from < bytes.length; from += pieceBytes) socket.write(bytes.subarray(from, from + pieceBytes));
    return true;
  }

  /** A FreeSWITCH on which there is nothing. */
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
      if (!['auth', 'event'].includes(verb)) this.surprises.push(command);
      return;
    }
    const body = this.#improvised(words.join(' '));
    socket.write(`Content-Type: api/response\nContent-Length: ${Buffer.byteLength(body)}\n\n${body}`);
  }

  /** The mark that an adapter sets is seen at once. */
  #mark = '';

  #improvised(command: string): string {
    if (command.startsWith('sched_api')) this.#mark = command;
    if (command === 'global_getvar core_uuid') return this.#coreUuid();
    if (command === 'version') return 'FreeSWITCH Version 1.10.12-release~64bit ( 64bit)\n';
    if (command === 'show tasks as json') return JSON.stringify({ row_count: 1, rows: [{ task_group: this.#mark }] });
    if (command.startsWith('show ')) return '{"row_count":0}\n';
    if (command === 'global_getvar') return 'hostname=peer\n';
    if (command === 'conference json_list') return '[]';
    if (command.startsWith('sched_') || command === 'reloadacl') return '+OK\n';
    this.surprises.push(command);
    return '-ERR No such channel!\n';
  }

  #coreUuid(): string {
    for (const [at, line] of this.transcript.lines.entries()) {
      const answer = this.transcript.lines[at + 1];
      if (line.from === 'engine' && line.text === 'api global_getvar core_uuid' && answer?.from === 'freeswitch') {
        return answer.body;
      }
    }
    return '00000000-0000-4000-8000-000000000000';
  }
}
