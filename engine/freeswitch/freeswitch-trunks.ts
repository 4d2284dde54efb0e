import type { Trunk, Trunks } from '../../core/ports/engine.js';
import { checkCredentials } from './dial-string.js';
import type { EslLink } from './esl-link.js';

/**
 * Nothing of a trunk is kept in FreeSWITCH: a call that leaves carries its credentials along, and the addresses from which calls come in are asked of
 * the application when FreeSWITCH is told that they changed.
 */
export class FreeswitchTrunks implements Trunks {
  readonly #trunks = new Map<string, Trunk>();

  constructor(
    private readonly link: EslLink,
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

  async #reload(): Promise<void> {
    await this.link.api('reloadacl');
  }

  get(trunkId: string): Trunk | undefined {
    return this.#trunks.get(trunkId);
  }

  all(): readonly Trunk[] {
    return [...this.#trunks.values()];
  }
}
