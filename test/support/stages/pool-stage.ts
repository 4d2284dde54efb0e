import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Database } from '../../../core/data/database.js';
import type { EngineView } from '../../../core/services/engines/manage.js';
import type { Bootstrap } from '../../../main/install/bootstrap.js';
import { trunkOfEndpoint } from '../../../engine/asterisk/sip/pjsip-objects.js';
import { AsteriskHost } from '../../conformance/rigs/asterisk-host.js';
import { ask, type Answer } from '../api.js';
import { testDatabase, type TestDatabase } from '../platform/database.js';
import { eventually } from '../eventually.js';
import { Baresip, freeSipPort } from '../phones/index.js';
import { clearAway, PlatformProcess, processesOf, type ProcessSettings } from '../platform/platform-process.js';
import { runHatif } from '../platform/programs.js';
import { testRedis, type TestRedis } from '../platform/redis.js';
import { AGENT_HZ, CARRIER_HZ, TrunkTalkers } from '../calls/trunk-talkers.js';

/** Two Asterisks: one from the settings, one added by the `hatif` command. */
export const [FIRST, SECOND] = ['asterisk', 'second'] as const;
type EngineName = typeof FIRST | typeof SECOND;

/** Below the ports of phones. */
const RTP = { [FIRST]: { from: 18_000, to: 18_198 }, [SECOND]: { from: 18_200, to: 18_398 } };

/** A process of the application, with the content of its `bootstrap.json`. */
export interface Application {
  readonly process: PlatformProcess;
  readonly bootstrap: Bootstrap;
}

interface Access {
  readonly hosts: Readonly<Record<EngineName, AsteriskHost>>;
  readonly database: TestDatabase;
  readonly redis: TestRedis;
  readonly carrier: Baresip;
  readonly settings: ProcessSettings;
}

/** Two engines that several processes share, and phones on both. */
export class PoolStage {
  readonly #applications: Application[] = [];
  readonly #phones: Baresip[] = [];

  private constructor(private readonly made: Access) {}

  /**
   * Resolves when the engines and the carrier's phone are running; starts no process of the application.
   * @param more settings of the processes
   */
  static async start(more: ProcessSettings = {}): Promise<PoolStage> {
    const sipPort = await freeSipPort();
    const [database, redis, dataDir, carrier, first, second] = await Promise.all([
      testDatabase(),
      testRedis(),
      mkdtemp(join(tmpdir(), 'hatif-pool-')),
      Baresip.start({ codecs: ['PCMA'], user: 'carrier', sipPort, source: { toneHz: CARRIER_HZ } }),
      AsteriskHost.start(RTP[FIRST]),
      AsteriskHost.start(RTP[SECOND]),
    ]);
    const settings = {
      HATIF_DATA_DIR: dataDir,
      HATIF_SECRET: 'a secret that both processes share, for tests',
      PORT: '0',
      DATABASE_URL: database.url,
      REDIS_URL: redis.url,
      ASTERISK_ARI_URL: first.access.url,
      ASTERISK_ARI_USER: first.access.user,
      ASTERISK_ARI_PASSWORD: first.access.password,
      ASTERISK_SIP_ADDRESS: first.sipAddress,
      SIP_PORT: String(first.sipPort),
      SIP_TRUNK_URI: `sip:127.0.0.1:${sipPort}`,
      HATIF_FLAGS_OFF: 'call_velocity',
      WEBHOOK_ALLOW_LOOPBACK: 'true',
      DRAIN_SECONDS: '0',
      ...more,
    };
    return new PoolStage({ hosts: { [FIRST]: first, [SECOND]: second }, database, redis, carrier, settings });
  }

  get carrier(): Baresip {
    return this.made.carrier;
  }

  get db(): Database {
    return this.made.database.db;
  }

  host(name: EngineName): AsteriskHost {
    return this.made.hosts[name];
  }

  /** Starts another process on the same engines. */
  async application(): Promise<Application> {
    const process = PlatformProcess.start(this.made.settings);
    const application = { process, bootstrap: await process.ready() };
    this.#applications.push(application);
    return application;
  }

  /** Runs the `hatif` command. @param password the answer to its prompt */
  command(args: readonly string[], password = ''): Promise<string> {
    return runHatif(this.made.settings, args, password);
  }

  /** Adds the second engine. @param sip its SIP address */
  async addSecond(sip = this.host(SECOND).sipAddress): Promise<void> {
    const { url, user, password } = this.host(SECOND).access;
    const address = url.replace(/\/ari$/, '');
    await this.command(['engines', 'add', SECOND, address, '--user', user, '--sip', sip], password);
  }

  async engine(name: EngineName): Promise<EngineView> {
    const rows = JSON.parse(await this.command(['engines', 'list', '--json'])) as EngineView[];
    return rows.find((row) => row.name === name)!;
  }

  /** The id of the process that owns the engine and is connected to it. */
  async owner(name: EngineName): Promise<number | null> {
    const [row] = await this.made.database.db.query<{ owner: string }>(
      `SELECT owner FROM engines
       WHERE name = $1 AND status = 'up' AND lease_expires_at > clock_timestamp() AND removed_at IS NULL`,
      [name],
    );
    return row ? Number(row.owner.split(':')[1]) : null;
  }

  /** Whether new calls avoid the engine. */
  async isShunned(name: EngineName): Promise<boolean> {
    const rows = await this.made.database.db.query(
      `SELECT 1 FROM engines WHERE name = $1 AND (status <> 'up' OR sip_status = 'down')`,
      [name],
    );
    return rows.length === 1;
  }

  /** Resolves when each engine is owned by a different process. */
  async shared(): Promise<void> {
    await eventually(async () => {
      const [first, second] = [await this.owner(FIRST), await this.owner(SECOND)];
      return first !== null && second !== null && first !== second;
    }, 'each process owns an engine');
  }

  /** Resolves when the process owns both engines and is connected to them. */
  async ownedBy({ process: { pid } }: Application): Promise<void> {
    await eventually(async () => {
      return (await this.owner(FIRST)) === pid && (await this.owner(SECOND)) === pid;
    }, 'both engines are owned by one process');
  }

  /** The name of the call's engine. */
  async engineOf(callId: string): Promise<string> {
    const [row] = await this.made.database.db.query<{ name: string }>(
      'SELECT name FROM calls JOIN engines ON engines.id = engine_id WHERE calls.id = $1',
      [callId],
    );
    return row!.name;
  }

  /** Starts the agent's softphone at one of the engines; resolves when the database has its registration. */
  async softphone({ bootstrap }: Application, agent: string, at: EngineName): Promise<Baresip> {
    const { password } = bootstrap.sip.agents.find((one) => one.agent === agent)!;
    // An engine has an owner before it has the softphones; it refuses unknown ones.
    await eventually(async () => (await this.#endpoints(at)).includes(agent), `${at} has the endpoint ${agent}`);
    const registrar = { host: '127.0.0.1', port: this.host(at).sipPort, password };
    const phone = await Baresip.start({ codecs: ['PCMA'], user: agent, registrar, source: { toneHz: AGENT_HZ } });
    this.#phones.push(phone);
    await phone.registered();
    const query = `SELECT 1 FROM softphone_registrations JOIN engines ON engines.id = engine_id WHERE aor = $1 AND name = $2`;
    await eventually(
      async () => (await this.made.database.db.query(query, [agent, at])).length === 1,
      `${agent} is registered at ${at}`,
    );
    return phone;
  }

  /** The customer behind the trunk and an agent; this process places their calls. */
  talkers(application: Application, agent: Baresip): TrunkTalkers {
    return new TrunkTalkers((json) => this.call(application, json), this.carrier, agent);
  }

  request({ bootstrap }: Application, method: string, path: string, json?: object): Promise<Answer> {
    return ask(bootstrap.base_url, method, path, { key: bootstrap.live_key, ...(json && { json }) });
  }

  /** Places a call, which must be accepted. @returns its id */
  async call(application: Application, json: object): Promise<string> {
    const placed = await this.request(application, 'POST', '/v1/calls', json);
    expect(placed.status, placed.text).to.equal(202);
    return String(placed.body?.call_id);
  }

  /** Sends a control action, which must succeed. */
  async control(application: Application, callId: string, action: string): Promise<void> {
    const answer = await this.request(application, 'POST', `/v1/calls/${callId}/${action}`, {});
    expect(answer.status, `${action}: ${answer.text}`).to.equal(200);
  }

  /** Repeats a control action until it succeeds, when the call's engine has an owner again. */
  async controlled(application: Application, callId: string, action: string): Promise<void> {
    await eventually(async () => {
      return (await this.request(application, 'POST', `/v1/calls/${callId}/${action}`, {})).status === 200;
    }, `${callId} is controlled again`);
  }

  /** Resolves when both engines have at least `count` trunks, including those to each other's softphones. */
  async trunksKnown(count: number): Promise<void> {
    const known = async (name: EngineName): Promise<number> => {
      return (await this.#endpoints(name)).filter((endpoint) => trunkOfEndpoint(endpoint) !== null).length;
    };
    await eventually(async () => (await known(FIRST)) >= count && (await known(SECOND)) >= count, `${count} trunks`);
  }

  /** The id of the answered call of this line in this engine. */
  async callOf(line: string, name: EngineName): Promise<string> {
    const [row] = await this.made.database.db.query<{ id: string }>(
      `SELECT calls.id FROM calls JOIN engines ON engines.id = engine_id
       WHERE line_number = $1 AND engines.name = $2 AND calls.status = 'answered'`,
      [line, name],
    );
    return row!.id;
  }

  /** Resolves when this process reports this status of the call. */
  async becomes(application: Application, callId: string, status: string): Promise<Record<string, unknown>> {
    return eventually(async () => {
      const { body } = await this.request(application, 'GET', `/v1/calls/${callId}`);
      return body?.status === status && body;
    }, `${callId} is ${status}`);
  }

  /** Sends a signal to the engine's processes, e.g. to suspend and resume them. */
  signalEngine(name: EngineName, signal: 'SIGSTOP' | 'SIGCONT' | 'SIGKILL'): void {
    for (const pid of processesOf(this.host(name).folder)) process.kill(pid, signal);
  }

  /** The engine's PJSIP endpoints: softphones and trunks. */
  async #endpoints(name: EngineName): Promise<readonly string[]> {
    const endpoints = (await this.host(name).ask('/endpoints/PJSIP')) as { readonly resource: string }[];
    return endpoints.map(({ resource }) => resource);
  }

  /** Ends everything. */
  async close(): Promise<void> {
    for (const { process } of this.#applications) process.signal('SIGKILL');
    await Promise.all(this.#applications.map(({ process }) => process.exited));
    await Promise.all([this.carrier, ...this.#phones].map((phone) => phone.close()));
    const { hosts, database, redis, settings } = this.made;
    for (const name of [FIRST, SECOND]) this.signalEngine(name, 'SIGCONT');
    await Promise.all([hosts[FIRST].stop(), hosts[SECOND].stop()]);
    await clearAway(settings.HATIF_DATA_DIR!);
    await Promise.all([database.close(), redis.close()]);
  }
}
