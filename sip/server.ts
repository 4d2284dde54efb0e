import { unlessUnavailable } from '../core/data/errors.js';
import type { Cipher } from '../core/model/access/cipher.js';
import type { Clock } from '../core/ports/clock.js';
import type { Logger } from '../core/ports/logger.js';
import type { SipMemory } from '../core/ports/sip/memory.js';
import type { SipProbe } from '../core/ports/sip-probe.js';
import { runPeriodicTasks, type PeriodicTask } from '../core/services/runtime/periodic-task.js';
import { EdgeCalls } from './calls/calls.js';
import { WaitingMessages } from './calls/messages.js';
import { EdgeDirectory, type DirectoryOptions } from './calls/directory.js';
import { DrachtioServer } from './drachtio/server.js';
import { Guard, type GuardOptions } from './guards/guard.js';
import type { DigestAlgorithm } from './message/digest.js';
import { Authenticator, type AuthenticatorOptions } from './registrar/authenticator.js';
import { Location, type LocationOptions } from './registrar/location.js';
import { Nonces } from './registrar/nonces.js';
import { Registrar } from './registrar/registrar.js';
import { EdgeRequests } from './requests.js';

export interface EdgeServerOptions {
  /** Where drachtio-server accepts applications, and its secret. */
  readonly drachtio: { readonly host: string; readonly port: number; readonly secret: string };
  readonly algorithms: readonly DigestAlgorithm[];
  readonly agentByAor: AuthenticatorOptions['agentByAor'];
  readonly contacts: LocationOptions['contacts'] & GuardOptions['contacts'];
  readonly lockouts: GuardOptions['lockouts'];
  readonly networks: GuardOptions['networks'];
  readonly engines: DirectoryOptions['engines'];
  readonly trunks: DirectoryOptions['trunks'];
  readonly resolve: DirectoryOptions['resolve'];
  readonly observeLockout: GuardOptions['observe'];
  readonly cipher: Cipher;
  readonly memory: SipMemory;
  readonly probe: SipProbe;
  readonly clock: Clock;
  readonly log: Logger;
}

const EVERY_SECOND_MS = 1_000;
const GUARDS_EVERY_MS = 5_000;
const EXPIRY_EVERY_MS = 5_000;
const FORGOTTEN_EVERY_MS = 3_600_000;

/** One process of the SIP edge. Any number of them share a drachtio-server, and serve requests in turn. */
export class EdgeServer {
  readonly #drachtio: DrachtioServer;
  readonly #guard: Guard;
  readonly #directory: EdgeDirectory;
  readonly #location: Location;
  readonly #messages: WaitingMessages;
  #closers: (() => unknown)[] = [];

  constructor(private readonly options: EdgeServerOptions) {
    const { cipher, memory, probe, clock, log, contacts } = options;
    const mac = (text: string): string => cipher.mac('edge', text);
    this.#directory = new EdgeDirectory(options);
    this.#location = new Location({ contacts, memory, clock });
    this.#guard = new Guard({ ...options, observe: options.observeLockout });
    const nonces = new Nonces(mac, memory, clock);
    const location = this.#location;
    const requests = new EdgeRequests({
      directory: this.#directory,
      guard: this.#guard,
      authenticator: new Authenticator({ ...options, nonces }),
      registrar: new Registrar({ location, mayAddPath: (source) => this.#guard.isAllowed(source), clock }),
      location,
      calls: new EdgeCalls({
        ...{ directory: this.#directory, location, probe, mac, log },
        monotonicMs: () => clock.monotonicMs(),
      }),
      log,
    });
    this.#drachtio = new DrachtioServer({
      ...options.drachtio,
      onRequest: (request) => void requests.handle(request),
      log,
    });
    this.#messages = new WaitingMessages({
      ...{ location, memory, log },
      send: (...parts) => this.#drachtio.send(...parts),
    });
  }

  get isConnected(): boolean {
    return this.#drachtio.isConnected;
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
      { name: 'sip-guards', everyMs: GUARDS_EVERY_MS, run: () => whileThere(this.#guard.refresh()) },
      { name: 'sip-expiry', everyMs: EXPIRY_EVERY_MS, run: () => whileThere(this.#location.sweep()) },
      { name: 'sip-lockouts', everyMs: FORGOTTEN_EVERY_MS, run: () => this.#guard.sweep() },
    ];
    this.#closers.push(runPeriodicTasks(tasks, { clock, log }));
    const unfollow = memory.follow((notice) => {
      if (notice.type === 'guards') this.#inBackground(this.#guard.refresh());
      if (notice.type === 'messages') this.#inBackground(this.#messages.show(notice));
    });
    this.#closers.push(unfollow);
    this.#drachtio.start();
  }

  /** Calls that a proxy passed on continue; those that need this process end with its connection. */
  async stop(): Promise<void> {
    this.#drachtio.stop();
    for (const close of this.#closers.splice(0)) await close();
  }

  #inBackground(work: Promise<unknown>): void {
    work.catch((error: unknown) => this.options.log.warn({ err: error }, 'the SIP edge could not follow a notice'));
  }
}

/** While the database is unavailable, what was read last is used. */
async function whileThere(work: Promise<void>): Promise<void> {
  await unlessUnavailable(work, () => undefined);
}
