import { accessSync, constants, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { delimiter, join } from 'node:path';
import { drachtioConfig } from '../../../config/drachtio/render.js';
import type { MadeCertificate } from '../certificates.js';
import { eventually } from '../eventually.js';
import { freeSipPort } from '../phones/index.js';
import { ToolProcess } from '../phones/process.js';

const NAME = 'drachtio';
const SECRET = 'a-secret-of-the-tests';

type Environment = Readonly<Partial<Record<'HATIF_TEST_DRACHTIO' | 'PATH', string>>>;

/**
 * The drachtio-server of this machine: the one that HATIF_TEST_DRACHTIO names by its program or its prefix, or the first
 * on the PATH.
 * @returns its program, or why there is none
 */
export function findDrachtio(
  environment: Environment = process.env,
): { readonly program: string } | { readonly missing: string } {
  const { HATIF_TEST_DRACHTIO: named = '', PATH = '' } = environment;
  const candidates =
    named === '' ? PATH.split(delimiter).map((folder) => join(folder, NAME)) : [named, join(named, 'bin', NAME)];
  const program = candidates.find(isProgram);
  if (program !== undefined) return { program };
  return {
    missing:
      named === ''
        ? 'no drachtio on the PATH; HATIF_TEST_DRACHTIO names its program or its prefix'
        : `HATIF_TEST_DRACHTIO is wrong: there is no program ${candidates.join(' or ')}`,
  };
}

/** A `describe` with a real drachtio-server. On a machine without one it has one skipped test, whose title says why. */
export function describeDrachtio(title: string, tests: (this: Mocha.Suite) => void): void {
  describe(title, function () {
    const found = findDrachtio();
    if ('missing' in found) it.skip(`is not installed: ${found.missing}`);
    else tests.call(this);
  });
}

/** A real drachtio-server for one test file, on its own ports and in a folder that is removed with it. */
export class DrachtioHost {
  private constructor(
    readonly sipPort: number,
    private readonly adminPort: number,
    /** Where engines reach the edge. */
    readonly relayPort: number,
    private readonly webSocketPort: number,
    private readonly tls: TlsPorts | null,
    private process: ToolProcess,
  ) {}

  /** @param certificate with which it also takes TLS, and WebSockets over TLS */
  static async start(certificate?: MadeCertificate): Promise<DrachtioHost> {
    // The next port of each is free, too.
    const [sipPort, adminPort, relayPort] = [await freeSipPort(), await freeSipPort(), await freeSipPort()];
    let tls: TlsPorts | null = null;
    if (certificate) {
      tls = { port: sipPort + 1, wssPort: relayPort + 1, folder: ToolProcess.folder('drachtio-tls') };
      writeCertificate(tls.folder, certificate);
    }
    const webSocketPort = await freeSipPort();
    const process = spawned({ sipPort, adminPort, webSocketPort }, tls);
    const host = new DrachtioHost(sipPort, adminPort, relayPort, webSocketPort, tls, process);
    await host.#accepts();
    return host;
  }

  /** The settings with which the platform uses it. */
  get settings(): Readonly<Record<string, string>> {
    const { tls } = this;
    return {
      SIP_EDGE: 'drachtio',
      SIP_EDGE_ADDRESS: `127.0.0.1:${this.relayPort}`,
      SIP_EDGE_PORT: String(this.sipPort),
      SIP_EDGE_WS: `127.0.0.1:${this.webSocketPort}`,
      DRACHTIO_PORT: String(this.adminPort),
      DRACHTIO_SECRET: SECRET,
      ...(tls && {
        SIP_TLS_CERT: join(tls.folder, 'cert.pem'),
        SIP_TLS_KEY: join(tls.folder, 'key.pem'),
        SIP_TLS_PORT: String(tls.port),
        SIP_WSS_PORT: String(tls.wssPort),
        DRACHTIO_TLS_DIR: tls.folder,
      }),
    };
  }

  /** Where it takes TLS. */
  get tlsPort(): number {
    return this.#tls.port;
  }

  get wssPort(): number {
    return this.#tls.wssPort;
  }

  get #tls(): TlsPorts {
    if (this.tls === null) throw new Error('this drachtio-server has no certificate');
    return this.tls;
  }

  /** Replaces the files of the certificate, as their renewal does. drachtio-server reads what the edge makes of them. */
  renew(certificate: MadeCertificate): void {
    writeFiles(this.#tls.folder, { 'cert.pem': certificate.cert, 'key.pem': certificate.key });
  }

  /** What drachtio-server would read if it was started now. */
  certificate(): string {
    return readFileSync(join(this.#tls.folder, 'agent.pem'), 'utf8');
  }

  /** Ends it as a power failure does, and starts it again. */
  async restart(): Promise<void> {
    await this.kill();
    await this.again();
  }

  async kill(): Promise<void> {
    await this.process.stop('SIGKILL', 0);
  }

  async again(): Promise<void> {
    const { sipPort, adminPort, webSocketPort } = this;
    this.process = spawned({ sipPort, adminPort, webSocketPort }, this.tls);
    await this.#accepts();
  }

  async stop(): Promise<void> {
    await this.process.stop('SIGTERM', 3_000);
    if (this.tls) rmSync(this.tls.folder, { recursive: true, force: true });
  }

  get isAlive(): boolean {
    return this.process.alive;
  }

  /** Of its process. */
  get pid(): number {
    return this.process.pid ?? 0;
  }

  log(): string {
    return this.process.tail(60);
  }

  async #accepts(): Promise<void> {
    const isOpen = (): Promise<boolean> =>
      new Promise((resolve) => {
        const socket = connect(this.adminPort, '127.0.0.1');
        socket.once('connect', () => {
          socket.destroy();
          resolve(true);
        });
        socket.once('error', () => resolve(false));
      });
    await eventually(isOpen, () => `drachtio-server accepts applications\n${this.log()}`);
  }
}

interface TlsPorts {
  readonly port: number;
  readonly wssPort: number;
  readonly folder: string;
}

function writeCertificate(folder: string, { cert, key, pem }: MadeCertificate): void {
  writeFiles(folder, { 'cert.pem': cert, 'key.pem': key, 'agent.pem': pem });
}

function writeFiles(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text, { mode: 0o600 });
}

interface Ports {
  readonly sipPort: number;
  readonly adminPort: number;
  readonly webSocketPort: number;
}

function spawned({ sipPort, adminPort, webSocketPort }: Ports, tls: TlsPorts | null): ToolProcess {
  const found = findDrachtio();
  if ('missing' in found) throw new Error(found.missing);
  const folder = ToolProcess.folder('drachtio');
  const file = join(folder, 'drachtio.conf.xml');
  const config = drachtioConfig({
    admin: { bind: '127.0.0.1', port: adminPort, secret: SECRET },
    sip: { bind: '127.0.0.1', port: sipPort },
    browsers: { host: '127.0.0.1', port: webSocketPort },
    ...(tls && { tls }),
  });
  writeFileSync(file, config);
  return new ToolProcess(folder, { name: NAME, version: '', command: found.program, args: [], env: {} }, ['-f', file]);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
