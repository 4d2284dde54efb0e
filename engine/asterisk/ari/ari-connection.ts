import { connect, type Client } from 'ari-client';
import type { LinkListener } from '../../common/supervised-link.js';
import type { AriEvent } from './ari-types.js';

/**
 * ari-client, tamed. It is used for what it does well, finding the interface and opening the event websocket, and kept
 * from what would bring the process down or lose calls:
 *
 * - a refused password, or an Asterisk that dies while its API description is read, is thrown as a *string* from a
 *   callback that nobody can catch: see {@link guarded};
 * - it gives up after ten reconnects, without jitter: reconnecting is ours (`supervised-link.ts`), with the same client;
 * - its message handler throws on an event type that it does not know, and builds objects with listeners for every
 *   event which nobody prunes: messages are read here instead, and handed on as plain events of the client;
 * - its description reader prints a notice on standard output, where the log is;
 * - the credentials of its description reader are one registry for the process: clients are made one after another.
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

/** The members of ari-client's Client that its types leave out. */
interface ClientInternals {
  _ws: WebSocketLike;
  /** "Closed on purpose": ari-client then leaves a closed socket alone. */
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
  /** Resolves when Asterisk answered. */
  ping(): Promise<void>;
  /** Close at once; `onClosed` follows, with this reason. */
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
   * Open the event websocket for the applications. The password must have been tried before (ari-client throws on a
   * wrong one); rejects with an Error when the websocket does not open in time.
   */
  async open(apps: readonly string[], listener: LinkListener<AriEvent>): Promise<AriSocket> {
    this.#client ??= await this.#makeClient();
    return openSocket(this.#client, apps, listener, this.#options.timeoutMs);
  }

  async #makeClient(): Promise<Client> {
    const { url, username, password, timeoutMs } = this.#options;
    const opening = lastOpening.then(() => guarded(() => connect(url, username, password), timeoutMs));
    lastOpening = opening.catch(() => undefined);
    return opening;
  }
}

function openSocket(client: Client, apps: readonly string[], listener: LinkListener<AriEvent>, timeoutMs: number) {
  // Its promise never settles when the socket fails, since the client is told below to leave failures to us.
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

/** A message that is no ARI event is dropped: a broken one must not take the others with it. */
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

/** The attempts whose description reader may still throw; one that was given up may do so much later. */
const reading = new Set<(error: Error) => void>();
let capturing = false;

/**
 * Run ari-client's connect with a time limit, and turn what its description reader throws from callbacks into the
 * rejection. Anything else that is thrown meanwhile goes its normal way a moment later.
 */
function guarded(run: () => Promise<Client>, timeoutMs: number): Promise<Client> {
  const restoreOutput = dropReaderNotice();
  return new Promise<Client>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`no API description within ${timeoutMs} ms`)), timeoutMs);
    reading.add(reject);
    capture();
    run()
      .then(resolve, (reason: unknown) => reject(reason instanceof Error ? reason : new Error(String(reason))))
      // The reader rejects first and throws after: the guard stays until that is over.
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
