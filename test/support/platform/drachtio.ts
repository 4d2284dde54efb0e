import { accessSync, constants, statSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { delimiter, join } from 'node:path';
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
export function describeDrachtio(title: string, tests: () => void): void {
  describe(title, () => {
    const found = findDrachtio();
    if ('missing' in found) it.skip(`is not installed: ${found.missing}`);
    else tests();
  });
}

/** A real drachtio-server for one test file, on its own ports and in a folder that is removed with it. */
export class DrachtioHost {
  private constructor(
    readonly sipPort: number,
    private readonly adminPort: number,
    private process: ToolProcess,
  ) {}

  static async start(): Promise<DrachtioHost> {
    const [sipPort, adminPort] = [await freeSipPort(), await freeSipPort()];
    const host = new DrachtioHost(sipPort, adminPort, spawned(sipPort, adminPort));
    await host.#accepts();
    return host;
  }

  /** The settings with which the platform uses it. */
  get settings(): Readonly<Record<string, string>> {
    return {
      SIP_EDGE: 'drachtio',
      SIP_EDGE_ADDRESS: `127.0.0.1:${this.sipPort}`,
      DRACHTIO_PORT: String(this.adminPort),
      DRACHTIO_SECRET: SECRET,
    };
  }

  /** Ends it as a power failure does, and starts it again. */
  async restart(): Promise<void> {
    await this.process.stop('SIGKILL', 0);
    this.process = spawned(this.sipPort, this.adminPort);
    await this.#accepts();
  }

  async stop(): Promise<void> {
    await this.process.stop('SIGTERM', 3_000);
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

function spawned(sipPort: number, adminPort: number): ToolProcess {
  const found = findDrachtio();
  if ('missing' in found) throw new Error(found.missing);
  const folder = ToolProcess.folder('drachtio');
  const file = join(folder, 'drachtio.conf.xml');
  writeFileSync(
    file,
    `<drachtio>
  <admin port="${adminPort}" secret="${SECRET}">127.0.0.1</admin>
  <sip>
    <contacts><contact>sip:127.0.0.1:${sipPort};transport=udp,tcp</contact></contacts>
  </sip>
  <cdrs>false</cdrs>
  <logging><console/><sofia-loglevel>3</sofia-loglevel><loglevel>info</loglevel></logging>
</drachtio>
`,
  );
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
