import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createServer, type Server } from 'node:tls';
import { startTurn, type TurnPart } from '../../../../adapters/embedded/turn/turn.js';
import type { TurnOptions } from '../../../../adapters/embedded/index.js';
import { readSettings } from '../../../../config/read-settings.js';
import type { HostPort } from '../../../../core/model/host-port.js';
import { turnOptions } from '../../../../main/install/turn.js';
import type { MadeCertificate } from '../../certificates.js';
import { portOf } from '../../peers/listening.js';

/** A coturn with the platform's own configuration, and a TLS proxy before it. */
export class RelayStage {
  private constructor(
    private readonly folder: string,
    private readonly options: TurnOptions,
    private part: TurnPart,
    private readonly proxy: Server,
  ) {}

  /** @returns null on a machine that has no address but the loopback, from which coturn does not relay */
  static async start(certificate: MadeCertificate, ports: { readonly from: number }): Promise<RelayStage | null> {
    const { from } = ports;
    const settings = readSettings({
      TURN_PORT: String(from),
      TURN_RELAY_PORT_FROM: String(from + 1),
      TURN_RELAY_PORT_TO: String(from + 99),
    });
    const options = turnOptions(settings);
    if (options.bind === settings.SIP_BIND) return null;
    const folder = await mkdtemp(join(tmpdir(), 'hatif-relay-'));
    const part = await startTurn(folder, options, packages());
    const proxy = createServer({ cert: certificate.cert, key: certificate.key }, (browser) => {
      const turn = connect(options.port, options.bind);
      for (const side of [browser, turn]) {
        side.on('error', () => side.destroy());
        side.on('close', () => {
          browser.destroy();
          turn.destroy();
        });
      }
      browser.pipe(turn).pipe(browser);
    });
    await new Promise<void>((done) => proxy.listen(0, options.bind, done));
    return new RelayStage(folder, options, part, proxy);
  }

  /** Where it takes UDP and TCP. */
  get address(): HostPort {
    return { host: this.options.bind, port: this.options.port };
  }

  /** For the platform: its ways by UDP, TCP and TLS. */
  get settings(): Readonly<Record<string, string>> {
    const { bind, port } = this.options;
    const servers = [
      `turn:${bind}:${port}`,
      `turn:${bind}:${port}?transport=tcp`,
      `turns:${bind}:${portOf(this.proxy)}`,
    ];
    return { TURN_SERVERS: servers.join(','), TURN_SECRET: this.part.secret };
  }

  /** Ends coturn; all relayed audio stops. */
  halt(): Promise<void> {
    return this.part.stop();
  }

  /** Starts it again at the same port, with the same secret. */
  async resume(): Promise<void> {
    this.part = await startTurn(this.folder, this.options, packages());
  }

  async close(): Promise<void> {
    await this.part.stop();
    await new Promise((done) => this.proxy.close(done));
    await rm(this.folder, { recursive: true, force: true });
  }
}

function packages(): { readonly cacheDir: string } {
  return { cacheDir: process.env.HATIF_CACHE_DIR ?? resolve('.hatif-cache') };
}
