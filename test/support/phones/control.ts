import { connect, type Socket } from 'node:net';

export interface ControlEvent {
  readonly type: string;
  /** The phone's own id of the call. */
  readonly id?: string;
  readonly direction?: 'incoming' | 'outgoing';
  readonly peeruri?: string;
  readonly peerdisplayname?: string;
  readonly param?: string;
  /** The audio direction that the remote side offered; `recvonly` or `inactive` after it was put on hold. */
  readonly remoteaudiodir?: 'sendrecv' | 'sendonly' | 'recvonly' | 'inactive';
}

interface Reply {
  readonly response: true;
  readonly ok: boolean;
  readonly data: string;
  readonly token: string;
}

/** baresip's control port (module ctrl_tcp): JSON in netstrings, replies matched by token, events in between. */
export class Control {
  private buffer = Buffer.alloc(0);
  private next = 1;
  private readonly waiting = new Map<string, { resolve: (data: string) => void; reject: (error: Error) => void }>();

  private constructor(
    private readonly socket: Socket,
    private readonly onEvent: (event: ControlEvent) => void,
    onClosed: () => void,
  ) {
    socket.setNoDelay(true);
    socket.on('data', (chunk) => this.read(chunk));
    socket.on('error', () => undefined);
    socket.once('close', () => {
      onClosed();
      for (const { reject } of this.waiting.values()) reject(new Error('The phone closed its control port'));
      this.waiting.clear();
    });
  }

  static open(port: number, onEvent: (event: ControlEvent) => void, onClosed: () => void): Promise<Control> {
    return new Promise((resolve, reject) => {
      const socket = connect(port, '127.0.0.1');
      socket.once('error', reject);
      socket.once('connect', () => {
        socket.off('error', reject);
        resolve(new Control(socket, onEvent, onClosed));
      });
    });
  }

  /** @returns the phone's output @throws if the phone refuses the command */
  command(command: string, params?: string): Promise<string> {
    if (this.socket.destroyed) return Promise.reject(new Error(`${command}: the phone is gone`));
    const token = String(this.next++);
    const body = JSON.stringify({ command, ...(params === undefined ? {} : { params }), token });
    return new Promise((resolve, reject) => {
      this.waiting.set(token, { resolve, reject: (error) => reject(new Error(`${command}: ${error.message}`)) });
      this.socket.write(`${Buffer.byteLength(body)}:${body},`);
    });
  }

  close(): void {
    this.socket.destroy();
  }

  private read(chunk: Buffer): void {
    this.buffer = Buffer.concat([this.buffer, chunk]);
    for (;;) {
      const colon = this.buffer.indexOf(':');
      if (colon < 0) return;
      const end = colon + 1 + Number(this.buffer.toString('latin1', 0, colon));
      if (this.buffer.length < end + 1) return;
      const message = this.buffer.toString('utf8', colon + 1, end);
      this.buffer = this.buffer.subarray(end + 1);
      this.handle(JSON.parse(message) as Reply | ControlEvent);
    }
  }

  private handle(message: Reply | ControlEvent): void {
    if (!('response' in message)) {
      this.onEvent(message);
      return;
    }
    const waiting = this.waiting.get(message.token);
    this.waiting.delete(message.token);
    if (message.ok) waiting?.resolve(message.data);
    else waiting?.reject(new Error(message.data.trim()));
  }
}
