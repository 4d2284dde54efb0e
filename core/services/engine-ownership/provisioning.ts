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
 * Synchronizes the engine's softphones and trunks with the tables: pushes new and changed ones, removes deleted ones.
 * Idempotent. Runs at each connect, at each announced change, and periodically in case an announcement was lost.
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

  /** Forgets what was pushed, because the engine restarted and lost it: the next sync pushes everything. */
  forget(): void {
    this.#pushed = new Map();
  }

  /** Runs one sync at a time: a sync that read the tables earlier would remove what a later one pushed. */
  sync(): Promise<void> {
    const synced = this.#syncing.then(() => this.#syncOnce());
    this.#syncing = synced.catch(() => undefined);
    return synced;
  }

  async #syncOnce(): Promise<void> {
    const { tables } = this;
    const [agents, trunks, peers] = await Promise.all([tables.agents(), tables.trunks(), tables.peers()]);
    const desired = new Map<string, { readonly fingerprint: string; readonly push: () => Promise<void> }>();
    // Trunks first: they are few, and every call through a freshly started engine needs one.
    for (const trunk of [...trunks.map((row) => trunkOf(row, this.cipher)), ...peers.map(peerTrunk)]) {
      desired.set(`trunk ${trunk.trunkId}`, {
        fingerprint: JSON.stringify(trunk),
        push: () => this.engine.trunks.put(trunk),
      });
    }
    for (const row of agents) {
      const softphone = softphoneOf(row, this.cipher);
      desired.set(`softphone ${row.aor}`, {
        fingerprint: JSON.stringify(softphone),
        push: () => this.engine.registrations.put(softphone),
      });
    }
    for (const [key, { fingerprint, push }] of desired) {
      if (this.#pushed.get(key) === fingerprint) continue;
      if (await this.#attempt(key, push)) this.#pushed.set(key, fingerprint);
    }
    for (const key of [...this.#pushed.keys()]) {
      if (!desired.has(key) && (await this.#attempt(key, () => this.#remove(key)))) this.#pushed.delete(key);
    }
  }

  #remove(key: string): Promise<void> {
    const [kind, name = ''] = key.split(' ');
    return kind === 'trunk' ? this.engine.trunks.remove(name) : this.engine.registrations.remove(name);
  }

  /** One item that the engine refuses does not stop the others from being pushed. */
  async #attempt(key: string, push: () => Promise<void>): Promise<boolean> {
    try {
      await push();
      return true;
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      this.log.warn({ key, kind: error.kind, err: error }, 'the engine rejected a softphone or trunk');
      return false;
    }
  }
}
