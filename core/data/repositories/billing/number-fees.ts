import type { OwnableKind } from '../../../model/number/search.js';
import type { Database, Queryable } from '../../database.js';
import type { AccountKind, NumberFeeRow, NumberRentalRow } from '../../rows.js';

/** A rental of which a month is due, with everything that decides its price. */
export interface DueRental extends NumberRentalRow {
  readonly next_at: Date;
  readonly e164: string;
  readonly kind: OwnableKind;
  readonly account_kind: AccountKind;
  readonly plan_id: string | null;
}

/** A fee with its number. */
export interface ListedNumberFee extends NumberFeeRow {
  readonly e164: string;
}

const RENTAL = `rental.id, rental.number_id, rental.organization_id, rental.project_id, rental.assigned_at, rental.released_at,
  rental.anchor::text AS anchor, rental.month, rental.next_at`;
const FEE = `fee.id, fee.rental_id, fee.month, fee.number_id, fee.organization_id, fee.project_id, fee.version_id,
  fee.starts_on::text AS starts_on, fee.ends_on::text AS ends_on, fee.amount, fee.created_at`;

/** Advisory lock id; any number that nothing else in the database uses. */
const LOCK = 4_871_002_973;

/** Rentals of numbers, which the database derives from the history of numbers, and their monthly fees. */
export class NumberFees {
  constructor(private readonly db: Database) {}

  /**
   * Rentals of which a month has begun and is not charged, the oldest first. No other transaction gets any until this one
   * ends.
   */
  async due(tx: Queryable, now: Date, limit: number): Promise<DueRental[]> {
    await tx.query('SELECT pg_advisory_xact_lock($1)', [LOCK]);
    return tx.query<DueRental>(
      `SELECT ${RENTAL}, number.e164, number.kind, organization.account_kind,
         coalesce(profile.plan_id, (SELECT id FROM rate_plans WHERE name = 'default')) AS plan_id
       FROM number_rentals AS rental
       JOIN numbers AS number ON number.id = rental.number_id
       JOIN organizations AS organization ON organization.id = rental.organization_id
       LEFT JOIN billing_profiles AS profile ON profile.organization_id = rental.organization_id
       WHERE rental.next_at <= $1 ORDER BY rental.next_at, rental.id LIMIT $2`,
      [now, limit],
    );
  }

  /** The project's rental of the same number before this one. */
  async previous({ id, number_id, project_id }: NumberRentalRow, on: Queryable): Promise<NumberRentalRow | null> {
    const [row] = await on.query<NumberRentalRow>(
      `SELECT ${RENTAL} FROM number_rentals AS rental
       WHERE number_id = $1 AND project_id = $2 AND id < $3 ORDER BY id DESC LIMIT 1`,
      [number_id, project_id, id],
    );
    return row ?? null;
  }

  /** Sets the next month to charge; a rental that was released before it starts has none. */
  async advance(tx: Queryable, id: string, next: Pick<DueRental, 'anchor' | 'month' | 'next_at'>): Promise<void> {
    await tx.query(
      `UPDATE number_rentals SET anchor = $2::date, month = $3,
         next_at = CASE WHEN released_at IS NULL OR released_at > $4::timestamptz THEN $4::timestamptz END
       WHERE id = $1`,
      [id, next.anchor, next.month, next.next_at],
    );
  }

  async add(tx: Queryable, row: NumberFeeRow): Promise<void> {
    await tx.query(`INSERT INTO number_fees SELECT * FROM jsonb_populate_record(NULL::number_fees, $1)`, [
      JSON.stringify(row),
    ]);
  }

  /** A project's fees, newest first, only those before `beforeId`. */
  page(projectId: string, beforeId: string | null, limit: number): Promise<ListedNumberFee[]> {
    return this.db.query<ListedNumberFee>(
      `SELECT ${FEE}, number.e164 FROM number_fees AS fee JOIN numbers AS number ON number.id = fee.number_id
       WHERE fee.project_id = $1 AND ($2::uuid IS NULL OR fee.id < $2) ORDER BY fee.id DESC LIMIT $3`,
      [projectId, beforeId, limit],
    );
  }
}
