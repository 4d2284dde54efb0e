import {
  countUnsealedAuditRows,
  findAuditChain,
  sealedAuditRows,
  type ChainedRow,
} from '../../data/repositories/accounts/audit-chain.js';
import type { Database, Queryable } from '../../data/database.js';
import type { AuditChainRow } from '../../data/rows.js';
import type { Cipher } from '../../model/access/cipher.js';
import { hashOf, isGenuine } from './chain.js';

/**
 * What is wrong with the chain: the row was changed, or one before it is missing; rows follow the head, or the newest are
 * missing; or the record of the two ends was not written by Hatif.
 */
export type AuditFault =
  | { readonly kind: 'changed' | 'missing'; readonly sequence: number }
  | { readonly kind: 'added' | 'cut_off' | 'ends'; readonly sequence: null };

/** The result of checking the whole chain. */
export interface AuditVerification {
  readonly intact: boolean;
  /** Rows that were checked, up to the first fault. */
  readonly rows: number;
  /** Rows that are not sealed yet. */
  readonly unsealed: number;
  /** The newest row of the chain: compare it with what you noted earlier. */
  readonly head: { readonly sequence: number; readonly hash: string };
  /** Retention deleted the rows up to this one; 0: none. */
  readonly pruned_up_to: number;
  readonly fault: AuditFault | null;
}

/** A row of the chain that was noted earlier. */
export interface NotedRow {
  readonly sequence: number;
  readonly hash: string;
}

/** Reads `sequence:hash`, as an earlier check printed it; null for another text. */
export function readNotedRow(text: string): NotedRow | null {
  const [, sequence, hash] = /^(\d{1,15}):([\w-]{43})$/.exec(text) ?? [];
  return sequence === undefined || hash === undefined ? null : { sequence: Number(sequence), hash };
}

const BATCH_ROWS = 1_000;

/** Checks every row of the audit log against the chain. */
export class VerifyAudit {
  constructor(private readonly options: { readonly db: Database; readonly cipher: Cipher }) {}

  /**
   * Checks one moment of the database, while others write. @param noted also has to be in the chain, unless retention
   * deleted it @throws DatabaseUnavailable
   */
  run(noted: NotedRow | null = null, onProgress: (rows: number) => void = () => undefined): Promise<AuditVerification> {
    return this.options.db.transaction(async (tx) => {
      await tx.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY');
      const chain = await findAuditChain(tx);
      const unsealed = await countUnsealedAuditRows(tx);
      if (chain === null) {
        const [row] = await sealedAuditRows(tx, 0, 1);
        return resultOf(EMPTY, 0, unsealed, row ? { kind: 'added', sequence: null } : null);
      }
      if (!isGenuine(this.options.cipher, chain)) {
        return resultOf(chain, 0, unsealed, { kind: 'ends', sequence: null });
      }
      const { rows, fault } = await this.#check(tx, chain, noted, onProgress);
      return resultOf(chain, rows, unsealed, fault);
    });
  }

  async #check(
    tx: Queryable,
    chain: AuditChainRow,
    noted: NotedRow | null,
    onProgress: (rows: number) => void,
  ): Promise<{ rows: number; fault: AuditFault | null }> {
    let { pruned_sequence: sequence, pruned_hash: hash } = chain;
    let rows = 0;
    // A batch may be the last one although it is full: then the next is empty.
    for (let batch: ChainedRow[]; (batch = await sealedAuditRows(tx, sequence, BATCH_ROWS)).length > 0;) {
      for (const row of batch) {
        const fault = this.#faultOf(row, sequence, hash, chain, noted);
        if (fault) return { rows, fault };
        [sequence, hash] = [sequence + 1, row.chain_hash ?? ''];
        rows += 1;
      }
      if (batch.length === BATCH_ROWS) onProgress(rows);
    }
    const isWhole =
      sequence === chain.head_sequence && hash === chain.head_hash && (noted?.sequence ?? 0) <= chain.head_sequence;
    return { rows, fault: isWhole ? null : { kind: 'cut_off', sequence: null } };
  }

  #faultOf(
    row: ChainedRow,
    before: number,
    hash: string,
    chain: AuditChainRow,
    noted: NotedRow | null,
  ): AuditFault | null {
    const sequence = before + 1;
    if (sequence > chain.head_sequence) return { kind: 'added', sequence: null };
    if (row.chain_sequence !== sequence) return { kind: 'missing', sequence };
    if (hashOf(this.options.cipher, sequence, hash, row) !== row.chain_hash) return { kind: 'changed', sequence };
    return noted?.sequence === sequence && noted.hash !== row.chain_hash ? { kind: 'changed', sequence } : null;
  }
}

const EMPTY = { head_sequence: 0, head_hash: '', pruned_sequence: 0 };

function resultOf(
  chain: Pick<AuditChainRow, 'head_sequence' | 'head_hash' | 'pruned_sequence'>,
  rows: number,
  unsealed: number,
  fault: AuditFault | null,
): AuditVerification {
  const head = { sequence: chain.head_sequence, hash: chain.head_hash };
  return { intact: fault === null, rows, unsealed, head, pruned_up_to: chain.pruned_sequence, fault };
}
