import type { CallObject } from '../../../core/model/objects/call.js';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Settings } from '../../../config/settings.js';
import { isFinal, type CallStatus } from '../../../core/model/call/call.js';
import { systemClock } from '../../../core/ports/clock.js';
import type { Demo } from '../../../core/services/bootstrap/demo.js';
import type { TimelineObject } from '../../../core/services/calls/read.js';
import { openDemo } from '../../../main/install/bootstrap.js';
import { openLog } from '../../../main/install/log.js';
import type { Parts } from '../../../main/install/parts.js';
import { startPlatform, type Platform } from '../../../main/platform.js';
import { newOrganizationFlags } from '../../../main/wiring/flags.js';
import { openCipher } from '../../../main/install/secret.js';
import { askAsterisk } from './asterisk.js';
import { ask, type Answer, type RequestOptions } from '../api.js';
import { noteProduced, noteServed } from '../judges/error-coverage.js';
import { readChannels, type Audio } from '../judges/audio.js';
import { eventually } from '../eventually.js';
import { secretsIn } from '../judges/log-secrets.js';
import { Baresip, Sipp, type BaresipOptions, type SippOptions } from '../phones/index.js';
import { openGround, type Cables, type Ground, type TestPlatformOptions } from './platform-ground.js';
import { WebhookReceiver, type Received } from '../peers/receiver.js';
import { newTenant, type Tenant, type TenantOptions } from './tenant.js';

interface Charge {
  readonly number: string;
  readonly direction: 'inbound' | 'outbound';
  readonly kind: string;
  readonly seconds: number;
}

/** If a call has two codecs, a phone's recording stops when Asterisk switches to the other one. */
const ONE_CODEC = ['PCMA'] as const;

/**
 * The whole platform in this process on real parts, with the demo organization, a trunk to `carrierPort` and a receiver
 * of all events. The run shares PostgreSQL and Redis, the files of a process share Asterisk; the database is separate.
 */
export class TestPlatform {
  /** Responses of the API that do not match its route definitions. */
  readonly faults: string[] = [];
  readonly #phones: Baresip[] = [];
  readonly #agents: Demo['agents'][number][] = [];
  #carrier: Baresip | Sipp | null = null;
  #platform: Platform | null = null;
  #demo: Demo | null = null;
  #signingSecret!: string;
  #trusted: string[] = [];

  private constructor(
    private readonly ground: Ground,
    readonly receiver: WebhookReceiver,
  ) {}

  /** Resolves when the API, the engine and the receiver are up. Call {@link stop} at the end. */
  static async start(options: TestPlatformOptions = {}): Promise<TestPlatform> {
    const [ground, receiver] = await Promise.all([openGround(options), WebhookReceiver.start()]);
    const started = new TestPlatform(ground, receiver);
    await started.resume();
    await started.#listen();
    return started;
  }

  get settings(): Settings {
    return this.ground.settings;
  }

  get parts(): Parts {
    return this.ground.parts;
  }

  /** The port of the default trunk's remote side. */
  get carrierPort(): number {
    return this.ground.carrierPort;
  }

  /** The proxies that can be cut, if the platform was started with cables. */
  get cables(): Cables | null {
    return this.ground.cables;
  }

  get platform(): Platform {
    if (!this.#platform) throw new Error('the platform is halted');
    return this.#platform;
  }

  get url(): string {
    return given(this.platform.api?.url);
  }

  /** The demo organization: its keys, its line to the echo service, its agents with their numbers. */
  get demo(): Demo {
    return given(this.#demo);
  }

  /** Signs events for a call's own `webhook_url`. */
  get signingSecret(): string {
    return this.#signingSecret;
  }

  /** Sends an API request, with the demo's live key by default. */
  async request(method: string, path: string, options: RequestOptions = {}): Promise<Answer> {
    return ask(this.url, method, path, { key: this.demo.liveKey, ...options });
  }

  /** Places a call, which must be accepted. */
  async call(json: object): Promise<CallObject> {
    return this.#expect<CallObject>(202, 'POST', '/v1/calls', { json });
  }

  async read(callId: string): Promise<CallObject> {
    return this.#expect<CallObject>(200, 'GET', `/v1/calls/${callId}`);
  }

  async hangup(callId: string): Promise<void> {
    await this.#expect(200, 'POST', `/v1/calls/${callId}/hangup`);
  }

  async timeline(callId: string): Promise<readonly TimelineObject[]> {
    const { data } = await this.#expect<{ data: TimelineObject[] }>(200, 'GET', `/v1/calls/${callId}/timeline`);
    return data;
  }

  /** Resolves when another application process has taken the call over. */
  async adopted(callId: string): Promise<void> {
    const isAdopted = async (): Promise<boolean> =>
      (await this.timeline(callId)).some(({ type }) => type === 'call.adopted');
    await eventually(isAdopted, `${callId} is adopted`);
  }

  /** The charges of the call, once all its legs have ended: one row for each billable leg. */
  async charges(callId: string): Promise<readonly Charge[]> {
    const isQuiet = ({ legs }: CallObject): boolean => legs.every(({ status }) => status === 'ended');
    await eventually(async () => isQuiet(await this.read(callId)), `the end of all legs of ${callId}`);
    return this.platform.stores.db.query<Charge>(
      `SELECT number, direction, kind, seconds FROM charges WHERE call_id = $1 ORDER BY id`,
      [callId],
    );
  }

  /** The channels of the call's newest recording, downloaded from its link once it is stored. */
  async recording(callId: string): Promise<readonly Audio[]> {
    await this.receivedEvent(callId, 'call.recording_ready');
    const { url } = await this.#expect<{ url: string }>(200, 'GET', `/v1/calls/${callId}/recording`);
    const response = await fetch(url);
    expect(response.status, 'the link of a recording').to.equal(200);
    return readChannels(new Uint8Array(await response.arrayBuffer()));
  }

  /** The latest calls of the project, newest first. */
  async latest(limit = 5): Promise<readonly CallObject[]> {
    return (await this.#expect<{ data: CallObject[] }>(200, 'GET', `/v1/calls?limit=${limit}`)).data;
  }

  /** Resolves with the call's event of this type at the receiver, already received or still to come. */
  async receivedEvent(callId: string, type: string): Promise<Received> {
    return this.receiver.waitFor((event) => event.type === type && event.data.call_id === callId, `${type} ${callId}`);
  }

  /**
   * Resolves with the call when the receiver has its final event. Also checks that all its events are signed, without a
   * gap, in order and legal, and that the API returns the same call.
   */
  async over(callId: string): Promise<CallObject> {
    const { data } = await this.receiver.waitFor(
      (event) => isOf(event, callId) && isFinal(event.data.status as CallStatus) && event.status !== null,
      `the end of ${callId}`,
    );
    this.receiver.assertSound();
    this.receiver.assertLegalPath(callId);
    this.receiver.assertInOrder(callId);
    const read = await this.read(callId);
    // A recording may have become available since.
    const { sequence, recovered, legs, recording_available, ...sent } = data;
    expect(read).to.deep.include(sent);
    return read;
  }

  /** Resolves when no delivery of the call's events is pending. */
  async delivered(callId: string): Promise<void> {
    const sql = `SELECT 1 FROM webhook_deliveries WHERE call_id = $1 AND status = 'pending'`;
    const { db } = this.platform.stores;
    await eventually(async () => (await db.query(sql, [callId])).length === 0, `all of ${callId} is delivered`);
  }

  /** Waits for the first event of an incoming call that fits, including earlier ones. @returns the call's id */
  async incoming(fits: (call: CallObject) => boolean = () => true): Promise<string> {
    const event = await this.receiver.waitFor(({ type, data }) => {
      return type === 'call.initiated' && data.kind === 'inbound' && fits(data as unknown as CallObject);
    }, 'an incoming call');
    return String(event.data.call_id);
  }

  /**
   * Makes a phone call in. Resolves when the receiver has an event of a new call.
   * @returns the phone's id of the call, and the platform's
   */
  async dialIn(phone: Baresip, target: string): Promise<{ readonly id: string; readonly callId: string }> {
    // Also those whose events are still on the way.
    const known = new Set((await this.latest(100)).map(({ call_id }) => call_id));
    const id = await phone.dial(target);
    return { id, callId: await this.incoming(({ call_id }) => !known.has(call_id)) };
  }

  /** The demo agent's softphone, registered. */
  async softphone(agent: string, options: Partial<BaresipOptions> = {}): Promise<Baresip> {
    const { password } = this.agent(agent);
    const phone = await this.phone({ user: agent, registrar: { ...this.parts.sip, password }, ...options });
    await phone.registered();
    return phone;
  }

  /** Replaces the trunk's remote side by a phone. */
  async carrier(options: Partial<BaresipOptions> = {}): Promise<Baresip> {
    await this.noCarrier();
    return this.#become(
      await Baresip.start({ codecs: ONE_CODEC, user: 'carrier', sipPort: this.carrierPort, ...options }),
    );
  }

  /** Replaces the trunk's remote side by a sipp scenario. */
  async sippCarrier(options: SippOptions): Promise<Sipp> {
    await this.noCarrier();
    return this.#become(await Sipp.start({ port: this.carrierPort, ...options }));
  }

  /** Leaves the trunk without a remote side. */
  async noCarrier(): Promise<void> {
    await this.#carrier?.kill();
    this.#carrier = null;
  }

  /** Starts a phone, which is closed with the platform at the latest. */
  async phone(options: BaresipOptions): Promise<Baresip> {
    const phone = await Baresip.start({ codecs: ONE_CODEC, ...options });
    this.#phones.push(phone);
    return phone;
  }

  /** Creates another organization with one project and its keys. */
  async tenant(options: TenantOptions = {}): Promise<Tenant> {
    return newTenant(this.platform, this.settings, options);
  }

  /** Creates another agent with a number. */
  async newAgent(agent: string): Promise<void> {
    const { stores, management, engine } = this.platform;
    const project = given((await stores.projects.list())[0]);
    const { sipPassword: password } = await management.agents.add(project, agent);
    const number = `+9661155502${this.#agents.length.toString().padStart(2, '0')}`;
    await management.numbers.add(project, number, { type: 'agent', target: agent });
    await engine?.configurationChanged();
    this.#agents.push({ agent, password, number });
  }

  agent(agent: string): Demo['agents'][number] {
    const found = this.#agents.find((one) => one.agent === agent);
    if (!found) throw new Error(`there is no agent ${agent}`);
    return found;
  }

  /** The address of a number at the engine's SIP port. */
  sipUri(number: string): string {
    return `sip:${number}@${this.parts.sip.host}:${this.parts.sip.port}`;
  }

  /** Stops the application at once; its calls continue in the engine. */
  async halt(): Promise<void> {
    const platform = this.platform;
    this.#platform = null;
    await platform.stop(0, false);
  }

  /** Starts the application (again) on the same parts; resolves when the engine has every softphone and trunk. */
  async resume(): Promise<void> {
    const { settings, parts } = this;
    const cipher = await openCipher(settings);
    const platform = await startPlatform({
      settings,
      parts,
      cipher,
      log: openLog(settings).log,
      observer: {
        errorProduced: noteProduced,
        undeclaredError: (error, { method, path }) =>
          void this.faults.push(
            `${method} ${path} answered ${error.code}, which it does not declare: ${error.message}`,
          ),
        responseMismatch: ({ method, path }, status, problem) =>
          void this.faults.push(`${method} ${path} answered ${status}, which does not match its schema: ${problem}`),
      },
    });
    this.#platform = platform;
    noteServed(platform.api?.routes ?? []);
    const { stores, management } = platform;
    this.#demo ??= given(
      await openDemo(settings, stores.organizations, {
        accounts: {
          createOrganization: (row) => stores.organizations.create(row),
          createProject: (row) => stores.projects.create(row),
        },
        ...management,
        flags: newOrganizationFlags(settings),
        cipher,
        clock: systemClock,
      }),
    );
    if (this.#agents.length === 0) this.#agents.push(...this.#demo.agents);
    await this.engineIsUp();
    await platform.engine?.configurationChanged();
  }

  /** Resolves when the platform owns the engine and is connected to it. */
  async engineIsUp(): Promise<void> {
    await eventually(() => this.platform.engine?.isReady === true, 'the engine is connected');
  }

  /** Resolves when Asterisk has at most `left` SIP channels. */
  async engineForgets(left: number): Promise<void> {
    const parties = async (): Promise<number> => {
      const channels = (await (await askAsterisk('GET', '/channels')).json()) as { name: string }[];
      return channels.filter(({ name }) => name.startsWith('PJSIP/')).length;
    };
    await eventually(async () => (await parties()) <= left, `Asterisk has ${left} parties left`);
  }

  /** Changes a variable of Asterisk's dialplan. */
  async engineVariable(name: string, value: string): Promise<void> {
    const variable = new URLSearchParams({ variable: name, value }).toString();
    expect((await askAsterisk('POST', `/asterisk/variable?${variable}`)).status, name).to.equal(204);
  }

  /** For `afterEach`: throws unless all responses of the API match its definitions. */
  assertSound(): void {
    expect(this.faults.splice(0)).to.deep.equal([]);
  }

  /** From now on, the receiver also gets the events of sandbox keys. */
  async listenToSandbox(): Promise<void> {
    // The challenge is signed with the secret that the answer contains.
    this.receiver.trust();
    this.#trusted.push(await this.#createEndpoint(this.demo.sandboxKey));
    this.receiver.trust(...this.#trusted);
  }

  /** Ends everything; the log must not contain a secret. */
  async stop(): Promise<void> {
    await this.noCarrier();
    await Promise.all(this.#phones.map((phone) => phone.close()));
    await this.#platform?.stop(0, true);
    await this.receiver.close();
    const [log, secret] = ['logs/hatif.log', 'secret'].map((name) =>
      readFileSync(join(this.settings.HATIF_DATA_DIR, name), 'utf8').trim(),
    ) as [string, string];
    await this.ground.close();
    const { sandboxKey, liveKey } = this.demo;
    const passwords = [...this.#agents.map(({ password }) => password), given(this.parts.ari).password];
    expect(log).to.contain('engine connected');
    expect(secretsIn(log, [sandboxKey, liveKey, this.signingSecret, secret, ...passwords])).to.deep.equal([]);
  }

  #become<T extends Baresip | Sipp>(carrier: T): T {
    this.#carrier = carrier;
    return carrier;
  }

  async #listen(): Promise<void> {
    this.#signingSecret = (await this.#expect<{ secret: string }>(200, 'GET', '/v1/webhooks/secret')).secret;
    this.#trusted = [await this.#createEndpoint(this.demo.liveKey), this.#signingSecret];
    this.receiver.trust(...this.#trusted);
  }

  /** @returns the endpoint's secret */
  async #createEndpoint(key: string): Promise<string> {
    const json = { url: this.receiver.url('/events'), events: ['*'] };
    return (await this.#expect<{ secret: string }>(201, 'POST', '/v1/webhooks', { key, json })).secret;
  }

  async #expect<T>(status: number, method: string, path: string, options?: RequestOptions): Promise<T> {
    const answer = await this.request(method, path, options);
    expect(answer.status, answer.text).to.equal(status);
    return answer.body as T;
  }
}

/** Events of a conference have a call, too, but a status that is not the call's. */
function isOf({ type, data }: Received, callId: string): boolean {
  return type.startsWith('call.') && data.call_id === callId;
}

function given<T>(value: T | null | undefined): T {
  if (value === null || value === undefined) throw new Error('is missing');
  return value;
}
