import { Q850 } from '../../core/model/call/hangup-cause.js';
import { newId } from '../../core/model/ids.js';
import type { TrunkState } from '../../core/model/trunks/state.js';
import type { Clock } from '../../core/ports/clock.js';
import type { CallerId } from '../../core/model/call/caller-id.js';
import {
  EngineError,
  type Bridges,
  type Engine,
  type EngineCapability,
  type EngineSnapshot,
  type EngineStatus,
  type Mwi,
  type Texts,
  type LegEndpoint,
  type Monitors,
  type Recordings,
  type SimulatedCaller,
} from '../../core/ports/engine.js';
import type { Registrations, Softphone, Trunks } from '../../core/ports/engine/peers.js';
import type { EngineEvent, LegEvent } from '../../core/ports/engine-events.js';
import { enter, type IncomingEvent } from './simulator-callers.js';
import { sandboxParty, type Party } from './party.js';
import { NO_RECORDINGS } from './no-recordings.js';
import { toneRecordings } from './simulator-recordings.js';
import { SimulatorLegs } from './simulator-legs.js';
import { monitorsOf } from './simulator-monitors.js';
import { SimulatorMedia, stopQueue } from './simulator-media.js';
import { World, type SimulatedLeg } from './world.js';

export interface SimulatorEngineOptions {
  readonly clock: Clock;
  /** How the remote side of each outbound leg behaves. Default: the sandbox's test numbers. */
  readonly partyOf?: (endpoint: LegEndpoint) => Party;
  /** Records a tone of the length of what is recorded; otherwise the simulator cannot record. */
  readonly records?: boolean;
}

export interface SimulatedIncoming {
  readonly source: Extract<LegEvent, { type: 'leg.incoming' }>['source'];
  readonly dialled: string;
  readonly callerId: CallerId;
  /** The `X-Hatif-…` headers of the INVITE. */
  readonly headers?: Readonly<Record<string, string>>;
}

const VERSION = '1';
const CAPABILITIES: readonly EngineCapability[] = [
  ...(['play', 'dtmf', 'hold', 'mute', 'echo', 'monitor'] as const),
  ...(['registrations', 'trunks', 'early_media'] as const),
];

/**
 * An engine without telephony, deterministic and driven only by its clock. The methods that the port does not have
 * simulate the outside world: incoming calls, digits, hangups and engine failures.
 */
export class SimulatorEngine implements Engine {
  readonly kind = 'simulator';
  readonly capabilities: ReadonlySet<EngineCapability>;
  readonly legs: SimulatorLegs;
  readonly media: SimulatorMedia;
  readonly bridges: Bridges;
  readonly recordings: Recordings;
  readonly monitors: Monitors;
  readonly registrations: Registrations;
  /** The simulated phones have no message waiting indicator. */
  readonly mwi: Mwi = {
    show: () => Promise.reject(new EngineError('unsupported', 'The simulator has no message waiting indicators')),
  };
  readonly texts: Texts = {
    send: () => Promise.reject(new EngineError('unsupported', 'The simulator has no texts')),
  };
  readonly trunks: Trunks;
  readonly #world: World;
  readonly #softphones = new Map<string, Softphone>();
  readonly #unregistered = new Set<string>();
  readonly #trunks = new Map<string, TrunkState>();
  #startCount = 1;

  constructor({ clock, partyOf = sandboxParty, records = false }: SimulatorEngineOptions) {
    this.#world = new World(clock);
    this.capabilities = new Set<EngineCapability>(records ? [...CAPABILITIES, 'record'] : CAPABILITIES);
    this.recordings = records ? toneRecordings(this.#world) : NO_RECORDINGS;
    this.legs = new SimulatorLegs(this.#world, partyOf, (aor) => this.#isRegistered(aor));
    this.media = new SimulatorMedia(this.#world);
    this.bridges = bridgesOf(this.#world);
    this.monitors = monitorsOf(this.#world);
    this.registrations = {
      put: (softphone) => {
        this.#softphones.set(softphone.aor, softphone);
        if (this.#isRegistered(softphone.aor)) this.#emitRegistration(softphone.aor, true);
        return Promise.resolve();
      },
      remove: (aor) => {
        if (this.#softphones.delete(aor)) this.#emitRegistration(aor, false);
        return Promise.resolve();
      },
      registered: () => Promise.resolve(new Set([...this.#softphones.keys()].filter((aor) => this.#isRegistered(aor)))),
    };
    // Trunks have no effect on calls: the script decides how every number behaves.
    this.trunks = {
      put: ({ trunkId, isProbed }) => {
        if (isProbed === true && !this.#trunks.has(trunkId)) this.#trunks.set(trunkId, 'up');
        if (isProbed !== true) this.#trunks.delete(trunkId);
        return Promise.resolve();
      },
      remove: (trunkId) => {
        this.#trunks.delete(trunkId);
        return Promise.resolve();
      },
      states: () => Promise.resolve(new Map(this.#trunks)),
    };
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
        recordingIds: [...this.#world.recordings].flatMap(([id, each]) => (each.durationMs === null ? [id] : [])),
      });
    });
  }

  enter(caller: SimulatedCaller): IncomingEvent {
    return enter(this.#world, caller);
  }

  /** Simulates an incoming call. Returns the leg id. */
  callIn(call: SimulatedIncoming): string {
    const leg = this.#world.open(newId());
    this.#world.emitLegEvent(leg.legId, { type: 'leg.incoming', ...call });
    return leg.legId;
  }

  /** The remote side sends DTMF digits, one after another. */
  pressDigits(legId: string, digits: string, durationMs = 100): void {
    this.#world.press(this.#leg(legId), digits, durationMs);
  }

  /** The remote side hangs up. Before the answer it cancels, or rejects with a cause and a SIP status. */
  remoteHangup(legId: string, q850: number = Q850.NORMAL_CLEARING, sipCode: number | null = null): void {
    this.#world.end(this.#leg(legId), q850, sipCode);
  }

  /** The remote side answers now, whatever its script says. */
  remoteAnswer(legId: string): void {
    this.#world.answer(this.#leg(legId));
  }

  /** The user presses the phone's own hold button. */
  phoneHold(legId: string, held: boolean): void {
    this.#world.emitLegEvent(this.#leg(legId).legId, { type: held ? 'leg.phone_held' : 'leg.phone_resumed' });
  }

  /**
   * The phone requests a transfer (REFER). `dialled` is the target of a blind transfer; null requests an attended
   * transfer, in which `replaces` is the leg to replace.
   */
  phoneTransfer(legId: string, dialled: string | null, replaces: string | null = null): void {
    this.#world.emitLegEvent(this.#leg(legId).legId, { type: 'leg.transfer_requested', dialled, replaces });
  }

  /** Softphones count as registered from `put` on, until this is called with false. */
  setRegistered(aor: string, registered: boolean): void {
    if (registered) this.#unregistered.delete(aor);
    else this.#unregistered.add(aor);
    if (this.#softphones.has(aor)) this.#emitRegistration(aor, registered);
  }

  /** What probing the trunk finds from now on. */
  setTrunkState(trunkId: string, state: TrunkState): void {
    this.#trunks.set(trunkId, state);
  }

  /** The current state of a leg. */
  look(legId: string): Readonly<Omit<SimulatedLeg, 'timers'>> {
    return this.#leg(legId);
  }

  /** Cuts the connection: legs live on, and their events are lost. */
  disconnect(reason: string): void {
    this.#world.listener({ type: 'engine.unreachable', reason });
    this.#world.connected = false;
  }

  reconnect(): void {
    this.#connect();
    this.#world.reportMissedEnds(Q850.NORMAL_UNSPECIFIED);
  }

  /** Restarts the engine; all its legs die. */
  restart(): void {
    this.disconnect('restarting');
    for (const leg of [...this.#world.legs.values()]) this.#world.end(leg, Q850.NORMAL_CLEARING, null);
    this.#world.bridges.clear();
    this.#world.queues.clear();
    this.#startCount += 1;
    this.#world.clock.after(0, () => {
      this.#connect();
      this.#world.reportMissedEnds(Q850.DESTINATION_OUT_OF_ORDER);
    });
  }

  get #bootId(): string {
    return `simulator-${this.#startCount}`;
  }

  #connect(): void {
    this.#world.connected = true;
    this.#world.emit({ type: 'engine.connected', bootId: this.#bootId, version: VERSION });
  }

  #isRegistered(aor: string): boolean {
    return this.#softphones.has(aor) && !this.#unregistered.has(aor);
  }

  #emitRegistration(aor: string, registered: boolean): void {
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
        world.stopRecordingsOf(bridgeId);
        for (const leg of world.legs.values()) if (leg.bridgeId === bridgeId) leg.bridgeId = null;
      }),
  };
}
