import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../../eventually.js';

const PATH = `${process.env.PATH ?? ''}:/usr/sbin`;

/** Why this machine has no Kannel (Debian: kannel); null if it has. */
export function kannelMissing(): string | null {
  const { error } = spawnSync('bearerbox', ['--version'], { env: { ...process.env, PATH }, stdio: 'ignore' });
  return error ? 'there is no bearerbox (Debian: kannel)' : null;
}

/** The gateway Kannel, which others wrote: its bearerbox binds to an SMSC, and its smsbox takes messages over HTTP. */
export class Kannel {
  /** The query strings by which it reports receipts and incoming messages. */
  readonly receipts: URLSearchParams[] = [];
  readonly incoming: URLSearchParams[] = [];

  private constructor(
    private readonly children: readonly ChildProcess[],
    private readonly folder: string,
    private readonly listener: Server,
    private readonly ports: { readonly admin: number; readonly send: number },
  ) {}

  /** Starts it with a bind to this SMSC; resolves when it is bound. */
  static async start(smscPort: number): Promise<Kannel> {
    const folder = await mkdtemp(join(tmpdir(), 'hatif-kannel-'));
    const [admin, box, send] = [await freePort(), await freePort(), await freePort()];
    const listener = createServer();
    listener.listen(0, '127.0.0.1');
    await once(listener, 'listening');
    const { port } = listener.address() as AddressInfo;
    const file = join(folder, 'kannel.conf');
    await writeFile(file, configuration({ smscPort, admin, box, send, listen: port }));
    const start = (program: string): ChildProcess =>
      spawn(program, ['-v', '4', file], { cwd: folder, env: { ...process.env, PATH }, stdio: 'ignore' });
    const bearerbox = start('bearerbox');
    await eventually(async () => (await status(admin)) !== null, 'bearerbox runs');
    const kannel = new Kannel([start('smsbox'), bearerbox], folder, listener, { admin, send });
    listener.on('request', (req, res) => {
      const { pathname, searchParams } = new URL(req.url ?? '', 'http://peer');
      (pathname === '/receipt' ? kannel.receipts : kannel.incoming).push(searchParams);
      res.end();
    });
    await eventually(async () => (await status(admin))?.includes('online') === true, 'bearerbox is bound');
    await eventually(async () => (await kannel.#ask('/cgi-bin/sendsms')) !== null, 'smsbox runs');
    return kannel;
  }

  /** Sends a message as a customer of the gateway does. */
  async send(from: string, to: string, text: string): Promise<void> {
    const receipt = `http://127.0.0.1:${(this.listener.address() as AddressInfo).port}/receipt?status=%d&to=%p`;
    const query = new URLSearchParams({
      ...{ username: 'shop', password: 'secret', from, to, text, coding: '2', charset: 'UTF-8' },
      ...{ 'dlr-mask': '3', 'dlr-url': receipt },
    });
    const answer = await this.#ask(`/cgi-bin/sendsms?${String(query)}`);
    if (answer?.startsWith('0: Accepted') !== true) throw new Error(`Kannel does not take the message: ${answer}`);
  }

  async close(): Promise<void> {
    for (const child of this.children) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    this.listener.close();
    await rm(this.folder, { recursive: true });
  }

  async #ask(path: string): Promise<string | null> {
    try {
      return await (await fetch(`http://127.0.0.1:${this.ports.send}${path}`)).text();
    } catch {
      return null;
    }
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

async function status(port: number): Promise<string | null> {
  try {
    return await (await fetch(`http://127.0.0.1:${port}/status.txt`)).text();
  } catch {
    return null;
  }
}

function configuration(ports: Readonly<Record<'smscPort' | 'admin' | 'box' | 'send' | 'listen', number>>): string {
  return `
group = core
admin-port = ${ports.admin}
admin-password = secret
admin-interface = 127.0.0.1
smsbox-port = ${ports.box}
smsbox-interface = 127.0.0.1

group = smsc
smsc = smpp
host = 127.0.0.1
port = ${ports.smscPort}
smsc-username = kannel
smsc-password = secret
system-type = VMA
transceiver-mode = true
source-addr-ton = 5
source-addr-npi = 0
dest-addr-ton = 1
dest-addr-npi = 1

group = smsbox
bearerbox-host = 127.0.0.1
sendsms-port = ${ports.send}
sendsms-interface = 127.0.0.1
mo-recode = true

group = sendsms-user
username = shop
password = secret
concatenation = true
max-messages = 10

group = sms-service
keyword = default
catch-all = true
max-messages = 0
get-url = "http://127.0.0.1:${ports.listen}/incoming?from=%p&to=%P&text=%b&coding=%c"
`;
}
