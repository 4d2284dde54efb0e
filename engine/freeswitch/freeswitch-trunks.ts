import { pause, type Clock } from '../../core/ports/clock.js';
import type { Trunk, Trunks } from '../../core/ports/engine.js';
import type { Logger } from '../../core/ports/logger.js';
import { checkCredentials } from './dial-string.js';
import type { EslLink } from './esl/esl-link.js';
import { ANSWERED_ADDRESS, ANSWERED_LIST } from './xml.js';

const AGAIN_MS = 2_000;

/**
 * Nothing of a trunk is kept in FreeSWITCH: a call that leaves carries its credentials along, and the addresses from which calls come in are asked of
 * the application when FreeSWITCH is told that they changed.
 */
export class FreeswitchTrunks implements Trunks {
  readonly #trunks = new Map<string, Trunk>();
  #asksAgain = false;

  constructor(
    private readonly link: EslLink,
    private readonly clock: Clock,
    private readonly log: Logger,
    private readonly onPut: () => void,
  ) {}

  /** While FreeSWITCH is away it resolves too: it asks at the next connect. */
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

  /** Before any trunk is known, FreeSWITCH keeps what it was told by the process before: calls come in meanwhile. */
  async resume(): Promise<void> {
    if (this.#trunks.size > 0) await this.#reload();
  }

  /** FreeSWITCH asks, and where nobody answers it lets in nobody: so it is told to ask until somebody did. */
  async #reload(): Promise<void> {
    if ((await this.#asked()) || this.#asksAgain) return;
    this.log.warn(
      {},
      'no process of the application answered FreeSWITCH; it lets in no calls by address until one does',
    );
    this.#asksAgain = true;
    void this.#askAgain().finally(() => {
      this.#asksAgain = false;
    });
  }

  async #askAgain(): Promise<void> {
    // Where the connection broke, the next one begins with asking.
    do await pause(this.clock, AGAIN_MS);
    while (this.link.status.status === 'up' && !(await this.#asked().catch(() => true)));
  }

  /** @returns whether what it has now is an answer of the application's */
  async #asked(): Promise<boolean> {
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
