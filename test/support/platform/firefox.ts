import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { WebSocket } from 'ws';
import { ToolProcess } from '../phones/process.js';
import { chooseLoopbackPort } from '../../../adapters/embedded/system/ports.js';
import { eventually } from '../eventually.js';

const NAMES = ['firefox-esr', 'firefox'];

/** The path of this machine's Firefox; null if there is none. */
export function firefoxProgram(): string | null {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const found = NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find((path) => existsSync(path));
  return found ?? null;
}

type Preferences = Readonly<Record<string, boolean | number | string>>;

interface Answer {
  readonly id?: number;
  readonly type: 'success' | 'error' | 'event';
  readonly result?: Readonly<Record<string, unknown>>;
  readonly message?: string;
}

/** Of a script (W3C WebDriver BiDi, `script.EvaluateResult`). */
interface Evaluated {
  readonly type: 'success' | 'exception';
  readonly result?: { readonly type: string; readonly value?: string };
  readonly exceptionDetails?: { readonly text: string };
}

/** A Firefox without windows, driven by WebDriver BiDi. */
export class Firefox {
  #sent = 0;
  readonly #waiting = new Map<number, (answer: Answer) => void>();

  private constructor(
    private readonly process: ToolProcess,
    private readonly socket: WebSocket,
  ) {
    socket.on('message', (data: Buffer) => {
      const answer = JSON.parse(data.toString()) as Answer;
      if (answer.id !== undefined) this.#waiting.get(answer.id)?.(answer);
    });
  }

  static async start(program: string, preferences: Preferences): Promise<Firefox> {
    const folder = ToolProcess.folder('firefox');
    const port = await chooseLoopbackPort();
    const lines = Object.entries(preferences).map(([name, value]) => `user_pref("${name}", ${JSON.stringify(value)});`);
    writeFileSync(join(folder, 'user.js'), lines.join('\n'));
    const tool = { name: 'firefox', version: '', command: program, args: [], env: { ...process.env, HOME: folder } };
    const args = ['--headless', '--no-remote', '--profile', folder, '--remote-debugging-port', String(port)];
    const running = new ToolProcess(folder, tool, args);
    const open = (): Promise<WebSocket | null> => opened(`ws://127.0.0.1:${port}/session`);
    const socket = await eventually(open, 'Firefox takes WebDriver BiDi', 60_000);
    const firefox = new Firefox(running, socket);
    await firefox.#ask('session.new', { capabilities: {} });
    return firefox;
  }

  /** @param before a script that runs before all others of the page */
  async open(url: string, before: string): Promise<FirefoxPage> {
    await this.#ask('script.addPreloadScript', { functionDeclaration: `() => {${before}}` });
    const { context } = await this.#ask('browsingContext.create', { type: 'tab' });
    await this.#ask('browsingContext.navigate', { context, url, wait: 'complete' });
    return new FirefoxPage((method, params) => this.#ask(method, params), String(context));
  }

  async close(): Promise<void> {
    this.socket.terminate();
    await this.process.stop('SIGTERM', 5_000);
  }

  /** @throws Error what Firefox says of it */
  async #ask(method: string, params: object): Promise<Readonly<Record<string, unknown>>> {
    const id = ++this.#sent;
    const answered = new Promise<Answer>((resolve) => this.#waiting.set(id, resolve));
    this.socket.send(JSON.stringify({ id, method, params }));
    const { type, result, message } = await answered;
    this.#waiting.delete(id);
    if (type === 'error' || result === undefined) throw new Error(`${method}: ${message}`);
    return result;
  }
}

/** A tab. */
export class FirefoxPage {
  constructor(
    private readonly ask: (method: string, params: object) => Promise<Readonly<Record<string, unknown>>>,
    private readonly context: string,
  ) {}

  /** The value of an expression, which must be JSON. */
  async evaluate<T>(expression: string): Promise<T> {
    const evaluated = (await this.ask('script.evaluate', {
      expression: `(async () => JSON.stringify((await (${expression})) ?? null))()`,
      target: { context: this.context },
      awaitPromise: true,
      userActivation: true,
    })) as unknown as Evaluated;
    if (evaluated.type === 'exception') throw new Error(`${expression}: ${evaluated.exceptionDetails?.text}`);
    return JSON.parse(evaluated.result?.value ?? 'null') as T;
  }

  close(): Promise<unknown> {
    return this.ask('browsingContext.close', { context: this.context });
  }
}

async function opened(url: string): Promise<WebSocket | null> {
  const socket = new WebSocket(url, { perMessageDeflate: false });
  try {
    await once(socket, 'open');
    return socket;
  } catch {
    return null;
  }
}
