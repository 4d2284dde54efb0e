import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { resolveTool } from '../../../adapters/embedded/index.js';
import { turnConfig } from '../../../adapters/embedded/turn/config.js';
import { stunProbe } from '../../../adapters/turn/stun-probe.js';
import { eventually } from '../eventually.js';

const LOOPBACK = '127.0.0.1';

/** A coturn with the platform's configuration, which also relays to engines on the loopback, where tests have them. */
export class TurnServer {
  private constructor(
    readonly port: number,
    readonly secret: string,
    private readonly process: ChildProcess,
    private readonly folder: string,
  ) {}

  /** Resolves when it answers. @param relay the UDP ports of the relayed audio */
  static async start(port: number, relay: { readonly from: number; readonly to: number }): Promise<TurnServer> {
    const folder = await mkdtemp(join(tmpdir(), 'hatif-turn-'));
    const tool = await resolveTool('turnserver', { cacheDir: process.env.HATIF_CACHE_DIR ?? resolve('.hatif-cache') });
    const secret = 'a secret of a TURN server of tests';
    const config = turnConfig({ bind: LOOPBACK, port, relay, peers: [LOOPBACK] }, secret, folder);
    const file = join(folder, 'turnserver.conf');
    await writeFile(file, `${config}allow-loopback-peers\n`);
    const started = spawn(tool.command, [...tool.args, '-c', file], { cwd: folder, env: tool.env, stdio: 'ignore' });
    const server = new TurnServer(port, secret, started, folder);
    await eventually(() => stunProbe.answers(`turn:${LOOPBACK}:${port}`), 'the TURN server answers');
    return server;
  }

  async stop(): Promise<void> {
    const exited = once(this.process, 'exit');
    this.process.kill();
    await exited;
    await rm(this.folder, { recursive: true, force: true });
  }
}
