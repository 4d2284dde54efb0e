import type { Call } from '../../packages/web/src/index.js';
import type { Api } from './common/api.js';
import { inLanguage } from './common/texts.js';

/** A call as the API shows it. */
export interface ListedCall {
  readonly call_id: string;
  readonly status: string;
  readonly direction: string;
  readonly kind: string;
  readonly agent: string | null;
  /** Null for those who may not see it whole. */
  readonly customer_number?: string | null;
  readonly customer_number_masked: string | null;
  /** Of a call that a page began: that of its session. */
  readonly metadata: Readonly<Record<string, string>>;
  readonly created_at: string;
  readonly duration_seconds: number | null;
}

/** Somebody to call. */
export interface Found {
  /** An extension or a number. */
  readonly target: string;
  /** Null if nothing but the target is known. */
  readonly name: string | null;
  readonly note: 'reachable' | 'away' | 'contact' | 'called_before';
}

interface Colleague {
  readonly agent: string;
  readonly display_name: string;
  readonly is_reachable: boolean;
}

interface Contact {
  readonly phone?: string | null;
  readonly name_en: string | null;
  readonly name_ar: string | null;
}

/** What distinguishes the calls of this page from all others of its agent. */
export interface ThisPage {
  /** The mark of its session, which the calls that it begins carry. */
  readonly tab: string;
  readonly calls: () => readonly Call[];
}

const MOST_FOUND = 10;

interface Transfer {
  readonly transfer_id: string;
  readonly status: string;
}

/** What the page requests from the API about calls. */
export class Calls {
  constructor(
    private readonly api: Api,
    private readonly agent: string,
    /** By the person's role. Of a list of all calls, the page takes the person's own. */
    private readonly sees: { readonly ownCallsOnly: boolean; readonly contacts: boolean },
    private readonly page: ThisPage,
  ) {}

  /** The agent's newest calls. */
  async recent(): Promise<ListedCall[]> {
    const { data } = await this.api.ask<{ data: ListedCall[] }>('GET', '/calls?limit=50');
    return data.filter((call) => this.#isOwn(call)).slice(0, 20);
  }

  /** The platform's name of a call of this page; null if the person may not see it. */
  async nameOf(call: Call): Promise<string | null> {
    const { data } = await this.api.ask<{ data: ListedCall[] }>('GET', '/calls?limit=100&status=answered');
    const isBegunHere = ({ metadata }: ListedCall): boolean => metadata.tab === this.page.tab;
    const listed =
      call.direction === 'outgoing'
        ? data.filter(isBegunHere)
        : withParty(
            data.filter((one) => one.agent === this.agent && !isBegunHere(one)),
            call.remote.address,
          );
    // Both are newest first, so that of several calls with one party each is found.
    const alike = this.page
      .calls()
      .filter(({ connectedAt, direction }) => connectedAt !== null && direction === call.direction)
      .filter(({ remote }) => call.direction === 'outgoing' || remote.address === call.remote.address)
      .sort((one, other) => other.startedAt.getTime() - one.startedAt.getTime());
    return listed[alike.indexOf(call)]?.call_id ?? null;
  }

  /** Lets the agent speak with somebody while the customer hears music. */
  async consult(callId: string, target: string): Promise<Transfer> {
    const type = /^\+|^\d{7,}$/.test(target) ? 'number' : 'agent';
    return this.api.ask('POST', `/calls/${callId}/transfer`, { type: 'attended', to: { type, target } });
  }

  async transfer(callId: string, transferId: string): Promise<Transfer | null> {
    const { data } = await this.api.ask<{ data: Transfer[] }>('GET', `/calls/${callId}/transfers`);
    return data.find(({ transfer_id: id }) => id === transferId) ?? null;
  }

  async finish(callId: string, transferId: string, how: 'complete' | 'cancel'): Promise<void> {
    await this.api.ask('POST', `/calls/${callId}/transfers/${transferId}/${how}`);
  }

  async conference(callId: string, name: string): Promise<void> {
    await this.api.ask('POST', `/calls/${callId}/conference`, { name });
  }

  /** Colleagues with a name or extension that a text fits. */
  searchColleagues(text: string): Promise<Found[]> {
    return this.#colleagues(text === '' ? '' : `&search=${encodeURIComponent(text)}`);
  }

  /** Colleagues, contacts that the person may see, and numbers of earlier calls, which a text fits. */
  async search(text: string): Promise<Found[]> {
    const query = text === '' ? '' : `&search=${encodeURIComponent(text)}`;
    const [colleagues, contacts, recent] = await Promise.all([
      this.#colleagues(query),
      text === '' || !this.sees.contacts ? [] : this.#contacts(query),
      this.#recentNumbers(text),
    ]);
    const all = [...colleagues, ...contacts, ...recent];
    return all.filter(({ target }, at) => all.findIndex((one) => one.target === target) === at).slice(0, MOST_FOUND);
  }

  async #colleagues(query: string): Promise<Found[]> {
    const path = `/colleagues?limit=${MOST_FOUND}${query}`;
    const answer = await this.api.ask<{ data: Colleague[] }>('GET', path).catch(() => null);
    return (answer?.data ?? [])
      .filter(({ agent }) => agent !== this.agent)
      .map(({ agent: target, display_name, is_reachable }) => ({
        ...{ target, name: display_name === target ? null : display_name },
        note: is_reachable ? 'reachable' : 'away',
      }));
  }

  async #contacts(query: string): Promise<Found[]> {
    const path = `/contacts?limit=${MOST_FOUND}${query}`;
    const answer = await this.api.ask<{ data: Contact[] }>('GET', path).catch(() => null);
    // A number that the person may not see whole cannot be called.
    return (answer?.data ?? []).flatMap(({ phone, name_en, name_ar }) =>
      !phone?.startsWith('+')
        ? []
        : [
            {
              target: phone,
              name: inLanguage({ message: name_en ?? name_ar ?? '', messageAr: name_ar ?? name_en ?? '' }) || null,
              note: 'contact' as const,
            },
          ],
    );
  }

  async #recentNumbers(text: string): Promise<Found[]> {
    const digits = text.replaceAll(/\D/g, '');
    if (text !== '' && digits === '') return [];
    const calls = await this.recent().catch(() => []);
    const numbers = calls.flatMap(({ customer_number: known }) => (known == null ? [] : [known]));
    const fitting = [...new Set(numbers)].filter((one) => one.includes(digits));
    return fitting.map((target) => ({ target, name: null, note: 'called_before' }));
  }

  #isOwn({ agent }: ListedCall): boolean {
    return this.sees.ownCallsOnly || agent === this.agent;
  }
}

/** Those with this party: of a masked number, the last two digits are left. */
function withParty(calls: readonly ListedCall[], address: string): readonly ListedCall[] {
  const fitting = calls.filter(({ customer_number_masked: masked }) => masked?.endsWith(address.slice(-2)) === true);
  return fitting.length > 0 || calls.length > 1 ? fitting : calls;
}
