import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chooseLoopbackPort } from '../../../adapters/embedded/system/ports.js';
import { Cipher } from '../../../core/model/access/cipher.js';
import { engineSecret } from '../../../core/services/engines/manage.js';
import { FREESWITCH_PATH } from '../../../api/routes/platform/freeswitch.js';
import type { AsteriskHost } from '../../conformance/rigs/asterisk-host.js';
import { testDatabase, type TestDatabase } from '../platform/database.js';
import { eventually } from '../eventually.js';
import { FreeswitchHost } from '../platform/freeswitch.js';
import { freeSipPort } from '../phones/index.js';
import type { ProcessSettings } from '../platform/platform-process.js';
import { runHatif } from '../platform/programs.js';
import { ProcessStage } from './process-stage.js';
import { testRedis, type TestRedis } from '../platform/redis.js';

type FreeswitchOptions = NonNullable<Parameters<typeof FreeswitchHost.start>[0]>;

const SECRET = 'a secret that all processes share, for tests';
/** The engine's name. */
export const NAME = 'pbx';

/** The platform as a process with a real FreeSWITCH, added by the `hatif` command, and no Asterisk. */
export class FreeswitchStage {
  private constructor(
    readonly host: FreeswitchHost,
    readonly application: ProcessStage,
    readonly database: TestDatabase,
    private readonly redis: TestRedis,
    readonly carrierPort: number,
  ) {}

  /**
   * Resolves when the process owns the engine and is connected to it.
   * @param more settings of the process
   * @param configuration of FreeSWITCH, where it differs from the usual
   */
  static async start(more: ProcessSettings = {}, configuration: FreeswitchOptions = {}): Promise<FreeswitchStage> {
    const [database, redis, carrierPort, port] = await Promise.all([
      testDatabase(),
      testRedis(),
      freeSipPort(),
      chooseLoopbackPort(),
    ]);
    const host = await FreeswitchHost.start({
      application: {
        urls: [`http://127.0.0.1:${port}${FREESWITCH_PATH}`],
        user: NAME,
        password: engineSecret(new Cipher(SECRET), NAME),
      },
      ...configuration,
    });
    const application = await ProcessStage.start({
      HATIF_DATA_DIR: await mkdtemp(join(tmpdir(), 'hatif-freeswitch-')),
      HATIF_SECRET: SECRET,
      PORT: String(port),
      DATABASE_URL: database.url,
      REDIS_URL: redis.url,
      ASTERISK_ENABLED: 'false',
      SIP_PORT: String(host.sipPort),
      SIP_TRUNK_URI: `sip:127.0.0.1:${carrierPort}`,
      // A scripted phone in place of the carrier expects no OPTIONS.
      TRUNK_PROBE_SECONDS: '3600',
      HATIF_FLAGS_OFF: 'call_velocity',
      WEBHOOK_ALLOW_LOOPBACK: 'true',
      DRAIN_SECONDS: '0',
      ...more,
    });
    const stage = new FreeswitchStage(host, application, database, redis, carrierPort);
    await stage.command(
      [
        ...['engines', 'add', NAME, `127.0.0.1:${host.eslPort}`, '--kind', 'freeswitch', '--sip', host.sipAddress],
        ...['--recordings', join(host.folder, 'recorded'), '--details', host.detailDir, '--ws-url', host.webSocketUrl],
      ],
      host.password,
    );
    await stage.isUp();
    return stage;
  }

  get settings(): ProcessSettings {
    return this.application.settings;
  }

  /** Runs the `hatif` command. @param input the answer to a prompt for a password */
  command(args: readonly string[], input = ''): Promise<string> {
    return runHatif(this.settings, args, input);
  }

  /** Adds an Asterisk by the command, too; resolves when it accepts calls. */
  async addAsterisk(name: string, { access, sipAddress, celFile }: AsteriskHost): Promise<void> {
    const address = access.url.replace(/\/ari$/, '');
    const options = ['--user', access.user, '--sip', sipAddress, '--details', celFile];
    await this.command(['engines', 'add', name, address, ...options], access.password);
    await this.isUp(name);
  }

  /** Resolves when the engine accepts calls. */
  async isUp(name = NAME): Promise<void> {
    const query = `SELECT 1 FROM engines
      WHERE name = $1 AND status = 'up' AND sip_status = 'up' AND lease_expires_at > clock_timestamp()`;
    await eventually(async () => (await this.database.db.query(query, [name])).length === 1, `${name} accepts calls`);
  }

  /** The id of the process that owns the engine. */
  async ownerOf(name: string): Promise<number> {
    const query = 'SELECT owner FROM engines WHERE name = $1 AND lease_expires_at > clock_timestamp()';
    const [row] = await this.database.db.query<{ owner: string | null }>(query, [name]);
    return Number(row?.owner?.split(':')[1]);
  }

  /** The number of legs in the engine. */
  async leftInEngine(): Promise<number> {
    const { rows = [] } = JSON.parse(await this.host.api('show channels as json')) as {
      readonly rows?: readonly { readonly name: string }[];
    };
    return rows.filter(({ name }) => name.startsWith('sofia/')).length;
  }

  async close(): Promise<void> {
    await this.application.close();
    await this.host.stop();
    await Promise.all([this.database.close(), this.redis.close()]);
  }
}
