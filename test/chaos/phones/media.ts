import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Tones } from './tones.js';

/** A span of received audio. Between two segments no audio arrived. */
export interface Segment {
  /** Milliseconds since the epoch. */
  readonly from: number;
  to: number;
  /** `tone`: the expected tone; `sound`: other audio, such as music or speech. */
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
  /** The sender itself was late by this time: audio that was missing then is not the engine's fault. */
  | { readonly op: 'late'; readonly at: number; readonly ms: number };

/**
 * The phones' audio, in a process that does nothing else. Each phone sends a steady tone as G.711 A-law every 20 ms;
 * received audio is classified as the expected tone, silence or other sound.
 */
export class Media {
  /** The times at which this side was late, and by how much. */
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

  /** Opens a port that sends its tone once it is connected. */
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
  /** When the expected tone first arrived; null if it did not. */
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

  /** Closes the port; resolves when {@link segments} is complete. */
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
