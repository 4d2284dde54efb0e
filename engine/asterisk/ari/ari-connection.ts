import type { Client } from 'ari-client';
import type { LinkListener } from '../../common/supervised-link.js';
import type { AriEvent } from './ari-types.js';

/**
 * Wraps ari-client. It is used to read the API description and to open the event websocket. The wrapper avoids the
 * behaviour that would crash the process or lose calls:
 *
 * - ari-client throws a *string* from a callback, which no caller can catch, if Asterisk refuses the password or dies
 *   while the API description is read: see {@link guarded};
 * - it gives up after ten reconnects, without jitter: `supervised-link.ts` reconnects instead, with the same client;
 * - its message handler throws on unknown event types, and creates objects with listeners for every event that are
 *   never removed: messages are parsed here instead;
 * - its description reader prints a notice to standard output, which carries the log;
 * - its description reader keeps credentials in one registry per process: clients are created one after another;
 * - it takes long to load: a process without an Asterisk does not load it.
 */

interface WebSocketLike {
  on(event: 'open' | 'pong', listener: () => void): void;
  on(event: 'close', listener: (code: number) => void): void;
  on(event: 'error', listener: (error: Error) => void): void;
  on(event: 'message', listener: (data: unknown) => void): void;
  removeAllListeners(event: string): void;
  ping(): void;
  close(): void;
  terminate(): void;
}

/** Members of ari-client's Client that its type declarations omit. */
interface ClientInternals {
  _ws: WebSocketLike;
  /** "Closed on purpose": ari-client does not reconnect. */
  _wsClosed: boolean;
}

export interface AriConnectionOptions {
  readonly url: string;
  readonly username: string;
  readonly password: string;
  readonly timeoutMs: number;
}

/** An open event websocket. */
export interface AriSocket {
  /** Resolves when Asterisk replies. */
  ping(): Promise<void>;
  /** Closes at once; `onClosed` follows with this reason. */
  close(reason: string): void;
}

let lastOpening: Promise<unknown> = Promise.resolve();

export class AriConnection {
  readonly #options: AriConnectionOptions;
  #client: Client | undefined;

  constructor(options: AriConnectionOptions) {
    this.#options = options;
  }

  /**
   * Opens the event websocket for the applications. The caller must have checked the password (ari-client throws on a
   * wrong one). Rejects with an Error if the websocket does not open within the timeout.
   */
  async open(apps: readonly string[], listener: LinkListener<AriEvent>): Promise<AriSocket> {
    this.#client ??= await this.#makeClient();
    return openSocket(this.#client, apps, listener, this.#options.timeoutMs);
  }

  async #makeClient(): Promise<Client> {
    const { url, username, password, timeoutMs } = this.#options;
    const { connect } = await import('ari-client');
    const opening = lastOpening.then(() => guarded(() => connect(url, username, password), timeoutMs));
    lastOpening = opening.catch(() => undefined);
    return opening;
  }
}

function openSocket(client: Client, apps: readonly string[], listener: LinkListener<AriEvent>, timeoutMs: number) {
  // This promise never settles if the socket fails, because `_wsClosed` below disables ari-client's own handling.
  void client.start([...apps]);
  const internals = client as unknown as ClientInternals;
  internals._wsClosed = true;
  const socket = internals._ws;
  socket.removeAllListeners('message');
  return new Promise<AriSocket>((resolve, reject) => {
    let opened = false;
    let failure = 'closed';
    const timer = setTimeout(() => {
      failure = `no websocket within ${timeoutMs} ms`;
      socket.terminate();
    }, timeoutMs);
    socket.on('open', () => {
      clearTimeout(timer);
      opened = true;
      resolve({
        ping: () => ping(socket),
        close: (reason) => {
          failure = reason;
          socket.terminate();
        },
      });
    });
    socket.on('error', (error) => {
      failure = error.message;
    });
    socket.on('close', (code) => {
      clearTimeout(timer);
      const reason = `Event websocket: ${failure} (${code})`;
      if (opened) listener.onClosed(reason);
      else reject(new Error(reason));
    });
    socket.on('message', (data) => {
      const event = eventOf(data);
      if (event) listener.onEvent(event);
    });
  });
}

/** Drops messages that are not ARI events, so that a malformed one does not break the connection. */
function eventOf(data: unknown): AriEvent | undefined {
  try {
    const event: unknown = JSON.parse(String(data));
    return typeof event === 'object' && event !== null && 'type' in event ? (event as AriEvent) : undefined;
  } catch {
    return undefined;
  }
}

function ping(socket: WebSocketLike): Promise<void> {
  return new Promise((resolve) => {
    socket.removeAllListeners('pong');
    socket.on('pong', resolve);
    socket.ping();
  });
}

/** Attempts whose description reader may still throw, possibly long after they timed out. */
const reading = new Set<(error: Error) => void>();
let capturing = false;

/**
 * Runs ari-client's connect with a time limit, and turns exceptions from the callbacks of its description reader into
 * a rejection. Unrelated exceptions in the same period are rethrown in the next turn of the event loop.
 */
function guarded(run: () => Promise<Client>, timeoutMs: number): Promise<Client> {
  const restoreOutput = dropReaderNotice();
  return new Promise<Client>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`no API description within ${timeoutMs} ms`)), timeoutMs);
    reading.add(reject);
    capture();
    run()
      .then(resolve, (reason: unknown) => reject(reason instanceof Error ? reason : new Error(String(reason))))
      // The reader rejects first and throws later: keep the guard until then.
      .then(() => new Promise((done) => setImmediate(done)))
      .finally(() => {
        clearTimeout(timer);
        reading.delete(reject);
        if (reading.size === 0) release();
      })
      .catch(() => undefined);
  }).finally(restoreOutput);
}

function capture(): void {
  if (capturing || process.hasUncaughtExceptionCaptureCallback()) return;
  capturing = true;
  process.setUncaughtExceptionCaptureCallback((thrown: unknown) => {
    if (isFromReader(thrown)) {
      for (const reject of reading) reject(new Error(String(thrown)));
    } else {
      release();
      setImmediate(rethrow, thrown);
    }
  });
}

function release(): void {
  if (capturing) process.setUncaughtExceptionCaptureCallback(null);
  capturing = false;
}

function isFromReader(thrown: unknown): boolean {
  return typeof thrown === 'string' || (thrown instanceof Error && /swagger-client|shred/.test(thrown.stack ?? ''));
}

function rethrow(thrown: unknown): never {
  throw thrown;
}

function dropReaderNotice(): () => void {
  const output = globalThis.console;
  const log = output.log.bind(output);
  output.log = (...words: unknown[]) => {
    if (!String(words[0]).includes('deprecated version of Swagger')) log(...words);
  };
  return () => {
    output.log = log;
  };
}
