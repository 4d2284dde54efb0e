import { edgeMark, type EdgeCaller } from '../core/model/edge-mark.js';
import type { HostPort } from '../core/model/host-port.js';
import { newId } from '../core/model/ids.js';
import type { EdgeWay, Engine, Mwi, Registrations } from '../core/ports/engine.js';
import type { EngineEvent } from '../core/ports/engine-events.js';
import type { SipEdge, SipEdgeFeature } from '../core/ports/sip-edge.js';
import type { SipMemory } from '../core/ports/sip-memory.js';

export interface DrachtioEdgeOptions {
  /** Where engines reach the edge, over UDP. */
  readonly address: HostPort;
  /** Keyed hash of the installation's secret, for the purpose `edge`. */
  readonly mac: (text: string) => string;
  /** The softphones that are registered at the edge. */
  readonly registered: () => Promise<ReadonlySet<string>>;
  readonly memory: Pick<SipMemory, 'announce' | 'follow'>;
}

/** The edge as the owners of engines see it. The processes with the role `sip` serve it. */
export class DrachtioEdge implements SipEdge {
  readonly kind = 'drachtio';
  readonly features: ReadonlySet<SipEdgeFeature> = new Set<SipEdgeFeature>([
    'path',
    'outbound',
    'gruu',
    'websocket',
    'several_phones',
    'lockout',
  ]);
  readonly address: HostPort;

  constructor(private readonly options: DrachtioEdgeOptions) {
    this.address = options.address;
  }

  softphone: SipEdge['softphone'] = (softphone) => ({
    ...softphone,
    edge: this.#wayOf({ type: 'softphone', id: softphone.aor }),
  });

  /** Other engines of the installation call each other without the edge. */
  trunk: SipEdge['trunk'] = (trunk) =>
    trunk.isPeer === true ? trunk : { ...trunk, edge: this.#wayOf({ type: 'trunk', id: trunk.trunkId }) };

  behind(engine: Engine): Engine {
    const registrations: Registrations = {
      put: (softphone) => engine.registrations.put(this.softphone(softphone)),
      remove: (aor) => engine.registrations.remove(aor),
      registered: () => this.options.registered(),
    };
    const mwi: Mwi = {
      show: (aor, counts) => this.options.memory.announce({ type: 'messages', id: newId(), aor, ...counts }),
    };
    const trunks: Engine['trunks'] = {
      put: (trunk) => engine.trunks.put(this.trunk(trunk)),
      remove: (trunkId) => engine.trunks.remove(trunkId),
      states: () => engine.trunks.states(),
    };
    let unfollow: () => void = () => undefined;
    const own = {
      registrations,
      mwi,
      trunks,
      start: (listener: (event: EngineEvent) => void): void => {
        unfollow = this.options.memory.follow((notice) => {
          if (notice.type !== 'registration') return;
          listener({ type: 'registration.changed', aor: notice.aor, registered: notice.registered });
        });
        engine.start((event) => {
          // The engine's own view of the edge's contact says nothing about the phone.
          if (event.type !== 'registration.changed') listener(event);
        });
      },
      stop: (): Promise<void> => {
        unfollow();
        return engine.stop();
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
