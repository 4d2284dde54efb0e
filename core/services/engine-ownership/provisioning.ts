import type { AgentRow, TrunkRow } from '../../data/rows.js';
import type { Cipher } from '../../model/access/cipher.js';
import { EngineError, type Engine } from '../../ports/engine.js';
import type { Logger } from '../../ports/logger.js';
import { peerTrunk, softphoneOf, trunkOf, type Peer } from './provisioned.js';

export interface ProvisioningTables {
  agents(): Promise<readonly AgentRow[]>;
  trunks(): Promise<readonly TrunkRow[]>;
  /** The other engines of the installation. */
  peers(): Promise<readonly Peer[]>;
}

/**
 * Keeps the engine's softphones and trunks like the tables: what is new or changed is pushed, what is gone is removed. Idempotent;
 * run at each connect, at each change that is announced, and now and then for what was not.
 */
export class Provisioning {
  #pushed = new Map<string, string>();
  #syncing: Promise<void> = Promise.resolve();

  constructor(
    private readonly engine: Engine,
    private readonly tables: ProvisioningTables,
    private readonly cipher: Cipher,
    private readonly log: Logger,
  ) {}

  /** The engine lost everything that was pushed (it restarted): push all of it again at the next sync. */
  forget(): void {
    this.#pushed = new Map();
  }

  /** One after another: one that read the tables earlier would remove what a later one had pushed. */
  sync(): Promise<void> {
    const synced = this.#syncing.then(() => this.#syncOnce());
    this.#syncing = synced.catch(() => undefined);
    return synced;
  }

  async #syncOnce(): Promise<void> {
    const { tables } = this;
    const [agents, trunks, peers] = await Promise.all([tables.agents(), tables.trunks(), tables.peers()]);
    const wanted = new Map<string, { readonly fingerprint: string; readonly push: () => Promise<void> }>();
    // Trunks first: they are few, and every call through an engine that has just started needs one.
    for (const trunk of [...trunks.map((row) => trunkOf(row, this.cipher)), ...peers.map(peerTrunk)]) {
      wanted.set(`trunk ${trunk.trunkId}`, {
        fingerprint: JSON.stringify(trunk),
        push: () => this.engine.trunks.put(trunk),
      });
    }
    for (const row of agents) {
      const softphone = softphoneOf(row, this.cipher);
      wanted.set(`softphone ${row.aor}`, {
        fingerprint: JSON.stringify(softphone),
        push: () => this.engine.registrations.put(softphone),
      });
    }
    for (const [key, { fingerprint, push }] of wanted) {
      if (this.#pushed.get(key) === fingerprint) continue;
      if (await this.#attempt(key, push)) this.#pushed.set(key, fingerprint);
    }
    for (const key of [...this.#pushed.keys()]) {
      if (!wanted.has(key) && (await this.#attempt(key, () => this.#remove(key)))) this.#pushed.delete(key);
    }
  }

  #remove(key: string): Promise<void> {
    const [kind, name = ''] = key.split(' ');
    return kind === 'trunk' ? this.engine.trunks.remove(name) : this.engine.registrations.remove(name);
  }

  /** One that the engine refuses does not keep the others from being pushed. */
  async #attempt(key: string, push: () => Promise<void>): Promise<boolean> {
    try {
      await push();
      return true;
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      this.log.warn({ key, kind: error.kind, err: error }, 'the engine did not take a softphone or trunk');
      return false;
    }
  }
}
