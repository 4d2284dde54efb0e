import {
  createAuditChain,
  deleteAuditRowsUpTo,
  findAuditChain,
  lastAuditRowBefore,
  sealAuditRows,
  unsealedAuditRows,
  updateAuditChain,
  type ChainedRow,
  type Seal,
} from '../../data/repositories/accounts/audit-chain.js';
import type { Database, Queryable } from '../../data/database.js';
import type { AuditChainRow } from '../../data/rows.js';
import type { Cipher } from '../../model/access/cipher.js';
import type { Clock } from '../../ports/clock.js';
import type { IsStopping, PeriodicTask } from '../runtime/periodic-task.js';

export interface AuditChainOptions {
  readonly db: Database;
  readonly cipher: Cipher;
  readonly clock: Clock;
  /** Rows per transaction; default 500. */
  readonly batchRows?: number;
}

const INTERVAL_MS = 5_000;
const BATCH_ROWS = 500;

/**
 * Makes the audit log a chain. Requests only insert rows; this task, in one process at a time, numbers new rows in the
 * order of their ids and stores in each a keyed hash of the row and of the hash before it. The installation's secret is
 * the key, so that access to the database alone is not enough to forge a chain.
 */
export class AuditChain implements PeriodicTask {
  readonly name = 'audit chain';
  readonly everyMs = INTERVAL_MS;

  constructor(private readonly options: AuditChainOptions) {}

  /** Seals every row that is committed. @returns the number of sealed rows @throws DatabaseUnavailable */
  async run(isStopping: IsStopping = () => false): Promise<number> {
    let sealed = 0;
    let count: number;
    do {
      count = await this.options.db.transaction((tx) => this.#seal(tx));
      sealed += count;
    } while (count === this.#batchRows && !isStopping());
    return sealed;
  }

  /**
   * Deletes at most `limit` rows at the beginning of the chain that are older than `before`, and signs where the chain
   * begins from now on. A row that is not sealed yet is kept. @returns the number of deleted rows
   */
  async prune(before: Date, limit: number): Promise<number> {
    const { db, clock } = this.options;
    return db.transaction(async (tx) => {
      const chain = await findAuditChain(tx, true);
      const last = chain && (await lastAuditRowBefore(tx, chain.pruned_sequence, before, limit));
      if (!last) return 0;
      const pruned = { pruned_sequence: last.sequence, pruned_hash: last.hash, pruned_at: clock.now() };
      await updateAuditChain(tx, signed(this.options.cipher, { ...chain, ...pruned }));
      return deleteAuditRowsUpTo(tx, last.sequence);
    });
  }

  get #batchRows(): number {
    return this.options.batchRows ?? BATCH_ROWS;
  }

  async #seal(tx: Queryable): Promise<number> {
    const { cipher } = this.options;
    await createAuditChain(tx, signed(cipher, EMPTY));
    const chain = (await findAuditChain(tx, true)) ?? signed(cipher, EMPTY);
    const rows = await unsealedAuditRows(tx, this.#batchRows);
    if (rows.length === 0) return 0;
    let { head_sequence: sequence, head_hash: hash } = chain;
    const seals = rows.map((row): Seal => {
      sequence += 1;
      hash = hashOf(cipher, sequence, hash, row);
      return { id: row.id, sequence, hash };
    });
    await sealAuditRows(tx, seals);
    await updateAuditChain(tx, signed(cipher, { ...chain, head_sequence: sequence, head_hash: hash }));
    return rows.length;
  }
}

const EMPTY = { head_sequence: 0, head_hash: '', pruned_sequence: 0, pruned_hash: '', pruned_at: null };

/** The hash that a row has at this place of the chain. */
export function hashOf(cipher: Cipher, sequence: number, previous: string, row: ChainedRow): string {
  const { id, organization_id, project_id, key_id, user_id, administrator_id, actor, request_id } = row;
  const { method, path, route, status, error_code, ip, details, created_at } = row;
  const content = [
    ...['row', sequence, previous, id, organization_id, project_id, key_id, user_id, administrator_id, actor],
    ...[request_id, method, path, route, status, error_code, ip, details, created_at.toISOString()],
  ];
  return cipher.mac('audit', JSON.stringify(content));
}

/** Whether Hatif wrote these ends of the chain. */
export function isGenuine(cipher: Cipher, chain: AuditChainRow): boolean {
  return signed(cipher, chain).mac === chain.mac;
}

function signed(cipher: Cipher, chain: Omit<AuditChainRow, 'mac'>): AuditChainRow {
  const { head_sequence, head_hash, pruned_sequence, pruned_hash, pruned_at } = chain;
  const content = ['ends', head_sequence, head_hash, pruned_sequence, pruned_hash, pruned_at?.toISOString() ?? null];
  return { ...chain, mac: cipher.mac('audit', JSON.stringify(content)) };
}
