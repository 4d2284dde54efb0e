import { EngineError, type EngineEvent, type Registrations, type Softphone } from '../../core/ports/engine.js';
import { isGone, type AriHttp } from './ari-http.js';
import type { AriEndpoint, AriEvent } from './ari-types.js';
import type { EngineLink } from './engine-link.js';
import { RESERVED_PREFIX, softphoneObjects, type EndpointDefaults } from './pjsip-objects.js';
import { pushObjects, removeObjects } from './pushed-objects.js';

/** Asterisk keeps pushed objects in memory only: they are remembered here and pushed again on each connect. */
export class AsteriskRegistrations implements Registrations {
  readonly #softphones = new Map<string, Softphone>();
  /** What was last told, or read, of each softphone. */
  readonly #online = new Set<string>();

  constructor(
    private readonly http: AriHttp,
    private readonly link: EngineLink,
    private readonly defaults: EndpointDefaults,
    private readonly emit: (event: EngineEvent) => void,
  ) {}

  /** While Asterisk is away it resolves too: the softphone is pushed at the next connect. */
  async put(softphone: Softphone): Promise<void> {
    if (softphone.aor.startsWith(RESERVED_PREFIX)) {
      throw new EngineError('rejected', `A softphone's name cannot begin with ${RESERVED_PREFIX}`);
    }
    this.#softphones.set(softphone.aor, softphone);
    if (this.link.status.status === 'up') await pushObjects(this.http, softphoneObjects(softphone, this.defaults));
  }

  async remove(aor: string): Promise<void> {
    this.link.require();
    const softphone = this.#softphones.get(aor) ?? { aor, password: '', displayName: '', maxContacts: 1 };
    await removeObjects(this.http, softphoneObjects(softphone, this.defaults));
    this.#softphones.delete(aor);
    this.#change(aor, false);
  }

  async registered(): Promise<ReadonlySet<string>> {
    this.link.require();
    return this.#readOnline();
  }

  /** Push everything. What it resolves to tells what changed while nobody was listening. */
  async resume(): Promise<() => void> {
    for (const softphone of this.#softphones.values()) {
      await pushObjects(this.http, softphoneObjects(softphone, this.defaults));
    }
    const now = await this.#readOnline();
    return () => {
      for (const aor of [...this.#online]) if (!now.has(aor)) this.#change(aor, false);
      for (const aor of now) this.#change(aor, true);
    };
  }

  onEvent(event: AriEvent): void {
    const { endpoint } = event;
    if (event.type !== 'EndpointStateChange' || !endpoint || !isSoftphone(endpoint)) return;
    this.#change(endpoint.resource, endpoint.state === 'online');
  }

  #change(aor: string, registered: boolean): void {
    if (this.#online.has(aor) === registered) return;
    if (registered) this.#online.add(aor);
    else this.#online.delete(aor);
    this.emit({ type: 'registration.changed', aor, registered });
  }

  async #readOnline(): Promise<ReadonlySet<string>> {
    try {
      const endpoints = await this.http.send<readonly AriEndpoint[]>('GET', '/endpoints/PJSIP');
      return new Set(endpoints.filter((e) => isSoftphone(e) && e.state === 'online').map((e) => e.resource));
    } catch (error) {
      // Asterisk answers 404 while there is no endpoint at all.
      if (isGone(error)) return new Set();
      throw error;
    }
  }
}

function isSoftphone(endpoint: AriEndpoint): boolean {
  return endpoint.technology === 'PJSIP' && !endpoint.resource.startsWith(RESERVED_PREFIX);
}
