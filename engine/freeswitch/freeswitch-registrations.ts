import { EngineError, type EngineEvent, type Registrations, type Softphone } from '../../core/ports/engine.js';
import type { EslEvent } from './esl/esl-connection.js';
import type { EslLink } from './esl/esl-link.js';
import { PROFILE } from './leg-id.js';

interface ListedRegistration {
  readonly reg_user: string;
  /** Of one contact: the Call-ID of its REGISTER. */
  readonly token: string;
}

/** FreeSWITCH asks for an account whenever a phone registers: nothing is pushed, and an account that was removed registers no more. */
export class FreeswitchRegistrations implements Registrations {
  readonly #softphones = new Map<string, Softphone>();
  /** What was last told, or read: the contacts of each softphone. */
  readonly #online = new Map<string, Set<string>>();

  constructor(
    private readonly link: EslLink,
    private readonly emit: (event: EngineEvent) => void,
  ) {}

  put(softphone: Softphone): Promise<void> {
    this.#softphones.set(softphone.aor, softphone);
    return Promise.resolve();
  }

  async remove(aor: string): Promise<void> {
    this.link.require();
    this.#softphones.delete(aor);
    if (/[\s'"]/.test(aor)) throw new EngineError('rejected', 'No softphone can have that name');
    await this.link.api(`sofia profile ${PROFILE} flush_inbound_reg ${aor}@${PROFILE}`);
    this.#change(aor, new Set());
  }

  /** What was read at the connect, and heard since: FreeSWITCH's own table comes after its events. */
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

  /** What it resolves to tells what changed while nobody was listening. */
  async resume(): Promise<() => void> {
    const now = await this.#read();
    return () => {
      for (const aor of [...this.#online.keys()]) if (!now.has(aor)) this.#change(aor, new Set());
      for (const [aor, contacts] of now) this.#change(aor, contacts);
    };
  }

  onEvent(event: EslEvent): void {
    const aor = event['from-user'] ?? event.user;
    const contact = event['call-id'] ?? '';
    if (aor === undefined) return;
    const contacts = new Set(this.#online.get(aor));
    if (event['Event-Subclass'] === 'sofia::register') {
      // A phone that registers anew, with one contact allowed, takes the place of its old self.
      if ((this.#softphones.get(aor)?.maxContacts ?? 1) === 1) contacts.clear();
      contacts.add(contact);
    } else if (!contacts.delete(contact)) {
      return;
    }
    this.#change(aor, contacts);
  }

  #change(aor: string, contacts: Set<string>): void {
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
