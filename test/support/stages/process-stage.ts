import type { CallObject } from '../../../core/model/objects/call.js';
import { readFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { TimelineObject } from '../../../core/services/calls/read.js';
import type { Bootstrap } from '../../../main/install/bootstrap.js';
import { ask, type Answer } from '../api.js';
import { eventually } from '../eventually.js';
import { Baresip, type BaresipOptions } from '../phones/index.js';
import { settingsFor, sharedAsterisk } from '../platform/asterisk.js';
import { testDatabase, type TestDatabase } from '../platform/database.js';
import { clearAway, PlatformProcess, type ProcessSettings } from '../platform/platform-process.js';
import { testRedis } from '../platform/redis.js';
import { AGENT_HZ, CARRIER_HZ, TrunkTalkers } from '../calls/trunk-talkers.js';
import { WebhookReceiver } from '../peers/receiver.js';

/** If a call has two codecs, a phone's recording stops when Asterisk switches to the other one. */
const codecs = ['PCMA'] as const;

/** The platform as processes on one data folder, which tests end and start again, also in parallel; and phones. */
export class ProcessStage {
  /** All processes, the newest last; requests go to the newest. */
  readonly running: PlatformProcess[] = [];
  #bootstrap: Bootstrap | null = null;
  readonly #phones: Baresip[] = [];

  private constructor(readonly settings: ProcessSettings) {}

  /** Resolves when the first process is ready. */
  static async start(settings: ProcessSettings): Promise<ProcessStage> {
    const stage = new ProcessStage(settings);
    try {
      await stage.start();
    } catch (error) {
      await stage.close();
      throw error;
    }
    return stage;
  }

  get dataDir(): string {
    return this.settings.HATIF_DATA_DIR!;
  }

  /** The process that was started last. */
  get platform(): PlatformProcess {
    return this.running.at(-1)!;
  }

  /** The content of `bootstrap.json` after the last start. */
  get bootstrap(): Bootstrap {
    return this.#bootstrap!;
  }

  /** What the files of the data folder say about the running process. */
  published(): { readonly pid: number; readonly address: string } {
    const read = (name: string): string => readFileSync(join(this.dataDir, name), 'utf8');
    return { pid: Number(read('hatif.pid')), address: (JSON.parse(read('bootstrap.json')) as Bootstrap).base_url };
  }

  /** Starts another process with the same settings and these changes; resolves when it is ready. */
  async start(settings: ProcessSettings = {}): Promise<PlatformProcess> {
    const platform = PlatformProcess.start({ ...this.settings, ...settings });
    this.running.push(platform);
    this.#bootstrap = await platform.ready();
    return platform;
  }

  /** Kills the process that was started last (SIGKILL). */
  async kill(): Promise<void> {
    this.platform.signal('SIGKILL');
    expect(await this.platform.exited).to.equal(null);
  }

  /** Starts the softphone of a demo agent, the first by default; resolves when it is registered. */
  async softphone(agent = 0, toneHz = AGENT_HZ): Promise<Baresip> {
    const { host, port, agents } = this.bootstrap.sip;
    const { agent: user, password } = agents[agent]!;
    const registrar = { host, port, password };
    const phone = await Baresip.start({ codecs, user, registrar, source: { toneHz } });
    this.#phones.push(phone);
    await phone.registered();
    return phone;
  }

  /** A phone that does not register. */
  async phone(options: BaresipOptions): Promise<Baresip> {
    const phone = await Baresip.start({ codecs, ...options });
    this.#phones.push(phone);
    return phone;
  }

  /** The customer behind the trunk at this port, and the agent. */
  async talkers(sipPort: number): Promise<TrunkTalkers> {
    const carrier = await this.phone({ user: 'carrier', sipPort, source: { toneHz: CARRIER_HZ } });
    return new TrunkTalkers((json) => this.call(json), carrier, await this.softphone());
  }

  /** Starts a receiver of all events. */
  async receiver(): Promise<WebhookReceiver> {
    const receiver = await WebhookReceiver.start();
    const json = { url: receiver.url('/events'), events: ['*'] };
    const endpoint = await this.request('POST', '/v1/webhooks', json);
    expect(endpoint.status, endpoint.text).to.equal(201);
    const { body } = await this.request('GET', '/v1/webhooks/secret');
    receiver.trust(String(endpoint.body?.secret), String(body?.secret));
    return receiver;
  }

  request(method: string, path: string, json?: object): Promise<Answer> {
    const { base_url: url, live_key: key } = this.bootstrap;
    return ask(url, method, path, { key, ...(json && { json }) });
  }

  /** Places a call, which must be accepted. @returns its id */
  async call(json: object): Promise<string> {
    const placed = await this.request('POST', '/v1/calls', json);
    expect(placed.status, placed.text).to.equal(202);
    return String(placed.body?.call_id);
  }

  async read(callId: string): Promise<CallObject> {
    return (await this.request('GET', `/v1/calls/${callId}`)).body as unknown as CallObject;
  }

  async timeline(callId: string): Promise<TimelineObject[]> {
    return (await this.request('GET', `/v1/calls/${callId}/timeline`)).body?.data as TimelineObject[];
  }

  async hangup(callId: string): Promise<void> {
    const answer = await this.request('POST', `/v1/calls/${callId}/hangup`);
    expect(answer.status, answer.text).to.equal(200);
  }

  /** Resolves when the call has this status. */
  async becomes(callId: string, status: CallObject['status']): Promise<CallObject> {
    return eventually(async () => {
      const call = await this.read(callId);
      return call.status === status && call;
    }, `${callId} is ${status}`);
  }

  /** Resolves when a process has taken the call over. */
  async adopted(callId: string): Promise<void> {
    const isAdopted = ({ type }: TimelineObject): boolean => type === 'call.adopted';
    await eventually(async () => (await this.timeline(callId)).some(isAdopted), `${callId} is adopted`);
  }

  /** Ends everything. @param folder is removed, by default the data folder */
  async close(folder = this.dataDir): Promise<void> {
    for (const platform of this.running) platform.signal('SIGKILL');
    await Promise.all([...this.#phones.map((phone) => phone.close()), ...this.running.map(({ exited }) => exited)]);
    await clearAway(folder);
  }
}

/** A platform of its own, with the shared Asterisk. */
export interface OwnPlatform {
  readonly application: ProcessStage;
  readonly db: TestDatabase['db'];
  readonly close: () => Promise<void>;
}

/** Starts a platform with a database, a Redis and a data folder of its own. */
export async function ownPlatform(settings: ProcessSettings = {}): Promise<OwnPlatform> {
  const [asterisk, database, redis] = await Promise.all([sharedAsterisk(), testDatabase(), testRedis()]);
  const application = await ProcessStage.start({
    HATIF_DATA_DIR: await mkdtemp(join(tmpdir(), 'hatif-own-')),
    PORT: '0',
    DATABASE_URL: database.url,
    REDIS_URL: redis.url,
    ...settingsFor(asterisk),
    ...settings,
  });
  const close = async (): Promise<void> => {
    await application.close();
    await Promise.all([database.close(), redis.close()]);
  };
  return { application, db: database.db, close };
}
