import type { AgentRow, TrunkRow, WebSessionRow } from '../../data/rows.js';
import type { Cipher } from '../../model/access/cipher.js';
import { EngineError, type Engine } from '../../ports/engine.js';
import type { Logger } from '../../ports/logger.js';
import { peerTrunk, softphoneOf, trunkOf, type Peer, type PhoneRow } from './provisioned.js';

export interface ProvisioningTables {
  agents(): Promise<readonly AgentRow[]>;
  /** The browsers of web calling. */
  browsers(): Promise<readonly WebSessionRow[]>;
  trunks(): Promise<readonly TrunkRow[]>;
  /** The other engines of the installation. */
  peers(): Promise<readonly Peer[]>;
}

interface Item {
  readonly key: string;
  /** Differs if the item differs. */
  readonly fingerprint: string;
  readonly push: () => Promise<void>;
}

/** The fingerprint of an item whose removal began: how much of it the engine still has is not known. */
const UNKNOWN = '';

/**
 * Synchronizes the engine's softphones and trunks with the tables: pushes new and changed ones, removes deleted ones.
 * Idempotent. Runs at each connect, at each announced change, and periodically in case an announcement was lost.
 */
export class Provisioning {
  #pushed = new Map<string, string>();
  #work: Promise<void> = Promise.resolve();
  /** The sync at the end of the queue, which has not begun, and so reads what is in the tables now. */
  #lastSync: Promise<void> | null = null;

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

  /** Pushes the trunks alone: they are few, and the calls that a process takes over may need them. */
  pushTrunks(): Promise<void> {
    return this.#oneAtATime(async () => this.#push(await this.#trunks()));
  }

  /** Of many changes at once, each of which asks for a sync, those that wait one after another share one. */
  sync(): Promise<void> {
    if (this.#lastSync !== null) return this.#lastSync;
    const sync = this.#oneAtATime(() => {
      if (this.#lastSync === sync) this.#lastSync = null;
      return this.#sync();
    });
    this.#lastSync = sync;
    return sync;
  }

  /**
   * Pushes a softphone that is not in the tables yet, if the engine does not have it. If it is not in them by then, the
   * next sync removes it.
   * @throws EngineError if the engine refuses it
   */
  accept(phone: PhoneRow, isBrowser: boolean): Promise<void> {
    return this.#oneAtATime(async () => {
      const { key, fingerprint, push } = this.#itemOf(phone, isBrowser);
      if (this.#pushed.get(key) === fingerprint) return;
      await push();
      this.#pushed.set(key, fingerprint);
    });
  }

  /** A sync that read the tables earlier would remove what a later one pushed. */
  #oneAtATime(work: () => Promise<void>): Promise<void> {
    this.#lastSync = null;
    const done = this.#work.then(work);
    this.#work = done.catch(() => undefined);
    return done;
  }

  async #sync(): Promise<void> {
    const [trunks, softphones] = await Promise.all([this.#trunks(), this.#softphones()]);
    // Trunks first: every call through a freshly started engine needs one.
    const desired = [...trunks, ...softphones];
    await this.#push(desired);
    const keys = new Set(desired.map(({ key }) => key));
    for (const key of [...this.#pushed.keys()]) {
      if (keys.has(key)) continue;
      this.#pushed.set(key, UNKNOWN);
      if (await this.#attempt(key, () => this.#remove(key))) this.#pushed.delete(key);
    }
  }

  async #trunks(): Promise<readonly Item[]> {
    const [trunks, peers] = await Promise.all([this.tables.trunks(), this.tables.peers()]);
    return [...trunks.map((row) => trunkOf(row, this.cipher)), ...peers.map(peerTrunk)].map((trunk) => ({
      key: `trunk ${trunk.trunkId}`,
      fingerprint: JSON.stringify(trunk),
      push: () => this.engine.trunks.put(trunk),
    }));
  }

  async #softphones(): Promise<readonly Item[]> {
    const [agents, browsers] = await Promise.all([this.tables.agents(), this.tables.browsers()]);
    return [...agents.map((row) => this.#itemOf(row, false)), ...browsers.map((row) => this.#itemOf(row, true))];
  }

  #itemOf(phone: PhoneRow, isBrowser: boolean): Item {
    const softphone = { ...softphoneOf(phone, this.cipher), ...(isBrowser && { isBrowser }) };
    return {
      key: `softphone ${softphone.aor}`,
      fingerprint: JSON.stringify(softphone),
      push: () => this.engine.registrations.put(softphone),
    };
  }

  async #push(items: readonly Item[]): Promise<void> {
    for (const { key, fingerprint, push } of items) {
      if (this.#pushed.get(key) === fingerprint) continue;
      if (await this.#attempt(key, push)) this.#pushed.set(key, fingerprint);
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
