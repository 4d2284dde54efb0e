import { createHmac } from 'node:crypto';
import type { IceServer } from '../../model/web-calling.js';
import type { Clock } from '../../ports/clock.js';
import type { TurnProbe } from '../../ports/turn.js';

/** A server of the settings. */
export interface IceServerAddress {
  /** `turn:`, `turns:` or `stun:` URI. */
  readonly url: string;
  /** Null: of every region. */
  readonly region: string | null;
}

export interface IceServersOptions {
  readonly servers: readonly IceServerAddress[];
  /** Shared with the TURN servers; null if there is none. */
  readonly secret: string | null;
  readonly probe: TurnProbe;
  readonly clock: Pick<Clock, 'monotonicMs'>;
}

/** A TURN server, as it answers now. */
export interface RelayState extends IceServerAddress {
  readonly isUp: boolean;
}

/** How long the answer of a server counts. */
const FRESH_MS = 10_000;

/** The TURN and STUN servers that browsers use. */
export class IceServers {
  readonly #answers = new Map<string, { readonly answer: Promise<boolean>; readonly atMs: number }>();

  constructor(private readonly options: IceServersOptions) {}

  /**
   * The servers for a browser, with credentials until `until` (draft-uberti-behave-turn-rest): the user name is the expiry
   * in seconds and the identity, the password its HMAC-SHA1.
   * @param region those of the region come first; unknown or null: the order of the settings
   */
  for(identity: string, until: Date, region: string | null): IceServer[] {
    const { secret } = this.options;
    const username = `${Math.ceil(until.getTime() / 1000)}:${identity}`;
    const credential = secret === null ? '' : createHmac('sha1', secret).update(username).digest('base64');
    return this.#ordered(region).map(({ url }) =>
      isTurn(url) ? { urls: [url], username, credential } : { urls: [url] },
    );
  }

  /** Whether a TURN server answers now. Does not wait for others if one does. */
  async hasRelay(): Promise<boolean> {
    return Promise.any(
      this.#relays.map(({ url }) => this.#answer(url).then((answers) => answers || Promise.reject(new Error(url)))),
    )
      .then(() => true)
      .catch(() => false);
  }

  /** Every TURN server, in the order of the settings. */
  relays(): Promise<RelayState[]> {
    return Promise.all(this.#relays.map(async (server) => ({ ...server, isUp: await this.#answer(server.url) })));
  }

  get #relays(): readonly IceServerAddress[] {
    return this.options.servers.filter(({ url }) => isTurn(url));
  }

  #ordered(region: string | null): readonly IceServerAddress[] {
    const { servers } = this.options;
    const near = servers.filter((server) => region !== null && server.region === region);
    return [...near, ...servers.filter((server) => !near.includes(server))];
  }

  #answer(url: string): Promise<boolean> {
    const { clock, probe } = this.options;
    const nowMs = clock.monotonicMs();
    const known = this.#answers.get(url);
    if (known && nowMs - known.atMs < FRESH_MS) return known.answer;
    const answer = probe.answers(url);
    this.#answers.set(url, { answer, atMs: nowMs });
    return answer;
  }
}

function isTurn(url: string): boolean {
  return url.startsWith('turn');
}
