import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { startEmbedded, stopEmbedded, type EmbeddedParts } from '../../../adapters/embedded/index.js';
import { chooseLoopbackPort } from '../../../adapters/embedded/system/ports.js';
import { Cipher } from '../../../core/model/access/cipher.js';
import { AsteriskHost } from '../../conformance/rigs/asterisk-host.js';
import { eventually } from '../eventually.js';
import { SipCrowd } from '../peers/sip/crowd.js';
import { testDatabase, type TestDatabase } from '../platform/database.js';
import { DrachtioHost } from '../platform/drachtio.js';
import { PlatformProcess, type ProcessSettings } from '../platform/platform-process.js';
import { runHatif } from '../platform/programs.js';
import { ProcessStage } from './process-stage.js';

const SECRET = 'a secret that all processes share, for tests';
const PASSWORD = 'of every phone of the crowd';
/** How many phones are pushed to an engine in what time, at least. */
const PROVISIONED_WITHIN_MS = 180_000;

/** Processes of the edge on their own, before two Asterisks, with a crowd of phones and a carrier. */
export class EdgeCrowdStage {
  readonly edges: PlatformProcess[] = [];

  private constructor(
    readonly drachtio: DrachtioHost,
    /** The second one was added by the command. */
    readonly engines: readonly [AsteriskHost, AsteriskHost],
    readonly application: ProcessStage,
    readonly database: TestDatabase,
    private readonly redis: OwnRedis,
    readonly phones: SipCrowd,
    readonly carrier: SipCrowd,
  ) {}

  /** @param more settings of all processes */
  static async start(more: ProcessSettings = {}): Promise<EdgeCrowdStage> {
    const [database, redis, port, drachtio, first, second] = await Promise.all([
      testDatabase(),
      OwnRedis.start(),
      chooseLoopbackPort(),
      DrachtioHost.start(),
      AsteriskHost.start({ from: 26_000, to: 27_998 }),
      AsteriskHost.start({ from: 28_000, to: 29_998 }),
    ]);
    const [phones, carrier] = await Promise.all([SipCrowd.open(drachtio.sipPort), SipCrowd.open(drachtio.sipPort)]);
    const application = await ProcessStage.start({
      HATIF_DATA_DIR: await mkdtemp(join(tmpdir(), 'hatif-edge-')),
      HATIF_SECRET: SECRET,
      HATIF_ROLES: 'api,engine,jobs',
      PORT: String(port),
      DATABASE_URL: database.url,
      REDIS_URL: redis.url,
      ASTERISK_ARI_URL: first.access.url,
      ASTERISK_ARI_USER: first.access.user,
      ASTERISK_ARI_PASSWORD: first.access.password,
      ASTERISK_SIP_ADDRESS: first.sipAddress,
      ASTERISK_CEL_FILE: first.celFile,
      SIP_TRUNK_URI: `sip:127.0.0.1:${carrier.port}`,
      TRUNK_PROBE_SECONDS: '3600',
      HATIF_FLAGS_OFF: 'call_velocity',
      DRAIN_SECONDS: '0',
      ...drachtio.settings,
      ...more,
    });
    const stage = new EdgeCrowdStage(drachtio, [first, second], application, database, redis, phones, carrier);
    const address = second.access.url.replace(/\/ari$/, '');
    const options = ['--user', second.access.user, '--sip', second.sipAddress, '--details', second.celFile];
    await runHatif(
      stage.application.settings,
      ['engines', 'add', 'second', address, ...options],
      second.access.password,
    );
    // The carrier's calls come from the port of its crowd.
    await database.db.query(`UPDATE trunks SET inbound_addresses = $1`, [[`127.0.0.1:${carrier.port}`]]);
    await database.db.query(`UPDATE projects SET max_calls = 100000`);
    await Promise.all([stage.startEdge(), stage.startEdge()]);
    return stage;
  }

  /** Starts one more process of the edge; resolves when it serves. */
  async startEdge(): Promise<PlatformProcess> {
    const edge = PlatformProcess.start({ ...this.application.settings, HATIF_ROLES: 'sip', LOG_TO: 'stdout' });
    this.edges.push(edge);
    await edge.says('connected to drachtio-server');
    return edge;
  }

  /** Ends Redis as a power failure does. */
  killRedis(): void {
    this.redis.kill();
  }

  /** Starts it again, as it was when it was killed, less what its last second had. */
  restartRedis(): Promise<void> {
    return this.redis.again();
  }

  /** Ends an engine as a power failure does. */
  killEngine(at: 0 | 1): void {
    process.kill(this.engines[at].running.pid, 'SIGKILL');
  }

  /** The process of the edge that has the relay. */
  relaying(): PlatformProcess {
    const last = this.edges.filter((edge) => edge.output.includes('the SIP relay serves')).at(-1);
    if (!last) throw new Error('no process has the relay');
    return last;
  }

  /** Adds this number of agents, each with a number; resolves when both engines know them. Their names are p1, p2 … */
  async populate(count: number): Promise<void> {
    const { db } = this.database;
    const password = new Cipher(SECRET).seal(PASSWORD);
    await db.query(
      `INSERT INTO agents SELECT (jsonb_populate_record(known, jsonb_build_object(
         'id', uuid_v7(), 'agent', 'p' || n, 'aor', 'p' || n, 'sip_password', $2::text))).*
       FROM (SELECT agents AS known FROM agents ORDER BY id LIMIT 1) AS one, generate_series(1, $1) AS n`,
      [count, password],
    );
    await db.query(
      `INSERT INTO numbers SELECT (jsonb_populate_record(known, jsonb_build_object(
         'id', uuid_v7(), 'e164', '+96611556' || lpad(n::text, 4, '0'),
         'binding', jsonb_build_object('type', 'agent', 'target', 'p' || n)))).*
       FROM (SELECT numbers AS known FROM numbers WHERE binding->>'type' = 'agent' ORDER BY id LIMIT 1) AS one, generate_series(1, $1) AS n`,
      [count],
    );
    const last = `p${count}`;
    const knows = async (engine: AsteriskHost): Promise<boolean> =>
      JSON.stringify(await engine.ask('/endpoints/PJSIP')).includes(`"${last}"`);
    await eventually(
      async () => (await Promise.all(this.engines.map(knows))).every(Boolean),
      'both engines know every phone',
      PROVISIONED_WITHIN_MS,
    );
  }

  /** The number of the agent p`n`. */
  number(n: number): string {
    return `+96611556${String(n).padStart(4, '0')}`;
  }

  async register(n: number): Promise<number | null> {
    return this.phones.register(`p${n}`, PASSWORD);
  }

  /** The numbers that were called and have a live call on this engine. */
  async liveNumbers(engine: string): Promise<readonly string[]> {
    const rows = await this.database.db.query<{ line_number: string }>(
      `SELECT line_number FROM calls JOIN engines ON engines.id = engine_id
       WHERE engines.name = $1 AND ended_at IS NULL`,
      [engine],
    );
    return rows.map(({ line_number: number }) => number);
  }

  /** How many softphones have a valid registration. */
  async registrations(): Promise<number> {
    const [row] = await this.database.db.query<{ count: number }>(
      `SELECT count(DISTINCT aor)::int AS count FROM sip_contacts WHERE expires_at > clock_timestamp()`,
    );
    return row?.count ?? 0;
  }

  async close(): Promise<void> {
    this.phones.close();
    this.carrier.close();
    for (const edge of this.edges) edge.signal('SIGKILL');
    await Promise.all(this.edges.map(({ exited }) => exited));
    await this.application.close();
    await Promise.all(this.engines.map((engine) => engine.stop()));
    await this.drachtio.stop();
    await Promise.all([this.database.close(), this.redis.stop()]);
  }
}

/** A Redis that no other test uses. */
class OwnRedis {
  private constructor(
    private readonly dataDir: string,
    private parts: EmbeddedParts,
  ) {}

  static async start(): Promise<OwnRedis> {
    const dataDir = await mkdtemp(join(tmpdir(), 'hatif-edge-redis-'));
    return new OwnRedis(dataDir, await startedIn(dataDir));
  }

  get url(): string {
    return this.#part.url;
  }

  get #part(): NonNullable<EmbeddedParts['redis']> {
    if (!this.parts.redis) throw new Error('Redis was not started');
    return this.parts.redis;
  }

  kill(): void {
    process.kill(this.#part.pid, 'SIGKILL');
  }

  async again(): Promise<void> {
    this.parts = await startedIn(this.dataDir);
  }

  async stop(): Promise<void> {
    await stopEmbedded(this.parts);
    await rm(this.dataDir, { recursive: true, force: true });
  }
}

function startedIn(dataDir: string): Promise<EmbeddedParts> {
  const cacheDir = resolve(process.env.HATIF_CACHE_DIR ?? '.hatif-cache');
  const which = { postgres: false, redis: true, asterisk: false, speech: false };
  return startEmbedded({ dataDir, cacheDir }, which);
}
