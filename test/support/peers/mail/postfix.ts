import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect, createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../../eventually.js';

const PROGRAM = '/usr/sbin/postfix';

/** Why this machine cannot run Postfix (Debian: postfix, as root); null if it can. */
export function postfixMissing(): string | null {
  if (spawnSync('test', ['-x', PROGRAM]).status !== 0) return 'there is no Postfix (Debian: postfix)';
  return process.getuid?.() === 0 ? null : 'Postfix runs as root only';
}

/** A mail server that others wrote. It gives all mail to another one, and its notifications, too. */
export class Postfix {
  private constructor(
    private readonly child: ChildProcess,
    private readonly folder: string,
    readonly port: number,
  ) {}

  /** @param relayPort of the server that gets the mail */
  static async start(relayPort: number): Promise<Postfix> {
    const folder = await mkdtemp(join(tmpdir(), 'hatif-postfix-'));
    await chmod(folder, 0o755);
    const [port, etc] = [await freePort(), join(folder, 'etc')];
    for (const name of ['etc', 'spool', 'data']) await mkdir(join(folder, name));
    spawnSync('chown', ['postfix', join(folder, 'data')]);
    await writeFile(join(etc, 'main.cf'), mainCf(folder, relayPort));
    await writeFile(join(etc, 'master.cf'), masterCf(port));
    const child = spawn(PROGRAM, ['-c', etc, 'start-fg'], { stdio: 'ignore' });
    await eventually(() => connects(port), 'Postfix listens');
    return new Postfix(child, folder, port);
  }

  get url(): string {
    return `smtp://127.0.0.1:${this.port}`;
  }

  async close(): Promise<void> {
    spawnSync(PROGRAM, ['-c', join(this.folder, 'etc'), 'stop'], { stdio: 'ignore' });
    if (this.child.exitCode === null && this.child.signalCode === null) {
      this.child.kill();
      await once(this.child, 'exit');
    }
    await rm(this.folder, { recursive: true, force: true });
  }
}

function connects(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('close', () => undefined);
    socket.once('connect', () => socket.destroy());
  });
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

function mainCf(folder: string, relayPort: number): string {
  return `
compatibility_level = 3.6
queue_directory = ${folder}/spool
data_directory = ${folder}/data
command_directory = /usr/sbin
daemon_directory = /usr/lib/postfix/sbin
mail_owner = postfix
setgid_group = postdrop
myhostname = mail.example.com
mydestination =
mynetworks = 127.0.0.0/8
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
relayhost = [127.0.0.1]:${relayPort}
smtp_tls_security_level = none
maillog_file = ${folder}/data/log
maillog_file_prefixes = ${folder}
local_transport = error:there are no mailboxes
`;
}

function masterCf(port: number): string {
  return `
127.0.0.1:${port} inet n - n - - smtpd
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
verify unix - - n - 1 verify
proxymap unix - - n - - proxymap
smtp unix - - n - - smtp
relay unix - - n - - smtp
error unix - - n - - error
retry unix - - n - - error
anvil unix - - n - 1 anvil
scache unix - - n - 1 scache
postlog unix-dgram n - n - 1 postlogd
`;
}
