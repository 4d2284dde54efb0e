import type { Database, Queryable } from '../../../data/database.js';
import type { Identities } from '../../../data/repositories/accounts/identities.js';
import { addAccountMail } from '../../../data/repositories/mails/account-mails.js';
import type { ProductionRequests } from '../../../data/repositories/accounts/production-requests.js';
import type { ProductionRequestRow } from '../../../data/rows.js';
import { isProductionStep, type ProductionRequestStatus } from '../../../model/accounts/production.js';
import { HatifError } from '../../../model/errors/index.js';
import type { Clock } from '../../../ports/clock.js';

export interface ProductionStepsOptions {
  readonly db: Database;
  readonly requests: ProductionRequests;
  readonly identities: Pick<Identities, 'isOwnerVerified'>;
  /** Whether a request needs the verified identity of an owner. */
  readonly needsIdentity: boolean;
  readonly clock: Clock;
}

/** The person who makes a request. */
export interface Requester {
  readonly id: string;
  readonly organizationId: string;
}

type Row = ProductionRequestRow;
type Effect = (tx: Queryable, row: Row) => Promise<Partial<Row>>;

/** The state transitions of requests for production access, each with its effect in one transaction. */
export class ProductionSteps {
  constructor(private readonly options: ProductionStepsOptions) {}

  /**
   * @throws HatifError PRODUCTION_REQUEST_NOT_FOUND, PRODUCTION_ACCESS_ALREADY_REQUESTED if it was submitted before,
   * PRODUCTION_REQUEST_INVALID_STATE, EMAIL_NOT_CONFIRMED, NATIONALID_REQUIRED
   */
  submit(id: string, { id: userId, organizationId }: Requester): Promise<Row> {
    const { requests, identities, needsIdentity, clock } = this.options;
    return this.#transition(id, organizationId, 'submitted', async (tx, row) => {
      // An administrator changed the organization in the meantime.
      if (await requests.isProduction(organizationId, tx)) throw invalidState('approved');
      if (!(await requests.isConfirmed(userId, tx))) throw new HatifError('EMAIL_NOT_CONFIRMED');
      if (needsIdentity && !row.identity_waived && !(await identities.isOwnerVerified(organizationId, tx))) {
        throw new HatifError('NATIONALID_REQUIRED');
      }
      return { submitted_at: clock.now() };
    });
  }

  /** @throws HatifError PRODUCTION_REQUEST_NOT_FOUND, PRODUCTION_REQUEST_INVALID_STATE */
  withdraw(id: string, organizationId: string): Promise<Row> {
    return this.#transition(id, organizationId, 'withdrawn', () => Promise.resolve(this.#ended()));
  }

  /** The operator starts the review. @throws HatifError as above */
  review(id: string): Promise<Row> {
    return this.#transition(id, null, 'in_review', () => Promise.resolve({}));
  }

  /** The organization is a production account from now on, and gets a mail. @throws HatifError as above */
  approve(id: string): Promise<Row> {
    return this.#transition(id, null, 'approved', async (tx, row) => {
      await this.options.requests.makeProduction(row.organization_id, tx);
      await this.#mail(tx, row, 'approved', null);
      return this.#ended();
    });
  }

  /** @throws HatifError as above */
  reject(id: string, reason: string): Promise<Row> {
    return this.#transition(id, null, 'rejected', async (tx, row) => {
      await this.#mail(tx, row, 'rejected', reason);
      return { ...this.#ended(), reason };
    });
  }

  /** Accepts the request without the owner's national identity. @throws HatifError as above, unless it is a draft */
  waiveIdentity(id: string): Promise<Row> {
    const { db, requests } = this.options;
    return db.transaction(async (tx) => {
      const row = await this.#locked(tx, id, null);
      if (row.status !== 'draft') throw invalidState(row.status);
      return requests.step(id, { identity_waived: true }, tx);
    });
  }

  #transition(id: string, organizationId: string | null, to: ProductionRequestStatus, effect: Effect): Promise<Row> {
    const { db, requests } = this.options;
    return db.transaction(async (tx) => {
      const row = await this.#locked(tx, id, organizationId);
      if (!isProductionStep(row.status, to)) throw refusedStep(row.status, to);
      return requests.step(id, { ...(await effect(tx, row)), status: to }, tx);
    });
  }

  async #locked(tx: Queryable, id: string, organizationId: string | null): Promise<Row> {
    const row = await this.options.requests.lock(id, tx);
    if (!row || (organizationId !== null && row.organization_id !== organizationId)) throw notFound(id);
    return row;
  }

  async #mail(tx: Queryable, row: Row, decision: 'approved' | 'rejected', reason: string | null): Promise<void> {
    const { requests, clock } = this.options;
    const organization = await requests.organizationName(row.organization_id, tx);
    for (const { email: to, locale } of await requests.addressees(row, tx)) {
      const data = { organization, decision, reason };
      await addAccountMail(tx, { to, locale, kind: 'production_decided', data }, clock.now());
    }
  }

  #ended(): Partial<Row> {
    return { ended_at: this.options.clock.now() };
  }
}

export function notFound(id: string): HatifError {
  return new HatifError('PRODUCTION_REQUEST_NOT_FOUND', { id });
}

/** The error for an operation that the request's status does not allow. */
export function invalidState(status: ProductionRequestStatus): HatifError {
  return new HatifError('PRODUCTION_REQUEST_INVALID_STATE', { status });
}

function refusedStep(from: ProductionRequestStatus, to: ProductionRequestStatus): HatifError {
  const isAskedAgain = to === 'submitted' && (from === 'submitted' || from === 'in_review');
  return isAskedAgain ? new HatifError('PRODUCTION_ACCESS_ALREADY_REQUESTED') : invalidState(from);
}
