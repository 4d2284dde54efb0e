import type { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import Srf from 'drachtio-srf';

/**
 * The part of drachtio-srf 5 that the edge uses, with its real types: those of the package lack `reconnect`, the
 * headers of a proxied request, the agent and more, and contradict the code in other places. No other file imports the
 * package.
 */

type Fields = Record<string, string>;

export interface SrfMessage {
  readonly raw: string;
  readonly body: string | undefined;
  readonly source_address: string;
  readonly source_port: number;
  readonly protocol: string;
  /** Of drachtio-server, as `host:port`. */
  readonly receivedOn?: string;
  get(name: string): string | undefined;
  has(name: string): boolean;
}

export interface SrfRequest extends SrfMessage {
  readonly method: string;
  readonly uri: string;
  readonly socket: Socket;
  readonly callingNumber: string;
  readonly callingName: string;
  /** When drachtio-server received it: the time of day in UTC. */
  readonly stackTime: string;
  readonly agent: { readonly mapServer: Map<Socket, { readonly pendingNetworkInvites: Map<string, unknown> }> };
  proxy(options: {
    readonly destination: string[];
    readonly forking: 'simultaneous';
    readonly remainInDialog: boolean;
    readonly provisionalTimeout: string;
    readonly headers: Fields;
  }): Promise<unknown>;
  cancel(callback: () => void): void;
  on(event: 'cancel', listener: () => void): void;
  on(event: 'response', listener: (response: SrfReceived) => void): void;
}

/** A response that was received. */
export interface SrfReceived extends SrfMessage {
  readonly status: number;
  readonly reason: string;
}

/** A response that can be sent. */
export interface SrfResponse {
  readonly finalResponseSent: boolean;
  send(
    status: number,
    reason: string | undefined,
    options: { readonly headers?: Fields; readonly body?: string },
  ): void;
}

type InDialog = (request: SrfRequest, response: SrfResponse) => void;

export interface SrfDialog {
  readonly remote: { readonly sdp: string };
  /** True: keeps what the other side sends until it is set to false. */
  queueRequests: boolean;
  /** Changes of the session take turns. */
  readonly _reinvitesInProgress: { count: number; readonly admitOne: (() => void)[] };
  destroy(): Promise<unknown>;
  modify(sdp: string): Promise<string>;
  request(options: {
    readonly method: string;
    readonly headers: Fields;
    readonly body?: string;
  }): Promise<SrfReceived | undefined>;
  on(event: 'destroy', listener: () => void): this;
  on(event: 'modify' | 'info' | 'refer' | 'notify', listener: InDialog): this;
}

/** Called before the next message is read, so that listeners miss nothing; a promise would resolve after it. */
type OnDialog = (error: Error | null, dialog?: SrfDialog) => void;

export interface SrfClient extends EventEmitter {
  connect(options: {
    readonly host: string;
    readonly port: number;
    readonly secret: string;
    readonly reconnect: { readonly retryMaxDelay: number };
    readonly enablePing: boolean;
  }): void;
  disconnect(): void;
  readonly app: {
    readonly client?: { readonly wp: { closing: boolean }; readonly mapServer: ReadonlyMap<Socket, unknown> };
  };
  use(handler: (request: SrfRequest, response: SrfResponse, next: () => void) => void): void;
  use(method: string, handler: (request: SrfRequest, response: SrfResponse) => void): void;
  request(
    options: {
      readonly uri: string;
      readonly proxy?: string;
      readonly method: string;
      readonly headers: Fields;
      readonly body?: string;
    },
    callback: (error: Error | null, sent: SrfRequest | undefined) => void,
  ): void;
  createUAC(
    options: {
      readonly uri: string;
      readonly headers: Fields;
      readonly localSdp: string;
      readonly callingNumber: string;
      readonly callingName: string;
      readonly _socket: Socket;
      readonly proxy?: string;
    },
    progress: {
      readonly cbRequest: (error: unknown, sent?: SrfRequest) => void;
      readonly cbProvisional: (response: SrfReceived) => void;
    },
    callback: OnDialog,
  ): unknown;
  createUAS(
    request: SrfRequest,
    response: SrfResponse,
    options: { readonly localSdp: string; readonly headers: Fields },
    callback: OnDialog,
  ): unknown;
}

export function newClient(): SrfClient {
  return new (Srf as unknown as new () => SrfClient)();
}

/** The status of a failed INVITE; null for a failure without a response. */
export function statusOf(error: unknown): number | null {
  const status = (error as { readonly status?: unknown } | null)?.status;
  return typeof status === 'number' ? status : null;
}

/** Opens a dialog. @param onOpen is called before the next message is read */
export function opened(open: (callback: OnDialog) => unknown, onOpen: (dialog: SrfDialog) => void): Promise<SrfDialog> {
  return new Promise((resolve, reject) => {
    open((error, dialog) => {
      if (dialog === undefined) {
        reject(error ?? new Error('drachtio-srf made no dialog'));
        return;
      }
      onOpen(dialog);
      resolve(dialog);
    });
  });
}

/**
 * Offers the other side another session. @returns its answer. @throws with the status of its refusal: afterwards the
 * library itself would let no further change take its turn.
 */
export async function modified(dialog: SrfDialog, sdp: string): Promise<string> {
  try {
    return await dialog.modify(sdp);
  } catch (error) {
    if (statusOf(error) !== null) {
      const line = dialog._reinvitesInProgress;
      line.count -= 1;
      const next = line.admitOne.shift();
      if (next) setImmediate(next);
    }
    throw error;
  }
}

/** Ends the connection. The library forgets the beginning of a message that is arriving, and would throw at its rest. */
export function disconnect(client: SrfClient): void {
  const sockets = [...(client.app.client?.mapServer.keys() ?? [])];
  client.disconnect();
  for (const socket of sockets) socket.removeAllListeners('data').resume();
}

/**
 * Sends what is written within a turn of the event loop together: the library writes each message by itself, which takes
 * as long as everything else about it. For the connection that was just made.
 */
export function gatherWrites(client: SrfClient): void {
  for (const socket of client.app.client?.mapServer.keys() ?? []) {
    const write: (...parts: Parameters<Socket['write']>) => boolean = socket.write.bind(socket);
    let isGathering = false;
    const gathered: typeof write = (...parts) => {
      if (!isGathering) {
        isGathering = true;
        socket.cork();
        setImmediate(() => {
          isGathering = false;
          socket.uncork();
        });
      }
      return write(...parts);
    };
    Object.assign(socket, { write: gathered });
  }
}
