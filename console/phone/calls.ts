import type { Api } from './api.js';

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
  readonly created_at: string;
  readonly duration_seconds: number | null;
}

interface Transfer {
  readonly transfer_id: string;
  readonly status: string;
}

/** What the page requests from the API about calls. */
export class Calls {
  constructor(
    private readonly api: Api,
    private readonly agent: string,
    /** The API shows the role `agent` its own calls only; of others' lists, the page takes its own. */
    private readonly seesOwnOnly: boolean,
  ) {}

  /** The agent's newest calls. */
  async recent(): Promise<ListedCall[]> {
    const { data } = await this.api.ask<{ data: ListedCall[] }>('GET', '/calls?limit=50');
    return data.filter((call) => this.#isOwn(call)).slice(0, 20);
  }

  /** The platform's name of the call that is on with this party. */
  async liveWith(address: string): Promise<string | null> {
    const { data } = await this.api.ask<{ data: ListedCall[] }>('GET', '/calls?limit=20&status=answered');
    const own = data.filter((call) => this.#isOwn(call));
    // Of a masked number, the last two digits are left.
    const end = address.slice(-2);
    const match = own.find(({ customer_number_masked: masked }) => masked?.endsWith(end) === true);
    return (match ?? own[0])?.call_id ?? null;
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

  /** Extensions of the project; none for a user who may not see them. */
  async colleagues(): Promise<string[]> {
    const answer = await this.api.ask<{ data: { agent: string }[] }>('GET', '/agents?limit=100').catch(() => null);
    return (answer?.data ?? []).map(({ agent }) => agent).filter((agent) => agent !== this.agent);
  }

  #isOwn({ agent }: ListedCall): boolean {
    return this.seesOwnOnly || agent === this.agent;
  }
}
