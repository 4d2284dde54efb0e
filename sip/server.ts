import { unlessUnavailable } from '../core/data/errors.js';
import type { Cipher } from '../core/model/access/cipher.js';
import type { HostPort } from '../core/model/host-port.js';
import type { SipRefusal } from '../core/model/sip-edge.js';
import type { SipSecurity } from '../core/model/sip-security.js';
import type { Clock } from '../core/ports/clock.js';
import type { Logger } from '../core/ports/logger.js';
import { EDGE_ALIVE, EDGE_ALIVE_MS, type SipMemory } from '../core/ports/sip/memory.js';
import type { SipProbe } from '../core/ports/sip-probe.js';
import { runPeriodicTasks, type PeriodicTask } from '../core/services/runtime/periodic-task.js';
import { Admission, type AdmissionOptions } from './calls/admission.js';
import { EdgeCalls } from './calls/calls.js';
import { CarrierProbes } from './calls/carrier-probes.js';
import { EdgeDelay } from './calls/edge-delay.js';
import { EdgeDirectory, type DirectoryOptions } from './calls/directory.js';
import { WaitingMessages, type WaitingMessagesOptions } from './calls/messages.js';
import { currentFlow } from './calls/targets.js';
import { TextAdmission, type TextAdmissionOptions } from './calls/text-admission.js';
import { EdgeTexts } from './calls/texts.js';
import { DrachtioServer } from './drachtio/server.js';
import { Guard, type GuardOptions } from './guards/guard.js';
import { RefusalCounts, type RefusalCountsOptions } from './guards/refusals.js';
import { Tarpit } from './guards/tarpit.js';
import type { DigestAlgorithm } from './message/digest.js';
import { Authenticator, type AuthenticatorOptions } from './registrar/authenticator.js';
import { Location, type LocationOptions } from './registrar/location.js';
import { Nonces } from './registrar/nonces.js';
import { Registrar } from './registrar/registrar.js';
import type { Callee } from './relay/outwards.js';
import { openRelay, type OpenedRelay } from './open-relay.js';
import { EdgeRequests } from './requests.js';
import { SubscriptionAdmission, type AdmissionOptions as SubscriptionOptions } from './subscriptions/admit.js';
import { Notifier, type NotifierOptions } from './subscriptions/notifier.js';

/** What the edge reports for metrics. */
export interface EdgeObserver {
  readonly lockout: GuardOptions['observe'];
  readonly refused: (reason: SipRefusal) => void;
  readonly delayed: () => void;
}

export interface EdgeServerOptions {
  /** Where drachtio-server accepts applications, its secret, and the port of its SIP over UDP. */
  readonly drachtio: {
    readonly host: string;
    readonly port: number;
    readonly secret: string;
    readonly sipPort: number;
  };
  /** Where engines reach the edge. */
  readonly relay: HostPort;
  readonly externalHost: DirectoryOptions['externalHost'];
  readonly localNetworks: DirectoryOptions['localNetworks'];
  readonly algorithms: readonly DigestAlgorithm[];
  readonly security: SipSecurity;
  readonly emergency: ReadonlySet<string>;
  readonly accountByAor: AuthenticatorOptions['accountByAor'];
  readonly watched: SubscriptionOptions['watched'];
  readonly contacts: LocationOptions['contacts'] & GuardOptions['contacts'] & WaitingMessagesOptions['contacts'];
  readonly subscriptions: NotifierOptions['subscriptions'];
  readonly messagesOf: NotifierOptions['messagesOf'];
  /** Stores texts that phones send. */
  readonly takeText: TextAdmissionOptions['store'];
  readonly lockouts: GuardOptions['lockouts'];
  readonly networks: GuardOptions['networks'];
  readonly refusals: RefusalCountsOptions['refusals'];
  readonly countries: GuardOptions['countries'];
  readonly engines: DirectoryOptions['engines'];
  readonly trunks: DirectoryOptions['trunks'];
  readonly resolve: DirectoryOptions['resolve'];
  /** The interval at which trunks are probed. */
  readonly trunkProbeSeconds: number;
  readonly ratePerSecond: AdmissionOptions['ratePerSecond'];
  readonly reportToAgent: GuardOptions['reportToAgent'];
  readonly observer: EdgeObserver;
  readonly cipher: Cipher;
  readonly memory: SipMemory;
  readonly probe: SipProbe;
  readonly clock: Clock;
  readonly log: Logger;
}

const EVERY_SECOND_MS = 1_000;
const DELAY_EVERY_MS = 250;
const MESSAGES_EVERY_MS = 2_000;
const GUARDS_EVERY_MS = 5_000;
const EXPIRY_EVERY_MS = 5_000;
const FORGOTTEN_EVERY_MS = 3_600_000;

/** One process of the SIP edge. Any number of them share a drachtio-server, and serve requests in turn. */
export class EdgeServer {
  readonly #drachtio: DrachtioServer;
  readonly #guard: Guard;
  readonly #refusals: RefusalCounts;
  readonly #directory: EdgeDirectory;
  readonly #location: Location;
  readonly #messages: WaitingMessages;
  readonly #relay: OpenedRelay;
  readonly #notifier: Notifier;
  readonly #probes: CarrierProbes;
  readonly #delay: EdgeDelay;
  /** Sends texts to phones. */
  readonly texts: EdgeTexts;
  #closers: (() => unknown)[] = [];

  constructor(private readonly options: EdgeServerOptions) {
    const { cipher, memory, clock, log, contacts, drachtio, relay: inside, countries, observer } = options;
    const mac = (text: string): string => cipher.mac('edge', text);
    this.#directory = new EdgeDirectory({ ...options, drachtioHost: drachtio.host, relayHost: inside.host });
    this.#location = new Location({ contacts, memory, clock });
    this.#guard = new Guard({ ...options, observe: observer.lockout });
    this.#refusals = new RefusalCounts({ ...options, countries, observe: observer.refused });
    const location = this.#location;
    const flowOf = (aor: string, contact: string): Promise<string | null> => currentFlow(location, aor, contact);
    this.#relay = openRelay({
      ...{ inside, directory: this.#directory, flowOf, mac, clock, log },
      isNear: (callee) => this.#isNear(callee),
      drachtio: { host: drachtio.host, port: drachtio.sipPort },
      publicHost: () => this.#drachtio.host,
      onOwn: (own) => this.#notifier.serve(own),
    });
    const { relay, tokens, outside } = this.#relay;
    this.#notifier = new Notifier({
      ...{ subscriptions: options.subscriptions, messagesOf: options.messagesOf, tokens, outside, flowOf, clock, log },
      send: (request, to) => relay.send(request, to),
      answer: (response, to) => relay.answer(response, to),
    });
    this.#delay = new EdgeDelay({
      relay: outside,
      send: (...parts) => this.#drachtio.send(...parts),
      monotonicMs: () => clock.monotonicMs(),
    });
    const requests = this.#requests(mac);
    this.#drachtio = new DrachtioServer({
      ...drachtio,
      onRequest: (request) => void requests.handle(request),
      log,
    });
    this.#messages = new WaitingMessages({
      ...{ contacts, messagesOf: options.messagesOf, log },
      canSend: () => this.#drachtio.isConnected,
      send: (...parts) => this.#drachtio.send(...parts),
    });
    this.texts = new EdgeTexts({
      ...{ location, memory, security: options.security },
      canSend: () => this.#drachtio.isConnected,
      host: () => this.#drachtio.host,
      send: (...parts) => this.#drachtio.send(...parts),
    });
    this.#probes = new CarrierProbes({
      ...{ directory: this.#directory, memory, clock, everyMs: options.trunkProbeSeconds * 1_000, random: Math.random },
      send: (...parts) => this.#drachtio.send(...parts),
    });
  }

  #requests(mac: (text: string) => string): EdgeRequests {
    const { options } = this;
    const { memory, clock, log, observer } = options;
    const location = this.#location;
    const { tokens, outside } = this.#relay;
    const calls = new EdgeCalls({
      ...{ ...options, directory: this.#directory, location, tokens, relay: outside, mac },
      admission: new Admission({ ...options, now: () => clock.now() }),
      monotonicMs: () => clock.monotonicMs(),
      delayMs: () => this.#delay.currentMs(),
      isNear: (host) => this.#directory.isNear(host),
      reaches: (target) => this.#drachtio.reaches(target),
    });
    return new EdgeRequests({
      ...{ ...options, directory: this.#directory, guard: this.#guard, location, calls, log },
      isRelay: (source) => this.#relay.isRelay(source),
      tarpit: new Tarpit({ observe: observer.delayed, clock }),
      refused: (reason, host) => this.#refusals.note(reason, host),
      authenticator: new Authenticator({ ...options, nonces: new Nonces(mac, memory, clock) }),
      registrar: new Registrar({ location, mayAddPath: (source) => this.#guard.isAllowed(source), clock }),
      texts: new TextAdmission({ store: options.takeText, memory }),
      subscriptions: new SubscriptionAdmission({
        watched: options.watched,
        pass: (request, subscription) => calls.subscribe(request, subscription),
      }),
    });
  }

  get isConnected(): boolean {
    return this.#drachtio.isConnected;
  }

  /** Whether this process is the one of its machine that has the relay. */
  get isRelaying(): boolean {
    return this.#relay.relay.isServing;
  }

  /** Resolves once drachtio-server can be used. */
  connected(): Promise<void> {
    return this.#drachtio.connected();
  }

  /** Reads what requests are judged by, and connects. drachtio-server may be away; the edge connects when it returns. */
  async start(): Promise<void> {
    const { memory, clock, log } = this.options;
    await Promise.all([this.#directory.refresh(), this.#guard.refresh()]);
    const tasks: readonly PeriodicTask[] = [
      { name: 'sip-directory', everyMs: EVERY_SECOND_MS, run: () => whileThere(this.#directory.refresh()) },
      { name: 'sip-heartbeat', everyMs: EVERY_SECOND_MS, startsAtOnce: true, run: () => this.#beat() },
      { name: 'sip-guards', everyMs: GUARDS_EVERY_MS, run: () => whileThere(this.#guard.refresh()) },
      { name: 'sip-expiry', everyMs: EXPIRY_EVERY_MS, run: () => whileThere(this.#location.sweep()) },
      { name: 'sip-lamps', everyMs: EVERY_SECOND_MS, restFactor: 5, run: () => this.#notify() },
      {
        name: 'sip-messages',
        everyMs: MESSAGES_EVERY_MS,
        restFactor: 10,
        run: () => whileThere(this.#messages.update()),
      },
      { name: 'sip-delay', everyMs: DELAY_EVERY_MS, run: () => this.#delay.measure() },
      { name: 'sip-trunks', everyMs: EVERY_SECOND_MS, run: () => this.#probe() },
      { name: 'sip-refusals', everyMs: GUARDS_EVERY_MS, run: () => whileThere(this.#refusals.write()) },
      { name: 'sip-lockouts', everyMs: FORGOTTEN_EVERY_MS, run: () => this.#forget() },
    ];
    this.#closers.push(runPeriodicTasks(tasks, { clock, log }));
    const unfollow = memory.follow((notice) => {
      if (notice.type === 'guards') this.#inBackground(this.#guard.refresh());
    });
    this.#closers.push(unfollow);
    await this.#relay.relay.start();
    this.#drachtio.start();
  }

  /** Calls continue: later requests in them take the same way, through any process of the edge. */
  async stop(): Promise<void> {
    this.#drachtio.stop();
    for (const close of this.#closers.splice(0)) await close();
    await this.#relay.relay.stop();
    await this.#refusals.write().catch(() => undefined);
  }

  /** Several phones that ring get the same offer: it is for the farthest one. */
  async #isNear({ aor, host: carrier }: Callee): Promise<boolean> {
    if (aor === '') return this.#directory.isHostNear(carrier);
    const hosts = (await this.#location.of(aor)).map(({ source_host: host }) => host);
    return hosts.length > 0 && hosts.every((host) => this.#directory.isNear(host));
  }

  async #beat(): Promise<void> {
    if (this.isConnected) await this.options.memory.write(EDGE_ALIVE, 'up', EDGE_ALIVE_MS);
  }

  /** Only the process with the relay can send notifications. */
  async #notify(): Promise<void> {
    if (this.isRelaying) await whileThere(this.#notifier.update());
  }

  /** One process asks for all. */
  #probe(): Promise<void> {
    if (this.isRelaying && this.isConnected) this.#probes.askDue();
    return Promise.resolve();
  }

  async #forget(): Promise<void> {
    await this.#guard.sweep();
    await this.#refusals.sweep();
  }

  #inBackground(work: Promise<unknown>): void {
    work.catch((error: unknown) => this.options.log.warn({ err: error }, 'the SIP edge could not follow a notice'));
  }
}

/** While the database is unavailable, what was read last is used. */
async function whileThere(work: Promise<void>): Promise<void> {
  await unlessUnavailable(work, () => undefined);
}
