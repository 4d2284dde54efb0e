import { newId } from '../../../model/ids.js';
import type { MicroSar } from '../../../model/money.js';
import type { Database, Queryable } from '../../database.js';
import type { LedgerAccountType, LedgerTransactionRow } from '../../rows.js';

/** Identifies an account of an organization. */
export interface LedgerAccount {
  readonly type: LedgerAccountType;
  /** For type `project`; null for the organization's accounts. */
  readonly projectId: string | null;
}

export interface Posting {
  readonly organizationId: string;
  readonly kind: string;
  /** Identifies the origin: each kind and reference is posted only once. */
  readonly reference: string;
  readonly note: string | null;
  /** The amounts sum to zero; at most one entry per account. */
  readonly entries: readonly (LedgerAccount & { readonly amount: MicroSar })[];
}

/** A transaction from the viewpoint of one of its accounts. */
export interface LedgerLine extends LedgerTransactionRow {
  readonly account: LedgerAccountType;
  readonly project_id: string | null;
  readonly amount: MicroSar;
}

const ACCOUNTS = `
  INSERT INTO ledger_accounts (id, organization_id, project_id, type)
  SELECT DISTINCT ON (2, 3, 4) uuid_v7(), organization_id, project_id, type
  FROM jsonb_to_recordset($1::jsonb) AS entry (organization_id uuid, project_id uuid, type text)
  ON CONFLICT DO NOTHING`;

/** Skips existing transactions and their entries. */
const POST = `
  WITH posted AS (
    INSERT INTO ledger_transactions (id, organization_id, kind, reference, note, created_at)
    SELECT id, organization_id, kind, reference, note, $2
    FROM jsonb_to_recordset($1::jsonb) AS posting (id uuid, organization_id uuid, kind text, reference text, note text)
    ORDER BY kind, reference
    ON CONFLICT (kind, reference) DO NOTHING
    RETURNING id, reference
  ), entries AS (
    INSERT INTO ledger_entries (transaction_id, account_id, amount)
    SELECT posted.id, account.id, entry.amount
    FROM posted
    JOIN jsonb_to_recordset($3::jsonb) AS entry (transaction_id uuid, organization_id uuid, project_id uuid, type text, amount bigint)
      ON entry.transaction_id = posted.id
    JOIN ledger_accounts AS account
      ON account.organization_id = entry.organization_id AND account.project_id IS NOT DISTINCT FROM entry.project_id AND account.type = entry.type
  )
  SELECT reference FROM posted`;

/**
 * Double-entry ledger. Entries are never changed; a mistake is corrected by another transaction.
 */
export class Ledger {
  constructor(private readonly db: Database) {}

  /**
   * Writes transactions, each once. An account is created with its first entry.
   * @returns the references that were new
   * @throws a check violation if the entries do not sum to zero
   */
  async post(tx: Queryable, postings: readonly Posting[], now: Date): Promise<ReadonlySet<string>> {
    if (postings.length === 0) return new Set();
    const transactions = postings.map(({ organizationId, kind, reference, note }) => {
      return { id: newId(), organization_id: organizationId, kind, reference, note };
    });
    const entries = postings.flatMap(({ organizationId, entries }, index) =>
      entries.map(({ type, projectId, amount }) => {
        const transaction_id = transactions[index]?.id;
        return { transaction_id, organization_id: organizationId, project_id: projectId, type, amount };
      }),
    );
    await tx.query(ACCOUNTS, [JSON.stringify(entries)]);
    const rows = await tx.query<{ reference: string }>(POST, [
      JSON.stringify(transactions),
      now,
      JSON.stringify(entries),
    ]);
    return new Set(rows.map(({ reference }) => reference));
  }

  /**
   * 0 for an account without entries. @param lock locks the balance until the end of the
   * transaction
   */
  async balance(
    organizationId: string,
    account: LedgerAccount,
    on: Queryable = this.db,
    lock = false,
  ): Promise<MicroSar> {
    const [row] = await on.query<{ balance: number }>(
      `SELECT balance FROM ledger_accounts
       WHERE organization_id = $1 AND project_id IS NOT DISTINCT FROM $2 AND type = $3${lock ? ' FOR NO KEY UPDATE' : ''}`,
      [organizationId, account.projectId, account.type],
    );
    return row?.balance ?? 0;
  }

  /**
   * Everything the organization has paid in and not taken out: the remaining balance and the spent
   * part.
   */
  async paidIn(organizationId: string, on: Queryable = this.db): Promise<MicroSar> {
    const [row] = await on.query<{ amount: number }>(
      `SELECT coalesce(sum(balance), 0)::bigint AS amount FROM ledger_accounts
       WHERE organization_id = $1 AND type IN ('pool', 'project', 'revenue')`,
      [organizationId],
    );
    return row?.amount ?? 0;
  }

  /** Locks the money that an organization has left, until the end of the transaction. */
  async lockMoney(
    tx: Queryable,
    organizationId: string,
  ): Promise<{ readonly pool: MicroSar; /** Of all projects. */ readonly projects: MicroSar }> {
    const rows = await tx.query<{ type: LedgerAccountType; balance: MicroSar }>(
      `SELECT type, balance FROM ledger_accounts WHERE organization_id = $1 AND type IN ('pool', 'project')
       ORDER BY id FOR NO KEY UPDATE`,
      [organizationId],
    );
    const sum = (of: LedgerAccountType): MicroSar =>
      rows.reduce((whole, { type, balance }) => (type === of ? whole + balance : whole), 0);
    return { pool: sum('pool'), projects: sum('project') };
  }

  /** Locks these balances until the end of the transaction, in the same order as posting does. */
  async lock(tx: Queryable, organizationId: string, accounts: readonly LedgerAccount[]): Promise<void> {
    await tx.query(
      `SELECT FROM ledger_accounts AS account
       JOIN jsonb_to_recordset($2::jsonb) AS wanted (type text, "projectId" uuid)
         ON account.type = wanted.type AND account.project_id IS NOT DISTINCT FROM wanted."projectId"
       WHERE account.organization_id = $1 ORDER BY account.id FOR NO KEY UPDATE OF account`,
      [organizationId, JSON.stringify(accounts)],
    );
  }

  /**
   * Entries of the account, newest first; the reference of a system call is empty. @param before the id of the last transaction already read
   */
  lines(
    organizationId: string,
    { type, projectId }: LedgerAccount,
    page: { readonly before: string | null; readonly limit: number },
  ): Promise<LedgerLine[]> {
    return this.db.query<LedgerLine>(
      `SELECT transaction.id, transaction.organization_id, transaction.kind, transaction.note, transaction.created_at,
         CASE WHEN call.system THEN '' ELSE transaction.reference END AS reference, account.type AS account,
         account.project_id, entry.amount
       FROM ledger_accounts AS account
       JOIN ledger_entries AS entry ON entry.account_id = account.id
       JOIN ledger_transactions AS transaction ON transaction.id = entry.transaction_id
       LEFT JOIN calls AS call ON call.id = CASE WHEN transaction.kind IN ('call', 'rerating') THEN split_part(transaction.reference, ':', 1)::uuid END
       WHERE account.organization_id = $1 AND account.project_id IS NOT DISTINCT FROM $2 AND account.type = $3
         AND ($4::uuid IS NULL OR transaction.id < $4)
       ORDER BY transaction.id DESC LIMIT $5`,
      [organizationId, projectId, type, page.before, page.limit],
    );
  }
}
