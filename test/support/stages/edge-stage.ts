import { AsteriskHost } from '../../conformance/rigs/asterisk-host.js';
import { AGENT_HZ } from '../calls/trunk-talkers.js';
import type { MadeCertificate } from '../certificates.js';
import type { Baresip, BaresipOptions } from '../phones/index.js';
import { DrachtioHost } from '../platform/drachtio.js';
import { TestPlatform } from '../platform/platform.js';
import { untilRegistered } from '../phones/registered.js';

/** The platform behind drachtio-server, with an Asterisk that only the edge calls. */
export class EdgeStage {
  private constructor(
    readonly edge: DrachtioHost,
    readonly asterisk: AsteriskHost,
    readonly platform: TestPlatform,
  ) {}

  /**
   * @param certificate with which the edge also takes TLS, and WebSockets over TLS
   * @param settings of the platform, in addition
   */
  static async start(
    rtp: { readonly from: number; readonly to: number },
    certificate?: MadeCertificate,
    settings: Readonly<Record<string, string>> = {},
  ): Promise<EdgeStage> {
    const [edge, asterisk] = await Promise.all([DrachtioHost.start(certificate), AsteriskHost.start(rtp)]);
    const platform = await TestPlatform.start({
      asterisk: asterisk.running,
      settings: { ...edge.settings, ...settings },
    });
    return new EdgeStage(edge, asterisk, platform);
  }

  async stop(): Promise<void> {
    await this.platform.stop();
    await this.asterisk.stop();
    await this.edge.stop();
  }

  /** An agent's phone, registered at the edge, and known to the platform as such. */
  async softphone(agent: string, options: Partial<BaresipOptions> = {}): Promise<Baresip> {
    const phone = await this.unregistered(agent, options);
    await phone.registered();
    await this.registered(agent);
    return phone;
  }

  async unregistered(agent: string, options: Partial<BaresipOptions> = {}): Promise<Baresip> {
    const { password } = this.platform.agent(agent);
    const port = options.transport === 'tls' ? this.edge.tlsPort : this.edge.sipPort;
    const registrar = { host: '127.0.0.1', port, password };
    return this.platform.phone({ user: agent, registrar, source: { toneHz: AGENT_HZ }, ...options });
  }

  /** Resolves when queues and calls see the phone as registered. */
  async registered(agent: string, is = true): Promise<void> {
    await untilRegistered(this.platform.platform.stores.db, agent, is);
  }

  /** How many phones of the agent are registered. */
  async contacts(agent: string): Promise<number> {
    const { db } = this.platform.platform.stores;
    return (await db.query('SELECT 1 FROM sip_contacts WHERE aor = $1', [agent])).length;
  }

  /** The legs that Asterisk has. */
  async legs(): Promise<number> {
    return ((await this.asterisk.ask('/channels')) as readonly unknown[]).length;
  }

  /** The address of a number at the edge. */
  uri(number: string): string {
    return `sip:${number}@127.0.0.1:${this.edge.sipPort}`;
  }
}
