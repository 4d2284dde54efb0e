import { unlessUnavailable } from '../../data/errors.js';
import { EMERGENCY_NUMBERS } from '../../model/phone-numbers.js';
import type { Payer } from '../billing/credit.js';
import { callerIdStage, type NumberOwners } from './caller-id-stage.js';
import { creditStage, type LegCredit } from './credit-stage.js';
import { destinationStage, type ForeignNumbers } from './destination-stage.js';
import { concurrencyStage, type LiveCallCounts } from './concurrency-stage.js';
import type { DialledLeg, LegStage } from './dialled-leg.js';
import type { FraudGuard } from './fraud-guard.js';
import { fraudStage } from './fraud-stage.js';
import { policyStage, type DiallingRights } from './policy-stage.js';
import type { SipTargets } from './sip-targets.js';
import { sipTargetStage } from './sip-target-stage.js';
import { velocityStage } from './velocity-stage.js';
import type { CallVelocity } from './velocity.js';

export interface LegGateOptions {
  readonly directory: NumberOwners & ForeignNumbers & DiallingRights;
  readonly liveCalls: LiveCallCounts['liveCalls'];
  /** Absent if no SIP address may be called. */
  readonly sipTargets?: Pick<SipTargets, 'allows'>;
  /** Absent if calls are not limited. */
  readonly velocity?: CallVelocity;
  /** Absent if nothing guards against toll fraud. */
  readonly fraud?: Pick<FraudGuard, 'now' | 'take' | 'forget'>;
  /** Absent if calls are not charged. */
  readonly credit?: LegCredit;
  /** Instead of the default emergency numbers. */
  readonly emergency?: ReadonlySet<string>;
}

/**
 * The gate that every dialled leg passes, whatever asks for it: the API, a callback, a widget, a verification, a
 * softphone, a transfer, a call flow or a binding. An agent's emergency call passes always; a leg of the sandbox, too.
 */
export class LegGate {
  readonly #emergency: ReadonlySet<string>;
  readonly #credit: LegCredit | undefined;
  readonly #fraud: LegGateOptions['fraud'];
  /** The legs that count towards limits of toll fraud, while they pass the other stages. */
  readonly #counted: WeakSet<DialledLeg>;
  readonly #stages: readonly LegStage[];

  constructor({
    directory,
    liveCalls,
    sipTargets,
    velocity,
    fraud,
    credit,
    emergency = new Set(EMERGENCY_NUMBERS),
  }: LegGateOptions) {
    this.#emergency = emergency;
    this.#credit = credit;
    this.#fraud = fraud;
    const counted = (this.#counted = new WeakSet<DialledLeg>());
    // In this order: the first refusal counts.
    this.#stages = [
      destinationStage(directory, emergency),
      sipTargetStage(sipTargets),
      policyStage(directory),
      callerIdStage(directory),
      fraudStage(directory, fraud, (leg) => counted.add(leg)),
      velocityStage(velocity),
      creditStage(credit),
      concurrencyStage({ project: (id) => directory.project(id), liveCalls }),
    ];
  }

  /**
   * Admits the leg, and holds the credit for it if it belongs to a call.
   * @throws HatifError, in this order: INVALID_PHONE_NUMBER, VALIDATION_ERROR, INSUFFICIENT_PERMISSIONS, CLI_NOT_OWNED,
   * OUTBOUND_BLOCKED, CALL_VELOCITY_EXCEEDED, SPEND_CAP_EXCEEDED, INSUFFICIENT_CREDITS, CALL_FAILED
   */
  async admit(leg: DialledLeg): Promise<void> {
    if (leg.sandbox || this.isEmergency(leg)) return;
    try {
      for (const stage of this.#stages) await stage(leg);
    } catch (error) {
      // A leg that a later stage refuses is not dialled, and does not count.
      if (this.#fraud && leg.legId !== null && this.#counted.has(leg)) {
        await unlessUnavailable(this.#fraud.forget(leg.legId), () => undefined);
      }
      throw error;
    }
  }

  /** The carrier did not carry a leg that was admitted, and another takes its place: it no longer counts. */
  async release(legId: string): Promise<void> {
    if (this.#fraud) await unlessUnavailable(this.#fraud.forget(legId), () => undefined);
  }

  /**
   * Admits a leg that comes in, which its project pays if it has a price. While the database is unavailable, it passes.
   * @throws HatifError SPEND_CAP_EXCEEDED, INSUFFICIENT_CREDITS
   */
  async admitIncoming(payer: Payer, number: string | null): Promise<void> {
    if (!this.#credit) return;
    const leg = { direction: 'inbound', kind: 'inbound', number } as const;
    await unlessUnavailable(this.#credit.checkIncoming(payer, leg), () => undefined);
  }

  /** Whether a softphone calls an emergency number, which costs nothing; nothing else may. */
  isEmergency({ to, dialler }: Pick<DialledLeg, 'to' | 'dialler'>): boolean {
    return dialler !== null && to.type === 'number' && this.#emergency.has(to.target);
  }
}
