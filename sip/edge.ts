import { carrierMark, edgeMark, type EdgeCaller } from '../core/model/edge-mark.js';
import type { HostPort } from '../core/model/host-port.js';
import type { Engine } from '../core/ports/engine.js';
import type { EdgeWay, Registrations } from '../core/ports/engine/peers.js';
import type { EngineEvent } from '../core/ports/engine-events.js';
import type { Clock } from '../core/ports/clock.js';
import type { Logger } from '../core/ports/logger.js';
import { EDGE_FEATURES, type SipEdge } from '../core/ports/sip/edge.js';
import { trunkStateIn, trunkStateKey, type SipMemory } from '../core/ports/sip/memory.js';
import { PeriodicWork } from '../core/services/runtime/periodic-work.js';

export interface DrachtioEdgeOptions {
  /** Where engines reach the edge, over UDP. */
  readonly address: HostPort;
  /** Keyed hash of the installation's secret, for the purpose `edge`. */
  readonly mac: (text: string) => string;
  /** The softphones that are registered at the edge. */
  readonly registered: () => Promise<ReadonlySet<string>>;
  readonly memory: Pick<SipMemory, 'follow' | 'read'>;
  readonly clock: Clock;
  readonly log: Logger;
}

/** How often registrations are compared with the stored ones, in case an announcement was lost. */
const COMPARED_EVERY_MS = 5_000;

/** The edge as the owners of engines see it. The processes with the role `sip` serve it. */
export class DrachtioEdge implements SipEdge {
  readonly kind = 'drachtio';
  readonly features = EDGE_FEATURES;
  readonly address: HostPort;

  constructor(private readonly options: DrachtioEdgeOptions) {
    this.address = options.address;
  }

  softphone: SipEdge['softphone'] = (softphone) => ({
    ...softphone,
    edge: this.#wayOf({ type: 'softphone', id: softphone.aor }),
  });

  /**
   * Other engines of the installation call each other without the edge. A carrier at which engines register expects their
   * calls from where they registered, so they also call and probe it by themselves. The edge probes the others.
   */
  trunk: SipEdge['trunk'] = (trunk) => {
    if (trunk.isPeer === true) return trunk;
    const edge = this.#wayOf({ type: 'trunk', id: trunk.trunkId });
    if (trunk.registers === true) return { ...trunk, edge };
    return { ...trunk, edge, exit: { ...this.address, mark: carrierMark(trunk, this.options.mac) }, isProbed: false };
  };

  behind(engine: Engine): Engine {
    const { memory } = this.options;
    const registrations: Registrations = {
      put: (softphone) => engine.registrations.put(this.softphone(softphone)),
      remove: (aor) => engine.registrations.remove(aor),
      registered: () => this.options.registered(),
    };
    /** Trunks that the edge probes in place of the engine. */
    const probed = new Set<string>();
    const trunks: Engine['trunks'] = {
      put: (trunk) => {
        const known = this.trunk(trunk);
        if (trunk.isProbed === true && known.exit !== undefined) probed.add(trunk.trunkId);
        else probed.delete(trunk.trunkId);
        return engine.trunks.put(known);
      },
      remove: async (trunkId) => {
        await engine.trunks.remove(trunkId);
        probed.delete(trunkId);
      },
      states: async () => {
        const states = [...probed].map(async (id) => [id, trunkStateIn(await memory.read(trunkStateKey(id)))] as const);
        return new Map([...(await engine.trunks.states()), ...(await Promise.all(states))]);
      },
    };
    let changes: RegistrationChanges | null = null;
    const own = {
      registrations,
      trunks,
      // The edge shows waiting messages for all engines.
      capabilities: new Set([...engine.capabilities].filter((each) => each !== 'mwi')),
      start: (listener: (event: EngineEvent) => void): void => {
        changes = new RegistrationChanges(this.options, listener);
        engine.start((event) => {
          // The engine's own view of the edge's contact says nothing about the phone.
          if (event.type !== 'registration.changed') listener(event);
        });
      },
      stop: async (): Promise<void> => {
        await changes?.stop();
        await engine.stop();
      },
    };
    return new Proxy(engine, {
      get: (target, name) => {
        if (name in own) return own[name as keyof typeof own];
        const member: unknown = Reflect.get(target, name, target);
        return typeof member === 'function' ? (member.bind(target) as unknown) : member;
      },
    });
  }

  #wayOf(caller: EdgeCaller): EdgeWay {
    return { ...this.address, mark: edgeMark(caller, this.options.mac) };
  }
}

/** Reports changes of registrations as soon as they are announced, and a lost announcement a little later. */
class RegistrationChanges {
  readonly #known = new Set<string>();
  readonly #unfollow: () => void;
  readonly #comparison: PeriodicWork;

  constructor(
    private readonly options: Pick<DrachtioEdgeOptions, 'registered' | 'memory' | 'clock' | 'log'>,
    private readonly listener: (event: EngineEvent) => void,
  ) {
    const { memory, clock, log } = options;
    this.#unfollow = memory.follow((notice) => {
      if (notice.type === 'registration') this.#note(notice.aor, notice.registered);
    });
    this.#comparison = new PeriodicWork({
      work: () => this.#compare(),
      everyMs: COMPARED_EVERY_MS,
      clock,
      onFailure: (err) => log.warn({ err }, 'the registrations at the SIP edge could not be read'),
    });
    this.#comparison.start();
  }

  async stop(): Promise<void> {
    this.#unfollow();
    await this.#comparison.stop();
  }

  async #compare(): Promise<void> {
    const now = await this.options.registered();
    for (const aor of [...this.#known]) if (!now.has(aor)) this.#note(aor, false);
    for (const aor of now) if (!this.#known.has(aor)) this.#note(aor, true);
  }

  #note(aor: string, registered: boolean): void {
    if (registered) this.#known.add(aor);
    else this.#known.delete(aor);
    this.listener({ type: 'registration.changed', aor, registered });
  }
}
