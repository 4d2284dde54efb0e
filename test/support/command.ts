import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { runCli } from '../../cli/program.js';
import { readSettings } from '../../config/read-settings.js';
import { openCommandLine } from '../../main/command/command-line.js';
import { testDatabase, type TestDatabase } from './platform/database.js';
import { COMMAND } from './platform/programs.js';
import { ownerIn } from './rows/rows.js';

/** The installation's secret in tests of the command. */
export const SECRET = 'a secret of the tests, long enough for it';

/** The SIP edge, where no test needs drachtio-server itself. */
export const EDGE_SETTINGS = {
  SIP_EDGE: 'drachtio',
  SIP_EDGE_ADDRESS: '192.0.2.5:5090',
  DRACHTIO_SECRET: 'a-secret-of-the-tests',
};

interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface More {
  readonly env?: Readonly<Record<string, string>>;
  /** Text for standard input. */
  readonly input?: string;
}

/** The command `hatif` on a test's database. */
export class HatifCommand {
  private constructor(
    readonly dataDir: string,
    private readonly environment: Readonly<Record<string, string>>,
  ) {}

  /** @param env settings in addition to database, secret and folder */
  static async over(databaseUrl: string, env: Readonly<Record<string, string>> = {}): Promise<HatifCommand> {
    const dataDir = await mkdtemp(join(tmpdir(), 'hatif-cli-'));
    const own = { DATABASE_URL: databaseUrl, HATIF_SECRET: SECRET, HATIF_DATA_DIR: dataDir };
    return new HatifCommand(dataDir, { ...own, ...env });
  }

  async close(): Promise<void> {
    await rm(this.dataDir, { recursive: true });
  }

  /** Runs the command in this process, which saves the time that a process takes to start. */
  async run(args: readonly string[], { env = {}, input = '' }: More = {}): Promise<Ran> {
    let [stdout, stderr] = ['', ''];
    const code = await runCli(args, {
      ...openCommandLine(readSettings({ ...this.environment, ...env }), new AbortController().signal),
      output: (json) => ({ json, out: (line) => (stdout += `${line}\n`), note: (line) => (stderr += `${line}\n`) }),
      readSecret: () => Promise.resolve(input),
    });
    return { code, stdout, stderr };
  }

  /** Runs the command as a separate process. */
  async process(args: readonly string[], { env = {}, input = '' }: More = {}): Promise<Ran> {
    const child = spawn(process.execPath, [COMMAND, ...args], {
      cwd: fileURLToPath(new URL('../../', import.meta.url)),
      env: {
        PATH: process.env.PATH ?? '',
        NODE_V8_COVERAGE: process.env.NODE_V8_COVERAGE ?? '',
        ...this.environment,
        ...env,
      },
      stdio: 'pipe',
    });
    child.stdin.end(input);
    const code = new Promise<number | null>((resolve) => child.once('exit', resolve));
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
    return { code: await code, stdout, stderr };
  }

  /** Runs the command with `--json`; it must succeed. @returns its output */
  async json(...args: readonly string[]): Promise<unknown> {
    const { code, stdout, stderr } = await this.run(['--json', ...args]);
    expect(code, stderr).to.equal(0);
    return JSON.parse(stdout);
  }
}

/**
 * For a `describe`: the command on a database with an owner, one of each for all tests.
 * @param use receives both before the tests
 * @param env settings in addition to database, secret and folder
 * @returns the ways to run the command
 */
export function commandForAll(
  use: (command: HatifCommand, database: TestDatabase) => void,
  env: Readonly<Record<string, string>> = {},
): {
  readonly hatif: HatifCommand['run'];
  readonly hatifProcess: HatifCommand['process'];
  readonly json: HatifCommand['json'];
} {
  let database: TestDatabase;
  let command: HatifCommand;

  before(async () => {
    database = await testDatabase();
    command = await HatifCommand.over(database.url, env);
    await ownerIn(database.db);
    use(command, database);
  });
  after(async () => {
    await command.close();
    await database.close();
  });

  return {
    hatif: (...args) => command.run(...args),
    hatifProcess: (...args) => command.process(...args),
    json: (...args) => command.json(...args),
  };
}
