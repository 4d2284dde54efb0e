import type { Database, Queryable } from '../../data/database.js';
import type { CallHolds } from '../../data/repositories/billing/call-holds.js';
import type { Ledger, LedgerLine } from '../../data/repositories/billing/ledger.js';
import type { Projects } from '../../data/repositories/accounts/projects.js';
import { HatifError } from '../../model/errors/index.js';
import { newId } from '../../model/ids.js';
import { formatSar, type MicroSar } from '../../model/money.js';
import type { Clock } from '../../ports/clock.js';

export interface BalancesOptions {
  readonly db: Database;
  readonly ledger: Ledger;
  readonly holds: CallHolds;
  readonly projects: Pick<Projects, 'get'>;
  readonly clock: Clock;
}

const POOL = { type: 'pool', projectId: null } as const;

/** An organization's pool of money, and the amounts allocated from it to projects. */
export class Balances {
  constructor(private readonly options: BalancesOptions) {}

  pool(organizationId: string): Promise<MicroSar> {
    return this.options.ledger.balance(organizationId, POOL);
  }

  project(organizationId: string, projectId: string): Promise<MicroSar> {
    return this.options.ledger.balance(organizationId, { type: 'project', projectId });
  }

  /** The project account's ledger lines, newest first. */
  lines(
    organizationId: string,
    projectId: string,
    page: { readonly before: string | null; readonly limit: number },
  ): Promise<LedgerLine[]> {
    return this.options.ledger.lines(organizationId, { type: 'project', projectId }, page);
  }

  /**
   * Credits an external payment to the pool.
   * @param reference identifies the payment. @returns false if it was already posted
   */
  async topUp(organizationId: string, amount: MicroSar, reference: string, note: string | null): Promise<boolean> {
    const { db, ledger, clock } = this.options;
    const posting = {
      organizationId,
      kind: 'payment',
      reference,
      note,
      entries: [
        { ...POOL, amount },
        { type: 'payments', projectId: null, amount: -amount },
      ] as const,
    };
    return db.transaction(async (tx) => (await ledger.post(tx, [posting], clock.now())).size > 0);
  }

  /**
   * Moves money from the pool to a project, or back if the amount is negative.
   * @throws HatifError PROJECT_NOT_FOUND_FOR_ALLOCATION, INSUFFICIENT_POOL_BALANCE, INSUFFICIENT_PROJECT_BALANCE;
   * nothing is moved then.
   */
  async allocate(organizationId: string, projectId: string, amount: MicroSar): Promise<void> {
    const { db, ledger, projects, clock } = this.options;
    const project = await projects.get(projectId);
    if (project?.organization_id !== organizationId) {
      throw new HatifError('PROJECT_NOT_FOUND_FOR_ALLOCATION', { project_id: projectId });
    }
    const account = { type: 'project', projectId } as const;
    const posting = {
      organizationId,
      kind: 'allocation',
      reference: newId(),
      note: null,
      entries: [
        { ...POOL, amount: -amount },
        { ...account, amount },
      ],
    };
    await db.transaction(async (tx) => {
      await ledger.lock(tx, organizationId, [POOL, account]);
      if (amount > 0) {
        const pool = await ledger.balance(organizationId, POOL, tx);
        if (pool < amount) throw new HatifError('INSUFFICIENT_POOL_BALANCE', { available_sar: formatSar(pool) });
      } else {
        const free = await this.#free(tx, organizationId, projectId);
        if (free < -amount) throw new HatifError('INSUFFICIENT_PROJECT_BALANCE', { available_sar: formatSar(free) });
      }
      await ledger.post(tx, [posting], clock.now());
    });
  }

  /** The part of the project's balance that is not held for live calls. */
  async #free(tx: Queryable, organizationId: string, projectId: string): Promise<MicroSar> {
    const { ledger, holds } = this.options;
    const balance = await ledger.balance(organizationId, { type: 'project', projectId }, tx);
    return Math.max(0, balance - (await holds.sum(projectId, tx)));
  }
}
