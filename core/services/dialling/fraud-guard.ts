import { createHash } from 'node:crypto';
import type { Database } from '../../data/database.js';
import { projectEvent, recordEvent } from '../../data/outbox.js';
import { addOwnerMail } from '../../data/repositories/mails/owner-mails.js';
import type { FraudGuardTable, FraudVerdict } from '../../data/repositories/calls/fraud-guard.js';
import type { FraudBlockRow } from '../../data/rows.js';
import { maskNumber } from '../../model/access/masking.js';
import { HatifError } from '../../model/errors/index.js';
import type { FraudCheck, FraudRule } from '../../model/fraud/limits.js';
import { whoIsBlocked, whyBlocked } from '../../model/fraud/words.js';
import { presentFraudBlock } from '../../model/objects/fraud-block.js';
import { newId } from '../../model/ids.js';
import type { CallKind } from '../../model/call/call.js';
import { isoTime } from '../../model/time.js';
import type { Clock } from '../../ports/clock.js';
import type { Credit } from '../billing/credit.js';

/** A leg to the outside, as the guard counts it. */
export interface GuardedLeg {
  readonly organizationId: string;
  readonly projectId: string;
  /** The extension of the agent to which it is attributed; null if there is none. */
  readonly agent: string | null;
  /** Null: nothing is counted. */
  readonly legId: string | null;
  /** E.164, or a SIP address. */
  readonly to: string;
  /** E.164; null for a SIP address. */
  readonly number: string | null;
  readonly kind: CallKind;
}

export interface FraudObserver {
  blocked(rule: FraudRule): void;
}

export interface FraudGuardOptions {
  readonly db: Database;
  readonly table: Pick<FraudGuardTable, 'check' | 'forget' | 'block'>;
  readonly credit: Pick<Credit, 'priceOf'>;
  readonly clock: Clock;
  readonly observer: FraudObserver;
  /** Called after events for these delivery lanes were recorded. */
  readonly wake: (lanes: readonly string[]) => void;
}

/**
 * Counts the legs to the outside for all processes, in PostgreSQL, and blocks an agent or a project that would exceed a
 * limit. The leg that would exceed it is refused and does not count.
 */
export class FraudGuard {
  constructor(private readonly options: FraudGuardOptions) {}

  now(): Date {
    return this.options.clock.now();
  }

  /**
   * @param endsCalls whether a new block also ends the live calls that it concerns
   * @throws HatifError OUTBOUND_BLOCKED; DatabaseUnavailable
   */
  async take(leg: GuardedLeg, checks: readonly FraudCheck[], endsCalls = false): Promise<void> {
    const { table, clock } = this.options;
    const { legId, projectId, agent } = leg;
    const rate = checks.some(({ rule }) => rule === 'spend_per_hour') ? await this.#rateOf(leg) : null;
    const verdict = await table.check({ legId, projectId, agent, number: digest(leg.to), rate }, checks, clock.now());
    if (verdict === null) return;
    if (verdict.block_id === null) await this.#block(leg, verdict, endsCalls);
    throw new HatifError('OUTBOUND_BLOCKED', {
      who: whoIsBlocked(verdict.scope === 'agent' ? agent : null),
      reason: whyBlocked(verdict),
    });
  }

  /** A leg that counts is not dialled after all. */
  async forget(legId: string): Promise<void> {
    await this.options.table.forget(legId);
  }

  /** One transaction: no block stays unreported, even if the process dies. */
  async #block(
    { organizationId, projectId, agent, to }: GuardedLeg,
    verdict: FraudVerdict,
    endsCalls: boolean,
  ): Promise<void> {
    const { db, table, clock, observer, wake } = this.options;
    const at = clock.now();
    const row: FraudBlockRow = {
      id: newId(),
      organization_id: organizationId,
      project_id: projectId,
      agent: verdict.scope === 'agent' ? agent : null,
      rule: verdict.rule,
      at_most: verdict.at_most,
      number_masked: maskNumber(to),
      blocked_at: at,
      released_at: null,
      released_by_key: null,
      ends_calls: endsCalls,
      calls_ended_at: null,
    };
    const lanes = await db.transaction(async (tx) => {
      if (!(await table.block(tx, row))) return null;
      const { id: block_id, rule, at_most, number_masked } = row;
      const what = { block_id, agent: row.agent, rule, at_most, number_masked };
      const data = { ...what, ends_calls: endsCalls, blocked_at: isoTime(at) };
      await addOwnerMail(tx, row, { kind: 'fraud_blocked', data }, at);
      return recordEvent(tx, blockEvent('fraud.blocked', row, at));
    });
    if (lanes === null) return;
    observer.blocked(row.rule);
    if (lanes.length > 0) wake(lanes);
  }

  #rateOf({ organizationId, kind, number }: GuardedLeg): ReturnType<Credit['priceOf']> {
    return this.options.credit.priceOf(organizationId, { direction: 'outbound', kind, number });
  }
}

/** The event about a block of live calls. */
export function blockEvent(type: 'fraud.blocked' | 'fraud.released', row: FraudBlockRow, at: Date) {
  const { organization_id, project_id } = row;
  return projectEvent({
    ...{ organization_id, project_id, sandbox: false, type, created_at: at },
    data: presentFraudBlock(row),
  });
}

/** So that the counts hold no readable numbers. */
function digest(to: string): string {
  return createHash('sha256').update(to).digest('base64url');
}
