import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';

/** A line of the program: what it got, by name. */
export type SmscLine = Readonly<Record<string, unknown>>;

const PROGRAM = 'test/support/peers/smpp/net-smpp-smsc.pl';
const PASSWORD = 'secret';

/** Perl with the module Net::SMPP (Debian: libnet-smpp-perl): installed, or unpacked where HATIF_TEST_NET_SMPP says. */
function environment(): NodeJS.ProcessEnv {
  const { HATIF_TEST_NET_SMPP: folder } = process.env;
  return { ...process.env, ...(folder && { PERL5LIB: folder }) };
}

/** Why this machine has no such SMSC; null if it has. */
export function netSmppMissing(): string | null {
  const { status } = spawnSync('perl', ['-MNet::SMPP', '-e', '1'], { env: environment(), stdio: 'ignore' });
  return status === 0
    ? null
    : 'perl has no Net::SMPP (Debian: libnet-smpp-perl); HATIF_TEST_NET_SMPP names a folder with it';
}

/** An SMSC that others wrote, for one connection. */
export class NetSmpp {
  readonly lines: SmscLine[] = [];
  readonly #listeners: (() => void)[] = [];

  private constructor(private readonly child: ChildProcess) {
    createInterface({ input: child.stdout! }).on('line', (line) => {
      this.lines.push(JSON.parse(line) as SmscLine);
      for (const look of this.#listeners.splice(0)) look();
    });
  }

  static async start(): Promise<NetSmpp> {
    const child = spawn('perl', [resolve(PROGRAM), PASSWORD], {
      env: environment(),
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const smsc = new NetSmpp(child);
    await smsc.until(() => smsc.lines.length > 0);
    return smsc;
  }

  /** As the settings name an account. */
  get account() {
    const { port } = this.lines[0] as { readonly port: number };
    const base = { host: '127.0.0.1', port, tls: false, systemId: 'hatif', systemType: '', window: 10 };
    return { ...base, password: PASSWORD };
  }

  /** Lines that have a member of this name. */
  having(name: string): readonly SmscLine[] {
    return this.lines.filter((line) => name in line);
  }

  /** Resolves when the condition holds, which is looked at after each line. */
  async until(condition: () => boolean): Promise<void> {
    while (!condition()) await new Promise<void>((done) => this.#listeners.push(done));
  }

  async stop(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    this.child.kill();
    await once(this.child, 'exit');
  }
}
