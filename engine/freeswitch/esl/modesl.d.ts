/** The part of modesl (drachtio-modesl 1.3) that Hatif uses; the package has no types of its own. */
declare module 'modesl' {
  import type { Socket } from 'node:net';

  export interface EslMessage {
    getHeader(name: string): unknown;
    getBody(): string;
  }

  export class Connection {
    /** Connects at once. */
    constructor(host: string, port: number, password: string);
    socket: Socket | null;
    /** True disables automatic reconnecting. */
    closing: boolean;
    on(event: 'error', listener: (error: Error) => void): this;
    on(event: string, listener: (message: EslMessage) => void): this;
    /** Queues the callback for the next `command/reply`; each header is written separately. */
    sendRecv(command: string, headers: Readonly<Record<string, string>>, callback: (reply: EslMessage) => void): void;
    /** Queues the callback for the next `api/response`. */
    api(command: string, args: string, callback: (reply: EslMessage) => void): void;
  }
}
