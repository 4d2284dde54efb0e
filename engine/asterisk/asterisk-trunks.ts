import type { Trunk, Trunks } from '../../core/ports/engine.js';
import type { AriHttp } from './ari/ari-http.js';
import type { EngineLink } from './ari/engine-link.js';
import { trunkEndpoint, trunkObjects, type EndpointDefaults, type PjsipObject } from './sip/pjsip-objects.js';
import { pushObjects, removeObjects } from './sip/pushed-objects.js';

/** Like softphones, trunks are cached here and pushed again on each connect. */
export class AsteriskTrunks implements Trunks {
  readonly #trunks = new Map<string, Trunk>();

  constructor(
    private readonly http: AriHttp,
    private readonly link: EngineLink,
    private readonly defaults: EndpointDefaults,
  ) {}

  /** While Asterisk is unreachable it resolves too: the trunk is pushed at the next connect. */
  async put(trunk: Trunk): Promise<void> {
    this.#trunks.set(trunk.trunkId, trunk);
    if (this.link.status.status === 'up') await this.#push(trunk);
  }

  async remove(trunkId: string): Promise<void> {
    this.link.require();
    await removeObjects(this.http, everyKind(trunkEndpoint(trunkId)));
    this.#trunks.delete(trunkId);
  }

  async resume(): Promise<void> {
    for (const trunk of this.#trunks.values()) await this.#push(trunk);
  }

  /** Also removes objects that the trunk no longer has (credentials, addresses). */
  async #push(trunk: Trunk): Promise<void> {
    const objects = trunkObjects(trunk, this.defaults);
    await pushObjects(this.http, objects);
    const kept = new Set(objects.map((object) => object.type));
    const dropped = everyKind(trunkEndpoint(trunk.trunkId)).filter((object) => !kept.has(object.type));
    await removeObjects(this.http, dropped);
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
