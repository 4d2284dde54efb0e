import { isId } from '../../../model/ids.js';
import type { PaymentMethod, PaymentStatus } from '../../../model/payment.js';
import type { Database, Queryable } from '../../database.js';
import type { PaymentRefundRow, PaymentRow } from '../../rows.js';

/** The columns of a payment that change. */
export type PaymentChanges = Partial<
  Pick<
    PaymentRow,
    'status' | 'paid' | 'error_code' | 'reason' | 'checkout_url' | 'provider_reference' | 'next_check_at' | 'ended_at'
  >
>;

const CHANGED = 'status, paid, error_code, reason, checkout_url, provider_reference, next_check_at, ended_at';

/**
 * The next poll is due after 10 seconds, then after twice as long each time, up to half an hour.
 */
const TAKE = `
  UPDATE payments SET checks = checks + 1, next_check_at = $1::timestamptz + least(1800, 10 * 2 ^ least(checks, 8)) * interval '1 second'
  WHERE id IN (
    SELECT id FROM payments WHERE next_check_at <= $1 ORDER BY next_check_at LIMIT $2 FOR UPDATE SKIP LOCKED
  )
  RETURNING payments.*, 0::bigint AS refunded`;

const REFUNDED = (payment: string): string =>
  `(SELECT coalesce(sum(total), 0)::bigint FROM payment_refunds WHERE payment_id = ${payment}.id) AS refunded`;
const PAYMENT = `SELECT payments.*, ${REFUNDED('payments')} FROM payments`;

export class Payments {
  constructor(private readonly db: Database) {}

  /** @returns false, and writes nothing, if another payment of its invoice is pending */
  async insert(row: PaymentRow): Promise<boolean> {
    const rows = await this.db.query(
      `INSERT INTO payments SELECT * FROM jsonb_populate_record(NULL::payments, $1)
       ON CONFLICT (invoice_id) WHERE status = 'pending' DO NOTHING RETURNING id`,
      [JSON.stringify(row)],
    );
    return rows.length > 0;
  }

  /** @param projectId null searches all projects */
  async get(projectId: string | null, id: string): Promise<PaymentRow | null> {
    if (!isId(id)) return null;
    const [row] = await this.db.query<PaymentRow>(
      `${PAYMENT} WHERE id = $1 AND ($2::uuid IS NULL OR project_id = $2)`,
      [id, projectId],
    );
    return row ?? null;
  }

  async byReference(reference: string): Promise<PaymentRow | null> {
    const [row] = await this.db.query<PaymentRow>(`${PAYMENT} WHERE reference = $1`, [reference]);
    return row ?? null;
  }

  /** The payment opened by a request. */
  async findByRequest(requestId: string, keyId: string): Promise<PaymentRow | null> {
    const [row] = await this.db.query<PaymentRow>(
      `${PAYMENT} WHERE request_id = $1 AND created_by_key = $2 ORDER BY id DESC LIMIT 1`,
      [requestId, keyId],
    );
    return row ?? null;
  }

  /**
   * Newest first, only those before `beforeId`. @param projectId null lists all projects
   */
  page(
    projectId: string | null,
    status: PaymentStatus | null,
    beforeId: string | null,
    limit: number,
  ): Promise<PaymentRow[]> {
    return this.db.query<PaymentRow>(
      `${PAYMENT}
       WHERE ($1::uuid IS NULL OR project_id = $1) AND ($2::text IS NULL OR status = $2) AND ($3::uuid IS NULL OR id < $3)
       ORDER BY id DESC LIMIT $4`,
      [projectId, status, beforeId, limit],
    );
  }

  /** Locks the payment until the end of the transaction. @param method null accepts any method */
  async lock(id: string, method: PaymentMethod | null, tx: Queryable): Promise<PaymentRow | null> {
    const [row] = await tx.query<PaymentRow>(
      `${PAYMENT} WHERE id = $1 AND ($2::text IS NULL OR method = $2) FOR UPDATE`,
      [id, method],
    );
    return row ?? null;
  }

  async change(id: string, changes: PaymentChanges, tx: Queryable): Promise<PaymentRow> {
    const [row] = await tx.query<PaymentRow>(
      `UPDATE payments AS kept SET (${CHANGED}) = (SELECT ${CHANGED} FROM jsonb_populate_record(kept, $2))
       WHERE id = $1 RETURNING kept.*, ${REFUNDED('kept')}`,
      [id, JSON.stringify(changes)],
    );
    if (!row) throw new Error(`there is no payment ${id}`);
    return row;
  }

  /** The refunds of a payment, oldest first. */
  refunds(paymentId: string, on: Queryable = this.db): Promise<PaymentRefundRow[]> {
    return on.query<PaymentRefundRow>(`SELECT * FROM payment_refunds WHERE payment_id = $1 ORDER BY id`, [paymentId]);
  }

  async addRefund(tx: Queryable, row: PaymentRefundRow): Promise<void> {
    await tx.query(`INSERT INTO payment_refunds SELECT * FROM jsonb_populate_record(NULL::payment_refunds, $1)`, [
      JSON.stringify(row),
    ]);
  }

  /** Takes payments that are due for a poll, each for one process, and schedules the next poll. */
  take(now: Date, limit: number): Promise<PaymentRow[]> {
    return this.db.query<PaymentRow>(TAKE, [now, limit]);
  }
}
