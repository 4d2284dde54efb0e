import { EngineError } from '../../core/ports/engine.js';
import type { Registrations, Softphone } from '../../core/ports/engine/peers.js';
import type { EngineEvent } from '../../core/ports/engine-events.js';
import { isGone, type AriHttp } from './ari/ari-http.js';
import { REGISTRATION_APP, type AriApplication, type AriEndpoint, type AriEvent } from './ari/ari-types.js';
import type { EngineLink } from './ari/engine-link.js';
import { RESERVED_PREFIX, softphoneObjects, type EndpointDefaults } from './sip/pjsip-objects.js';
import { pushObjects, removeObjects } from './sip/pushed-objects.js';

/**
 * Asterisk keeps pushed objects in memory only, so they are cached here and pushed again on each connect. The
 * application subscribes to each softphone separately: a subscription to all endpoints, which includes trunks, makes
 * Asterisk build an event for everything that happens to any call, refused ones included, only to drop it (measured:
 * 0.7 of the 2.3 ms that a refused call took).
 */
export class AsteriskRegistrations implements Registrations {
  readonly #softphones = new Map<string, Softphone>();
  /** The softphones that were last reported, or read, as registered. */
  readonly #online = new Set<string>();
  /** Subscribed softphones. Subscribing twice would require unsubscribing twice. */
  #subscribed = new Set<string>();

  constructor(
    private readonly http: AriHttp,
    private readonly link: EngineLink,
    private readonly defaults: EndpointDefaults,
    private readonly emit: (event: EngineEvent) => void,
  ) {}

  /** While Asterisk is unreachable it resolves too: the softphone is pushed at the next connect. */
  async put(softphone: Softphone): Promise<void> {
    if (softphone.aor.startsWith(RESERVED_PREFIX)) {
      throw new EngineError('rejected', `A softphone's name cannot begin with ${RESERVED_PREFIX}`);
    }
    this.#softphones.set(softphone.aor, softphone);
    if (this.link.status.status !== 'up') return;
    await this.#push(softphone);
    // The phone may have registered before this process connected.
    const { state } = await this.http.send<AriEndpoint>('GET', `/endpoints/PJSIP/${encodeURIComponent(softphone.aor)}`);
    this.#update(softphone.aor, state === 'online');
  }

  async remove(aor: string): Promise<void> {
    this.link.require();
    const softphone = this.#softphones.get(aor) ?? { aor, password: '', displayName: '', maxContacts: 1 };
    if (this.#subscribed.delete(aor)) await this.#requestApplication('DELETE', `/subscription`, eventSourceOf(aor));
    await removeObjects(this.http, softphoneObjects(softphone, this.defaults));
    this.#softphones.delete(aor);
    this.#update(aor, false);
  }

  async registered(): Promise<ReadonlySet<string>> {
    this.link.require();
    return this.#readOnline();
  }

  /** Pushes everything. The returned function reports the changes of the outage. */
  async resume(): Promise<() => void> {
    const { endpoint_ids: subscribed } = await this.#requestApplication<AriApplication>('GET');
    this.#subscribed = new Set(
      subscribed.filter((id) => id.startsWith(TECHNOLOGY)).map((id) => id.slice(TECHNOLOGY.length)),
    );
    for (const softphone of this.#softphones.values()) await this.#push(softphone);
    const now = await this.#readOnline();
    return () => {
      for (const aor of [...this.#online]) if (!now.has(aor)) this.#update(aor, false);
      for (const aor of now) this.#update(aor, true);
    };
  }

  onEvent(event: AriEvent): void {
    const { endpoint } = event;
    if (event.type !== 'EndpointStateChange' || !endpoint || !isSoftphone(endpoint)) return;
    this.#update(endpoint.resource, endpoint.state === 'online');
  }

  async #push(softphone: Softphone): Promise<void> {
    await pushObjects(this.http, softphoneObjects(softphone, this.defaults));
    if (this.#subscribed.has(softphone.aor)) return;
    await this.#requestApplication('POST', '/subscription', eventSourceOf(softphone.aor));
    this.#subscribed.add(softphone.aor);
  }

  #requestApplication<T>(
    method: 'GET' | 'POST' | 'DELETE',
    path = '',
    query: Readonly<Record<string, string>> = {},
  ): Promise<T> {
    return this.http.send<T>(method, `/applications/${REGISTRATION_APP}${path}`, { query });
  }

  #update(aor: string, registered: boolean): void {
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
      // Asterisk answers 404 if there is no endpoint at all.
      if (isGone(error)) return new Set();
      throw error;
    }
  }
}

const TECHNOLOGY = 'PJSIP/';

function eventSourceOf(aor: string): { readonly eventSource: string } {
  return { eventSource: `endpoint:${TECHNOLOGY}${aor}` };
}

function isSoftphone(endpoint: AriEndpoint): boolean {
  return endpoint.technology === 'PJSIP' && !endpoint.resource.startsWith(RESERVED_PREFIX);
}
