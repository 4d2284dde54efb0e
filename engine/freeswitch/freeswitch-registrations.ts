import { EngineError } from '../../core/ports/engine.js';
import type { Registrations, Softphone } from '../../core/ports/engine/peers.js';
import type { EngineEvent } from '../../core/ports/engine-events.js';
import type { EslEvent } from './esl/esl-connection.js';
import type { EslLink } from './esl/esl-link.js';
import { PROFILE } from './leg-id.js';

interface ListedRegistration {
  readonly reg_user: string;
  /** Identifies one contact: the Call-ID of its REGISTER. */
  readonly token: string;
}

/**
 * FreeSWITCH requests an account whenever a phone registers, so nothing is pushed. A removed account can no longer
 * register.
 */
export class FreeswitchRegistrations implements Registrations {
  readonly #softphones = new Map<string, Softphone>();
  /** The contacts of each softphone, as last reported or read. */
  readonly #online = new Map<string, Set<string>>();

  constructor(
    private readonly link: EslLink,
    private readonly emit: (event: EngineEvent) => void,
    private readonly onPut: (aor: string) => void,
  ) {}

  put(softphone: Softphone): Promise<void> {
    this.#softphones.set(softphone.aor, softphone);
    this.onPut(softphone.aor);
    return Promise.resolve();
  }

  async remove(aor: string): Promise<void> {
    this.link.require();
    this.#softphones.delete(aor);
    if (/[\s'"]/.test(aor)) throw new EngineError('rejected', 'Invalid softphone name');
    await this.link.api(`sofia profile ${PROFILE} flush_inbound_reg ${aor}@${PROFILE}`);
    this.#update(aor, new Set());
  }

  /** Returns the cached state, read at connect and updated by events: FreeSWITCH's own table lags behind its events. */
  registered(): Promise<ReadonlySet<string>> {
    return Promise.resolve().then(() => {
      this.link.require();
      return new Set(this.#online.keys());
    });
  }

  isRegistered(aor: string): boolean {
    return this.#online.has(aor);
  }

  get(aor: string): Softphone | undefined {
    return this.#softphones.get(aor);
  }

  /** Reads the registrations. The returned function reports the changes of the outage. */
  async resume(): Promise<() => void> {
    const now = await this.#read();
    return () => {
      for (const aor of [...this.#online.keys()]) if (!now.has(aor)) this.#update(aor, new Set());
      for (const [aor, contacts] of now) this.#update(aor, contacts);
    };
  }

  onEvent(event: EslEvent): void {
    const aor = event['from-user'] ?? event.user;
    const contact = event['call-id'] ?? '';
    if (aor === undefined) return;
    const contacts = new Set(this.#online.get(aor));
    if (event['Event-Subclass'] === 'sofia::register') {
      // With one contact allowed, a phone that registers again replaces its old contact.
      if ((this.#softphones.get(aor)?.maxContacts ?? 1) === 1) contacts.clear();
      contacts.add(contact);
    } else if (!contacts.delete(contact)) {
      return;
    }
    this.#update(aor, contacts);
  }

  #update(aor: string, contacts: Set<string>): void {
    const was = this.#online.has(aor);
    const registered = contacts.size > 0;
    if (registered) this.#online.set(aor, contacts);
    else this.#online.delete(aor);
    if (was !== registered) this.emit({ type: 'registration.changed', aor, registered });
  }

  async #read(): Promise<Map<string, Set<string>>> {
    const answer = JSON.parse(await this.link.api('show registrations as json')) as {
      readonly rows?: readonly ListedRegistration[];
    };
    const online = new Map<string, Set<string>>();
    for (const { reg_user: aor, token } of answer.rows ?? []) {
      online.set(aor, (online.get(aor) ?? new Set()).add(token));
    }
    return online;
  }
}
