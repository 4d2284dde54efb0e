import { createServer, type Server, type Socket } from 'node:net';
import { commandOf, frameOf, Framer, idOf, type DrachtioSaid, type DrachtioTranscript } from './drachtio-lines.js';
import { listenLocally } from './local-server.js';
import { inPieces, Script, type PeerOptions } from './script.js';
import type { Asked } from './transcript.js';

/** Plays drachtio-server's part of a transcript to an application. */
export class DrachtioPeer {
  readonly #server: Server;
  #port = 0;
  readonly #sockets = new Set<Socket>();
  /** Received messages that were not recorded. */
  readonly surprises: string[] = [];
  /** How often the application connected. */
  connections = 0;
  #script: Script<DrachtioSaid, Socket> | null = null;
  #broken = false;

  private constructor(
    private readonly transcript: DrachtioTranscript,
    private readonly options: PeerOptions<DrachtioSaid>,
  ) {
    this.#server = createServer((socket) => {
      this.#sockets.add(socket);
      this.connections += 1;
      socket.on('error', () => undefined);
      socket.on('close', () => this.#sockets.delete(socket));
      const hear = this.#broken ? (text: string): void => this.#accept(socket, text) : this.#play(socket);
      const framer = new Framer(hear);
      socket.on('data', (chunk) => framer.push(chunk));
    });
  }

  static async start(transcript: DrachtioTranscript, options: PeerOptions<DrachtioSaid> = {}): Promise<DrachtioPeer> {
    const peer = new DrachtioPeer(transcript, options);
    peer.#port = await listenLocally(peer.#server);
    return peer;
  }

  get port(): number {
    return this.#port;
  }

  /** Sends bytes that were not recorded. */
  say(bytes: Buffer): void {
    for (const socket of this.#sockets) socket.write(bytes);
  }

  /** Whether no application is connected any more. */
  get isLeft(): boolean {
    return this.connections > 0 && this.#sockets.size === 0;
  }

  /** What is to come next of the transcript; undefined at its end. */
  get next(): Asked | DrachtioSaid | undefined {
    return this.#script?.next;
  }

  close(): void {
    this.#breakOff();
    this.#server.close();
  }

  #breakOff(): void {
    this.#broken = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  /** @returns what takes the application's messages */
  #play(socket: Socket): (text: string) => void {
    const { pieceBytes } = this.options;
    const bytesOf = ({ text }: DrachtioSaid): Buffer => frameOf(script.current(text));
    const script = new Script<DrachtioSaid, Socket>(this.transcript, this.options, commandOf, {
      say(said) {
        if (pieceBytes === undefined) {
          // Messages between two of the application arrive at once: the application has no time between them.
          socket.cork();
          process.nextTick(() => socket.uncork());
        }
        inPieces(bytesOf(said), pieceBytes, (piece) => socket.write(piece));
      },
      breakAt: (point, said) => {
        const bytes = bytesOf(said);
        socket.write(bytes.subarray(0, point === 'within' ? bytes.length / 2 : 0), () => this.#breakOff());
      },
      improvise: (text) => void this.surprises.push(text),
    });
    this.#script = script;
    script.speak();
    return (text) => script.hear(text, socket);
  }

  /** Lets the application in, as after a restart. */
  #accept(socket: Socket, text: string): void {
    const [, what = ''] = text.split('|');
    const isKnown = what === 'authenticate' || what === 'route';
    if (!isKnown) this.surprises.push(text);
    const result = what === 'authenticate' ? 'OK|udp/127.0.0.1:5060|v0.9.0' : 'OK';
    socket.write(frameOf(`00000000-0000-4000-8000-000000000000|response|${idOf(text)}|${result}`));
  }
}
