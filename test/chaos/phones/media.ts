import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Tones } from './tones.js';

/** What was heard from one moment to another; what lies between two segments was no audio at all. */
export interface Segment {
  /** Milliseconds since the epoch. */
  readonly from: number;
  to: number;
  /** The tone that was expected, nothing loud, or anything else that is loud (music, speech). */
  readonly kind: 'tone' | 'silence' | 'sound';
}

export type MediaRequest =
  | { readonly op: 'open'; readonly id: number; readonly sendHz: number; readonly expectHz: number }
  | { readonly op: 'connect'; readonly id: number; readonly host: string; readonly port: number }
  | { readonly op: 'close'; readonly id: number };

export type MediaReply =
  | { readonly op: 'opened'; readonly id: number; readonly port: number }
  /** The expected tone arrived for the first time. */
  | { readonly op: 'heard'; readonly id: number; readonly at: number }
  | { readonly op: 'closed'; readonly id: number; readonly segments: readonly Segment[] }
  /** The sender itself was late by so much: audio that was missing then is not the engine's fault. */
  | { readonly op: 'late'; readonly at: number; readonly ms: number };

/**
 * The phones' audio, in a process of its own that does nothing else: each phone sends a steady tone as G.711 A-law every 20 ms, and what
 * arrives is sorted into the other's tone, silence and anything else.
 */
export class Media {
  /** When this side was late itself, and by how much. */
  readonly lateness: { readonly at: number; readonly ms: number }[] = [];
  readonly #streams = new Map<number, Stream>();
  #next = 1;

  private constructor(private readonly child: ChildProcess) {
    child.on('message', (reply: MediaReply) => {
      if (reply.op === 'late') this.lateness.push(reply);
      else this.#streams.get(reply.id)?.receive(reply);
    });
    process.once('exit', () => child.kill('SIGKILL'));
  }

  static async start(): Promise<Media> {
    const child = fork(fileURLToPath(new URL('media-process.ts', import.meta.url)), {
      execArgv: ['--import', 'tsx'],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    await once(child, 'message');
    return new Media(child);
  }

  /** A port with a tone of its own; the tone goes out once it is connected. */
  async open({ sendHz, expectHz }: Tones): Promise<Stream> {
    const id = this.#next++;
    const stream = new Stream(id, (request) => this.child.send(request));
    this.#streams.set(id, stream);
    this.child.send({ op: 'open', id, sendHz, expectHz } satisfies MediaRequest);
    await stream.opened;
    return stream;
  }

  async close(): Promise<void> {
    const gone = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await gone;
  }
}

/** One phone's audio in one call. */
export class Stream {
  port = 0;
  segments: readonly Segment[] = [];
  /** When the expected tone arrived first; null while it has not. */
  heardAt: number | null = null;
  readonly opened: Promise<void>;
  readonly heard: Promise<void>;
  #resolveOpened: () => void = () => undefined;
  #resolveHeard: () => void = () => undefined;
  #resolveClosed: () => void = () => undefined;
  readonly #closed: Promise<void>;
  #closing = false;

  constructor(
    private readonly id: number,
    private readonly send: (request: MediaRequest) => void,
  ) {
    this.opened = new Promise((resolve) => (this.#resolveOpened = resolve));
    this.heard = new Promise((resolve) => (this.#resolveHeard = resolve));
    this.#closed = new Promise((resolve) => (this.#resolveClosed = resolve));
  }

  connect({ host, port }: { readonly host: string; readonly port: number }): void {
    this.send({ op: 'connect', id: this.id, host, port });
  }

  /** Ends it; resolves when what was heard is known. */
  close(): Promise<void> {
    if (!this.#closing) this.send({ op: 'close', id: this.id });
    this.#closing = true;
    return this.#closed;
  }

  receive(reply: Exclude<MediaReply, { op: 'late' }>): void {
    if (reply.op === 'opened') {
      this.port = reply.port;
      this.#resolveOpened();
    } else if (reply.op === 'heard') {
      this.heardAt = reply.at;
      this.#resolveHeard();
    } else {
      this.segments = reply.segments;
      this.#resolveClosed();
    }
  }
}
