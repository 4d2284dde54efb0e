import { Q850 } from '../../core/model/call/hangup-cause.js';
import { newId } from '../../core/model/ids.js';
import type { Clock } from '../../core/ports/clock.js';
import {
  EngineError,
  type Bridges,
  type CallerId,
  type Engine,
  type EngineCapability,
  type EngineEvent,
  type EngineSnapshot,
  type EngineStatus,
  type Mwi,
  type LegEndpoint,
  type LegEvent,
  type Monitors,
  type Registrations,
  type Softphone,
  type Trunks,
} from '../../core/ports/engine.js';
import { sandboxParty, type Party } from './party.js';
import { NO_RECORDINGS } from './no-recordings.js';
import { SimulatorLegs } from './simulator-legs.js';
import { monitorsOf } from './simulator-monitors.js';
import { SimulatorMedia, stopQueue } from './simulator-media.js';
import { World, type SimulatedLeg } from './world.js';

export interface SimulatorEngineOptions {
  readonly clock: Clock;
  /** How the other side of each outbound leg behaves; the sandbox's destinations by default. */
  readonly partyOf?: (endpoint: LegEndpoint) => Party;
}

export interface SimulatedIncoming {
  readonly source: Extract<LegEvent, { type: 'leg.incoming' }>['source'];
  readonly dialled: string;
  readonly callerId: CallerId;
}

const VERSION = '1';

/**
 * An engine without telephones: deterministic, driven by its clock alone. The methods after the port's own are the
 * world outside: who calls in, presses digits, hangs up, and how the engine itself fails.
 */
export class SimulatorEngine implements Engine {
  readonly kind = 'simulator';
  readonly capabilities: ReadonlySet<EngineCapability> = new Set<EngineCapability>([
    'play',
    'dtmf',
    'hold',
    'mute',
    'echo',
    'monitor',
    'registrations',
    'trunks',
    'early_media',
  ]);
  readonly legs: SimulatorLegs;
  readonly media: SimulatorMedia;
  readonly bridges: Bridges;
  /** There is no sound here that could be kept. */
  readonly recordings = NO_RECORDINGS;
  readonly monitors: Monitors;
  readonly registrations: Registrations;
  /** Its telephones have none. */
  readonly mwi: Mwi = {
    show: () => Promise.reject(new EngineError('unsupported', 'The simulator has no lamps')),
  };
  readonly trunks: Trunks;
  readonly #world: World;
  readonly #softphones = new Map<string, Softphone>();
  readonly #unregistered = new Set<string>();
  #boots = 1;

  constructor({ clock, partyOf = sandboxParty }: SimulatorEngineOptions) {
    this.#world = new World(clock);
    this.legs = new SimulatorLegs(this.#world, partyOf, (aor) => this.#isRegistered(aor));
    this.media = new SimulatorMedia(this.#world);
    this.bridges = bridgesOf(this.#world);
    this.monitors = monitorsOf(this.#world);
    this.registrations = {
      put: (softphone) => {
        this.#softphones.set(softphone.aor, softphone);
        if (this.#isRegistered(softphone.aor)) this.#tellRegistration(softphone.aor, true);
        return Promise.resolve();
      },
      remove: (aor) => {
        if (this.#softphones.delete(aor)) this.#tellRegistration(aor, false);
        return Promise.resolve();
      },
      registered: () => Promise.resolve(new Set([...this.#softphones.keys()].filter((aor) => this.#isRegistered(aor)))),
    };
    // A trunk leads nowhere here: the script answers for every number.
    this.trunks = { put: () => Promise.resolve(), remove: () => Promise.resolve() };
  }

  get status(): EngineStatus {
    const up = this.#world.connected;
    return { status: up ? 'up' : 'unreachable', bootId: this.#bootId, version: VERSION };
  }

  start(listener: (event: EngineEvent) => void): void {
    this.#world.listener = listener;
    this.#connect();
  }

  stop(): Promise<void> {
    this.#world.connected = false;
    return Promise.resolve();
  }

  list(): Promise<EngineSnapshot> {
    return new Promise((resolve) => {
      this.#world.require();
      resolve({
        bootId: this.#bootId,
        legs: [...this.#world.legs.values()].map((leg) => ({
          legId: leg.legId,
          state: leg.answered ? 'answered' : 'ringing',
          createdAt: leg.createdAt,
          answeredAt: null,
          bridgeId: leg.bridgeId,
        })),
        bridgeIds: [...this.#world.bridges],
        recordingIds: [],
      });
    });
  }

  /** Somebody calls in. Returns the leg's id. */
  callIn({ source, dialled, callerId }: SimulatedIncoming): string {
    const leg = this.#world.open(newId());
    this.#world.tell(leg.legId, { type: 'leg.incoming', source, dialled, callerId });
    return leg.legId;
  }

  /** The other side presses digits, one after another. */
  pressDigits(legId: string, digits: string, durationMs = 100): void {
    for (const digit of digits) this.#world.tell(this.#leg(legId).legId, { type: 'leg.dtmf', digit, durationMs });
  }

  /** The other side hangs up or, before the answer, gives up (or refuses, with a cause and a SIP status). */
  remoteHangup(legId: string, q850: number = Q850.NORMAL_CLEARING, sipCode: number | null = null): void {
    this.#world.end(this.#leg(legId), q850, sipCode);
  }

  /** The other side picks up now, whatever its script says. */
  remoteAnswer(legId: string): void {
    this.#world.answer(this.#leg(legId));
  }

  /** The phone's own hold button. */
  phoneHold(legId: string, held: boolean): void {
    this.#world.tell(this.#leg(legId).legId, { type: held ? 'leg.phone_held' : 'leg.phone_resumed' });
  }

  /** The phone asks to be replaced by another party; null: by that of a call of its own, where it has the leg `replaces`. */
  phoneTransfer(legId: string, dialled: string | null, replaces: string | null = null): void {
    this.#world.tell(this.#leg(legId).legId, { type: 'leg.transfer_requested', dialled, replaces });
  }

  /** A softphone that was put is registered until it is said to have gone. */
  setRegistered(aor: string, registered: boolean): void {
    if (registered) this.#unregistered.delete(aor);
    else this.#unregistered.add(aor);
    if (this.#softphones.has(aor)) this.#tellRegistration(aor, registered);
  }

  /** The state of a leg, as an onlooker sees it. */
  look(legId: string): Readonly<Omit<SimulatedLeg, 'timers'>> {
    return this.#leg(legId);
  }

  /** The connection is cut: legs live on unseen, their events are lost. */
  disconnect(reason: string): void {
    this.#world.listener({ type: 'engine.unreachable', reason });
    this.#world.connected = false;
  }

  reconnect(): void {
    this.#connect();
    this.#world.tellUnseenEnds(Q850.NORMAL_UNSPECIFIED);
  }

  /** The engine dies with all its legs and comes back. */
  restart(): void {
    this.disconnect('restarting');
    for (const leg of [...this.#world.legs.values()]) this.#world.end(leg, Q850.NORMAL_CLEARING, null);
    this.#world.bridges.clear();
    this.#world.queues.clear();
    this.#boots += 1;
    this.#world.clock.after(0, () => {
      this.#connect();
      this.#world.tellUnseenEnds(Q850.DESTINATION_OUT_OF_ORDER);
    });
  }

  get #bootId(): string {
    return `simulator-${this.#boots}`;
  }

  #connect(): void {
    this.#world.connected = true;
    this.#world.emit({ type: 'engine.connected', bootId: this.#bootId, version: VERSION });
  }

  #isRegistered(aor: string): boolean {
    return this.#softphones.has(aor) && !this.#unregistered.has(aor);
  }

  #tellRegistration(aor: string, registered: boolean): void {
    this.#world.emit({ type: 'registration.changed', aor, registered });
  }

  #leg(legId: string): SimulatedLeg {
    const leg = this.#world.legs.get(legId);
    if (!leg) throw new RangeError(`No leg ${legId}`);
    return leg;
  }
}

function bridgesOf(world: World): Bridges {
  const attempt = (run: () => void): Promise<void> =>
    new Promise((resolve) => {
      run();
      resolve();
    });
  return {
    create: (bridgeId) =>
      attempt(() => {
        world.require();
        world.bridges.add(bridgeId);
      }),
    add: (bridgeId, legId) =>
      attempt(() => {
        world.bridge(bridgeId);
        const leg = world.leg(legId);
        stopQueue(world, legId);
        leg.held = false;
        leg.echo = false;
        leg.monitors = null;
        leg.bridgeId = bridgeId;
      }),
    remove: (bridgeId, legId) =>
      attempt(() => {
        world.bridge(bridgeId);
        const leg = world.leg(legId);
        if (leg.bridgeId !== bridgeId) return;
        leg.bridgeId = null;
      }),
    destroy: (bridgeId) =>
      attempt(() => {
        world.require();
        if (!world.bridges.delete(bridgeId)) return;
        stopQueue(world, bridgeId);
        for (const leg of world.legs.values()) if (leg.bridgeId === bridgeId) leg.bridgeId = null;
      }),
  };
}
