import type { Queryable } from '../../data/database.js';
import type { OwnNumberClaims } from '../../data/repositories/numbers/own-number-claims.js';
import type { NumberRow, OwnNumberClaimRow } from '../../data/rows.js';
import { HatifError } from '../../model/errors/index.js';
import { parseNumber } from '../../model/phone-numbers.js';
import type { Clock } from '../../ports/clock.js';
import { newNumberRow, type NumberAssigner } from '../numbers/number-assigner.js';

export interface ClaimApprovalOptions {
  readonly claims: OwnNumberClaims;
  readonly assigner: NumberAssigner;
  readonly clock: Clock;
}

/** Assigns a number to a customer whose claim is proved. */
export class ClaimApproval {
  constructor(private readonly options: ClaimApprovalOptions) {}

  /**
   * Assigns the number and marks the claim as verified. @returns null if the claim was already decided. @throws
   * HatifError OWN_DID_NUMBER_UNAVAILABLE
   */
  async approve(
    tx: Queryable,
    lanes: string[],
    row: OwnNumberClaimRow,
    reason: string,
  ): Promise<OwnNumberClaimRow | null> {
    const { claims, clock } = this.options;
    const number = await this.#assign(tx, lanes, row, reason, clock.now());
    if (!number) throw unavailable(row.e164);
    return claims.decide(row.id, { status: 'verified', reason: null, number_id: number.id }, clock.now(), tx);
  }

  async #assign(
    tx: Queryable,
    lanes: string[],
    row: OwnNumberClaimRow,
    reason: string,
    at: Date,
  ): Promise<NumberRow | null> {
    const { assigner } = this.options;
    const { e164, organization_id, project_id, sandbox } = row;
    const parsed = parseNumber(e164, { allowForeign: true });
    if (!parsed || parsed.kind === 'emergency') return null;
    const owned = { organization_id, project_id, assigned_at: at };
    const fresh = newNumberRow({ e164, kind: parsed.kind, state: 'assigned', source: 'own', sandbox, ...owned }, at);
    const options = { reason, binding: null, mayBeMain: true };
    const owner = { projectId: project_id, organizationId: organization_id, sandbox };
    return (
      (await assigner.add(tx, lanes, { ...fresh, ...owned }, options)) ??
      assigner.assign(tx, lanes, e164, ['released'], owner, options, { source: 'own', provider: null })
    );
  }
}

export function unavailable(number: string): HatifError {
  return new HatifError('OWN_DID_NUMBER_UNAVAILABLE', { number });
}
