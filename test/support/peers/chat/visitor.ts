import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { WebSocket, type RawData } from 'ws';
import type { PageFrame, ShownMessage } from '../../../../api/web-socket/chat-frames.js';
import { CHAT_SOCKET_PATH } from '../../../../api/routes/widgets/chat-socket.js';
import { PAGE } from '../../api.js';
import { eventually } from '../../eventually.js';

type Frame<T extends PageFrame['type']> = Extract<PageFrame, { type: T }>;

/** A page of a visitor who chats, which confirms what it gets only if the test does so. */
export class VisitorPage {
  readonly frames: PageFrame[] = [];
  /** The code of the close; null while it is open. */
  closed: number | null = null;

  private constructor(private readonly socket: WebSocket) {
    socket.on('message', (data: RawData) => this.frames.push(JSON.parse((data as Buffer).toString()) as PageFrame));
    socket.on('close', (code) => (this.closed = code));
    socket.on('error', () => undefined);
  }

  /** Connects without a word. */
  static async connect(url: string, key: string, origin = PAGE): Promise<VisitorPage> {
    const page = new VisitorPage(socketOf(url, key, origin));
    await once(page.socket, 'open');
    return page;
  }

  /** Connects, and opens the chat of the token. */
  static async open(url: string, key: string, token: string, origin = PAGE): Promise<VisitorPage> {
    const page = await VisitorPage.connect(url, key, origin);
    page.send({ type: 'hello', token });
    await page.first('welcome');
    return page;
  }

  /** The status and code with which the connection is refused. */
  static async refusal(url: string, key: string, origin: string | null = PAGE): Promise<string> {
    const socket = socketOf(url, key, origin);
    socket.on('error', () => undefined);
    const [, response] = (await once(socket, 'unexpected-response')) as [unknown, IncomingMessage];
    let text = '';
    for await (const part of response) text += String(part);
    return `${response.statusCode ?? 0} ${(JSON.parse(text) as { error_code: string }).error_code}`;
  }

  send(frame: object | string): void {
    this.socket.send(typeof frame === 'string' ? frame : JSON.stringify(frame));
  }

  /** Writes a message, and waits until it is stored. @returns its id */
  async write(text: string, id = `m-${Math.random().toString(36).slice(2)}-id`): Promise<string> {
    this.send({ type: 'message', id, text });
    return (await this.until((frame): frame is Frame<'accepted'> => frame.type === 'accepted' && frame.id === id))
      .message_id;
  }

  first<T extends PageFrame['type']>(type: T): Promise<Frame<T>> {
    return this.until((frame): frame is Frame<T> => frame.type === type);
  }

  until<F extends PageFrame>(fits: (frame: PageFrame) => frame is F): Promise<F> {
    return eventually(
      () => this.frames.find(fits) ?? null,
      () => `a frame among ${JSON.stringify(this.frames)}`,
    );
  }

  /** Resolves when a message with this text came. */
  async message(text: string): Promise<ShownMessage> {
    const { message } = await this.until(
      (frame): frame is Frame<'message'> => frame.type === 'message' && frame.message.text === text,
    );
    return message;
  }

  /** The messages that came or were there at the beginning. */
  get messages(): readonly ShownMessage[] {
    return this.frames.flatMap((frame) =>
      frame.type === 'welcome' || frame.type === 'history'
        ? frame.messages
        : frame.type === 'message'
          ? [frame.message]
          : [],
    );
  }

  /** Closes without a goodbye, as a page whose process dies. */
  cutOff(): void {
    this.socket.terminate();
  }

  /** Resolves with the code when the other side closes. */
  untilClosed(): Promise<number> {
    return eventually(() => this.closed, 'the connection closes');
  }
}

function socketOf(url: string, key: string, origin: string | null): WebSocket {
  const address = `${url.replace(/^http/, 'ws')}${CHAT_SOCKET_PATH}?key=${key}`;
  return new WebSocket(address, origin === null ? {} : { origin });
}
