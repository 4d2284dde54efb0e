import { pause, type Clock } from '../../core/ports/clock.js';
import type { Trunk, Trunks } from '../../core/ports/engine.js';
import type { Logger } from '../../core/ports/logger.js';
import { checkCredentials } from './dial-string.js';
import type { EslLink } from './esl/esl-link.js';
import { ANSWERED_ADDRESS, ANSWERED_LIST } from './xml.js';

const RETRY_MS = 2_000;

/**
 * FreeSWITCH stores nothing about trunks: an outbound call carries its trunk's credentials, and FreeSWITCH requests the
 * inbound addresses from the application on each `reloadacl`.
 */
export class FreeswitchTrunks implements Trunks {
  readonly #trunks = new Map<string, Trunk>();
  #isRetrying = false;

  constructor(
    private readonly link: EslLink,
    private readonly clock: Clock,
    private readonly log: Logger,
    private readonly onPut: () => void,
  ) {}

  /** Resolves even if FreeSWITCH is unreachable: it reloads the addresses at the next connect. */
  async put(trunk: Trunk): Promise<void> {
    checkCredentials(trunk);
    this.#trunks.set(trunk.trunkId, trunk);
    if (this.link.status.status !== 'up') return;
    await this.#reload();
    this.onPut();
  }

  async remove(trunkId: string): Promise<void> {
    this.link.require();
    if (this.#trunks.delete(trunkId)) await this.#reload();
  }

  /** Without trunks nothing is reloaded: FreeSWITCH keeps the previous process's addresses, so that calls still arrive. */
  async resume(): Promise<void> {
    if (this.#trunks.size > 0) await this.#reload();
  }

  /** If no process answers FreeSWITCH's request, it admits no calls by address, so the reload is retried. */
  async #reload(): Promise<void> {
    if ((await this.#reloadOnce()) || this.#isRetrying) return;
    this.log.warn({}, 'no application process answered FreeSWITCH; it admits no calls by address until one does');
    this.#isRetrying = true;
    void this.#retryReload().finally(() => {
      this.#isRetrying = false;
    });
  }

  async #retryReload(): Promise<void> {
    // If the connection breaks, the next connect reloads.
    do await pause(this.clock, RETRY_MS);
    while (this.link.status.status === 'up' && !(await this.#reloadOnce().catch(() => true)));
  }

  /** Reloads the network lists. @returns whether they now come from the application */
  async #reloadOnce(): Promise<boolean> {
    await this.link.api('reloadacl');
    return (await this.link.api(`acl ${ANSWERED_ADDRESS} ${ANSWERED_LIST}`)).trim() === 'true';
  }

  get(trunkId: string): Trunk | undefined {
    return this.#trunks.get(trunkId);
  }

  all(): readonly Trunk[] {
    return [...this.#trunks.values()];
  }
}
