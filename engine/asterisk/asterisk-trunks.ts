import type { TrunkState } from '../../core/model/trunks/state.js';
import type { Clock } from '../../core/ports/clock.js';
import type { Trunk, Trunks } from '../../core/ports/engine/peers.js';
import { TrunkProbes } from '../common/trunk-probes.js';
import { isGone, type AriHttp } from './ari/ari-http.js';
import type { AriEndpoint } from './ari/ari-types.js';
import type { EngineLink } from './ari/engine-link.js';
import {
  PROBE_TIMEOUT_SECONDS,
  probeEndpoint,
  probeObjects,
  registrationObject,
  trunkEndpoint,
  trunkObjects,
  type EndpointDefaults,
  type PjsipObject,
} from './sip/pjsip-objects.js';
import { pushObjects, removeObjects, removeRegistration } from './sip/pushed-objects.js';

/** Like softphones, trunks are cached here and pushed again on each connect. */
export class AsteriskTrunks implements Trunks {
  readonly #trunks = new Map<string, Trunk>();
  readonly #probes: TrunkProbes;

  constructor(
    private readonly http: AriHttp,
    private readonly link: EngineLink,
    private readonly defaults: EndpointDefaults,
    clock: Clock,
  ) {
    // Asterisk sends the first probe at a random moment of the first interval.
    this.#probes = new TrunkProbes(clock, (defaults.trunkProbeSeconds + PROBE_TIMEOUT_SECONDS + 1) * 1000);
  }

  /** While Asterisk is unreachable it resolves too: the trunk is pushed at the next connect. */
  async put(trunk: Trunk): Promise<void> {
    this.#trunks.set(trunk.trunkId, trunk);
    if (this.link.status.status === 'up') await this.#push(trunk);
  }

  get(trunkId: string): Trunk | undefined {
    return this.#trunks.get(trunkId);
  }

  async remove(trunkId: string): Promise<void> {
    this.link.require();
    if (this.#trunks.get(trunkId)?.registers !== undefined) await removeRegistration(this.http, trunkEndpoint(trunkId));
    await removeObjects(this.http, [...everyKind(probeEndpoint(trunkId)), ...everyKind(trunkEndpoint(trunkId))]);
    this.#trunks.delete(trunkId);
    this.#probes.forget(trunkId);
  }

  async states(): Promise<ReadonlyMap<string, TrunkState>> {
    this.link.require();
    const probed = [...this.#trunks.values()].filter(({ isProbed }) => isProbed === true);
    const states = probed.map(async ({ trunkId }) => {
      return [trunkId, this.#probes.stateOf(trunkId, await this.#answers(trunkId))] as const;
    });
    return new Map(await Promise.all(states));
  }

  /** @param isRestarted whether Asterisk lost everything that was pushed */
  async resume(isRestarted: boolean): Promise<void> {
    if (isRestarted) this.#probes.restart();
    for (const trunk of this.#trunks.values()) await this.#push(trunk);
  }

  /** Also removes objects that the trunk no longer has (credentials, addresses). */
  async #push(trunk: Trunk): Promise<void> {
    const objects = trunkObjects(trunk, this.defaults);
    await pushObjects(this.http, objects);
    const kept = new Set(objects.map((object) => object.type));
    const dropped = everyKind(trunkEndpoint(trunk.trunkId)).filter((object) => !kept.has(object.type));
    await removeObjects(this.http, dropped);
    if (trunk.registers === true) await pushObjects(this.http, [registrationObject(trunk)]);
    else if (trunk.registers === false) await removeRegistration(this.http, trunkEndpoint(trunk.trunkId));
    // The SIP edge probes it, so that the carrier sees no engine.
    if (trunk.exit !== undefined) await removeObjects(this.http, everyKind(probeEndpoint(trunk.trunkId)));
    if (trunk.isProbed !== true) return;
    await pushObjects(this.http, probeObjects(trunk, this.defaults));
    this.#probes.began(trunk.trunkId);
  }

  /** Null if Asterisk does not have the trunk. */
  async #answers(trunkId: string): Promise<boolean | null> {
    try {
      const endpoint = await this.http.send<AriEndpoint>('GET', `/endpoints/PJSIP/${probeEndpoint(trunkId)}`);
      return endpoint.state === 'online';
    } catch (error) {
      if (isGone(error)) return null;
      throw error;
    }
  }
}

function everyKind(id: string): Pick<PjsipObject, 'type' | 'id'>[] {
  return [
    { type: 'auth', id },
    { type: 'aor', id },
    { type: 'endpoint', id },
    { type: 'identify', id },
  ];
}
