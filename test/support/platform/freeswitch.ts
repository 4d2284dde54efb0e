import { randomInt } from 'node:crypto';
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freeswitchConfig } from '../../../config/freeswitch/render.js';
import { openEsl } from '../../../engine/freeswitch/esl/esl-connection.js';
import { writeTone } from '../judges/audio.js';
import { eventually } from '../eventually.js';
import { freeSipPort } from '../phones/index.js';
import { findFreeswitch, type FoundFreeswitch } from './find-freeswitch.js';

/** Between the ports of phones and Asterisk, below the ephemeral range: FreeSWITCH refuses a call if one is taken. */
const [RTP_FROM, RTP_PORTS, RTP_RANGES] = [30_000, 200, 5];
const PASSWORD = 'a-password-of-the-tests';
const XML = { user: 'freeswitch', password: 'a-secret-of-the-tests' };
const FOLDERS = [
  ...['log', 'db', 'run', 'storage', 'recordings', 'cache', 'sounds', 'scripts', 'htdocs', 'certs', 'grammar', 'temp'],
  ...['conf', 'detail', 'music', 'recorded', 'made'],
];

/** A `describe` with a real FreeSWITCH. On a machine without one it has one skipped test, whose title says why. */
export function describeFreeswitch(title: string, tests: (this: Mocha.Suite) => void): void {
  describe(title, function () {
    const found = findFreeswitch();
    if ('missing' in found) it.skip(`is not installed: ${found.missing}`);
    else tests.call(this);
  });
}

/** Answers FreeSWITCH's requests (mod_xml_curl) from the state of the test's engine. */
export type AnswerXml = (request: URLSearchParams) => string;

/** A real FreeSWITCH for one test, on its own ports, in a folder that is removed with it. */
export class FreeswitchHost {
  #process: ChildProcess | undefined;
  #answer: AnswerXml | undefined;

  private constructor(
    readonly folder: string,
    readonly eslPort: number,
    readonly sipPort: number,
    private readonly webSocketPort: number,
    private readonly program: FoundFreeswitch,
    private readonly xml: Server,
  ) {}

  /** @param amend changes the rendered configuration */
  static async start(
    over: Partial<Parameters<typeof freeswitchConfig>[0]> = {},
    amend: (configuration: string) => string = (configuration) => configuration,
  ): Promise<FreeswitchHost> {
    const found = findFreeswitch();
    if ('missing' in found) throw new Error(found.missing);
    const folder = await mkdtemp(join(tmpdir(), 'hatif-fs-'));
    for (const name of FOLDERS) mkdirSync(join(folder, name));
    writeTone(join(folder, 'music', 'music.wav'), { hz: 330, seconds: 10 });
    const xml = createServer();
    // Several runs may share the machine.
    const rtpFrom = RTP_FROM + RTP_PORTS * randomInt(0, RTP_RANGES);
    const host = new FreeswitchHost(folder, await freeSipPort(), await freeSipPort(), await freeSipPort(), found, xml);
    xml.on('request', (request, response) => {
      let body = '';
      request.setEncoding('utf8');
      request.on('data', (chunk: string) => (body += chunk));
      request.on('end', () => {
        const isOurs = request.headers.authorization === basic(XML.user, XML.password);
        // The record of a leg's end (mod_json_cdr) is accepted and ignored.
        const isEnd = request.headers['content-type'] === 'application/json';
        const answer = isOurs ? host.#answer?.(new URLSearchParams(isEnd ? '' : body)) : undefined;
        response.writeHead(isOurs ? (answer === undefined ? 503 : 200) : 401, { 'content-type': 'text/xml' });
        response.end(answer ?? '');
      });
    });
    await new Promise<void>((resolve) => xml.listen(0, '127.0.0.1', resolve));
    const config = freeswitchConfig({
      eventSocket: { bind: '127.0.0.1', port: host.eslPort, password: PASSWORD },
      sip: { bind: '127.0.0.1', port: host.sipPort },
      webSocket: { bind: '127.0.0.1', port: host.webSocketPort },
      rtp: { from: rtpFrom, to: rtpFrom + RTP_PORTS - 2 },
      application: { urls: [`http://127.0.0.1:${(xml.address() as AddressInfo).port}/freeswitch`], ...XML },
      musicDir: join(folder, 'music'),
      detailDir: join(folder, 'detail'),
      // FreeSWITCH's default build has it, but a smaller one may not.
      legEnds: existsSync(join(found.modules, 'mod_cdr_csv.so')) ? 'file' : 'http',
      ...over,
    });
    await writeFile(join(folder, 'conf', 'freeswitch.xml'), amend(config));
    await host.#run();
    return host;
  }

  get pid(): number {
    return this.#process?.pid ?? 0;
  }

  get password(): string {
    return PASSWORD;
  }

  get sipAddress(): string {
    return `127.0.0.1:${this.sipPort}`;
  }

  get webSocketUrl(): string {
    return `ws://127.0.0.1:${this.webSocketPort}`;
  }

  /** Sets the answer to its requests; before that, they are answered with 503. */
  answer(answer: AnswerXml): void {
    this.#answer = answer;
  }

  /** Answers with 503, as if the application were unavailable. */
  answerNothing(): void {
    this.#answer = undefined;
  }

  /** The folder of records of ended legs. */
  get detailDir(): string {
    return join(this.folder, 'detail');
  }

  /** Kills the process (SIGKILL); {@link restart} starts it again. */
  kill(): void {
    this.#process?.kill('SIGKILL');
  }

  /** Ends FreeSWITCH and starts it again with the same configuration; all its calls are lost. */
  async restart(): Promise<void> {
    await this.#end();
    await this.#run();
  }

  async stop(): Promise<void> {
    await this.#end();
    await new Promise((resolve) => this.xml.close(resolve));
    await rm(this.folder, { recursive: true, force: true });
  }

  log(): Promise<string> {
    return readFile(join(this.folder, 'log', 'freeswitch.log'), 'utf8').catch(() => '');
  }

  async #run(): Promise<void> {
    const at = (name: string): string => join(this.folder, name);
    const folders = ['log', 'db', 'run', 'storage', 'recordings', 'cache', 'sounds', 'scripts', 'htdocs', 'certs'];
    const child = spawn(
      this.program.binary,
      [
        ...['-nf', '-nc', '-nonat', '-nonatmap', '-np', '-conf', at('conf'), '-grammar', at('grammar')],
        ...['-temp', at('temp'), '-mod', this.program.modules],
        ...folders.flatMap((name) => [`-${name}`, at(name)]),
      ],
      { stdio: 'ignore' },
    );
    this.#process = child;
    process.once('exit', () => child.kill('SIGKILL'));
    await eventually(
      async () => {
        if (child.exitCode !== null || child.signalCode !== null)
          throw new Error(`FreeSWITCH ended: ${await this.log()}`);
        return this.#isReady();
      },
      'FreeSWITCH to be ready',
      30_000,
    );
  }

  async #isReady(): Promise<boolean> {
    try {
      const status = await this.api('sofia status profile hatif');
      return /RUNNING|WS-BIND-URL|CALLS-IN/.test(status);
    } catch {
      return false;
    }
  }

  /** Runs an API command on a separate connection. */
  async api(command: string): Promise<string> {
    const { eslPort: port, password } = this;
    const nothing = { onEvent: () => undefined, onClosed: () => undefined };
    const esl = await openEsl({ host: '127.0.0.1', port, password, timeoutMs: 5_000 }, nothing);
    try {
      return await esl.api(command);
    } finally {
      esl.close('done');
    }
  }

  async #end(): Promise<void> {
    const child = this.#process;
    if (child?.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise((resolve) => child.once('exit', resolve));
    // A graceful shutdown takes six seconds, and no test needs it.
    child.kill('SIGKILL');
    await gone;
  }
}

function basic(user: string, password: string): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
}
