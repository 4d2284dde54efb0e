import type { CallRow, LegRow } from '../../../data/rows.js';
import { hangupCause } from '../../../model/call/hangup-cause.js';
import { WITHHELD_NUMBER } from '../../../model/phone-numbers.js';
import type { Clock } from '../../../ports/clock.js';
import { EngineError, type CallerId, type Engine, type LegEndpoint } from '../../../ports/engine.js';
import type { CallState } from '../../call-state/call-state.js';
import { causeOfRefusal } from './refused-leg.js';

/** What the ringing of a call's legs needs of its surroundings. */
export interface RingingHost {
  readonly engine: Engine;
  readonly clock: Clock;
  /** Write what has changed so far; before an originate, so that no party is ever rung without a trace. */
  commit(): Promise<void>;
  /** Lets the call's later events find it by the leg. */
  watchLeg(legId: string, callId: string): void;
}

/** Rings other parties as legs of one call, and knows of each how far that came. */
export class Ringing {
  /** When the engine had taken each leg that was rung from here; null while it has not answered. */
  readonly #rungAt = new Map<string, Date | null>();
  /** Legs that were noted when the engine could not be reached: they are rung when it is back. */
  readonly #postponed = new Set<string>();

  constructor(
    private readonly state: CallState,
    private readonly host: RingingHost,
  ) {}

  /**
   * Note the leg, commit, then ring it.
   * @param away what becomes of the leg when the engine cannot be reached: it is refused, or rung when the engine is back
   * @returns null, or the cause when the engine refused; the leg is ended then.
   * @throws EngineError `unreachable` when the leg waits for the engine
   */
  async originate(
    leg: LegRow,
    callerId: CallerId,
    ringTimeoutSeconds: number,
    away: 'refuse' | 'wait' = 'refuse',
  ): Promise<number | null> {
    this.state.addLeg(leg);
    this.host.watchLeg(leg.id, this.state.row.id);
    this.#rungAt.set(leg.id, null);
    await this.host.commit();
    return this.#ring(leg, callerId, ringTimeoutSeconds, away);
  }

  /** Ring a leg that was noted, and certainly not rung, before the application went. @returns as {@link originate} does */
  async ringAfterAll(leg: LegRow): Promise<number | null> {
    this.#rungAt.set(leg.id, null);
    const { transfer, row } = this.state;
    const { ring_timeout_seconds } = transfer?.leg_id === leg.id ? transfer : row.options;
    return this.#ring(leg, callerIdFor(row, leg), ring_timeout_seconds, 'wait');
  }

  async #ring(
    leg: LegRow,
    callerId: CallerId,
    ringTimeoutSeconds: number,
    away: 'refuse' | 'wait',
  ): Promise<number | null> {
    this.#postponed.delete(leg.id);
    try {
      await this.host.engine.legs.originate({
        legId: leg.id,
        endpoint: leg.endpoint as LegEndpoint,
        callerId,
        ringTimeoutSeconds,
        maxDurationSeconds: this.state.row.options.max_duration_seconds,
      });
      return null;
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      this.state.note('leg.refused', this.host.clock.now(), { leg: leg.role, kind: error.kind });
      // Not a word of it reached the engine, which is not dead for that.
      if (error.kind === 'unreachable' && away === 'wait') {
        this.#postponed.add(leg.id);
        throw error;
      }
      // Unknown outcome: the phone may be ringing. Its events tell, or the setup guard ends it.
      if (error.kind === 'indeterminate') return null;
      const q850 = causeOfRefusal(error, leg.endpoint as LegEndpoint);
      this.state.endLeg(leg.id, hangupCause(q850), this.host.clock.now());
      return q850;
    } finally {
      this.#rungAt.set(leg.id, this.host.clock.now());
    }
  }

  /** Whether the leg was rung from here. */
  hasRung(legId: string): boolean {
    return this.#rungAt.has(legId) && !this.#postponed.has(legId);
  }

  /** Whether the leg waits for the engine, and certainly never rang. */
  isPostponed(legId: string): boolean {
    return this.#postponed.has(legId);
  }

  /** Whether the leg was only being rung at that time: what the engine held then need not have shown it. */
  wasRungAfter(legId: string, at: Date): boolean {
    const rungAt = this.#rungAt.get(legId);
    return rungAt === null || (rungAt !== undefined && rungAt >= at);
  }
}

/** What another party of this call is shown: our own line outside and, wherever that one is, to the customer; the customer inside. */
export function callerIdFor(row: CallRow, { billable, role }: Pick<LegRow, 'billable' | 'role'>): CallerId {
  if (billable || role === 'customer') {
    return {
      number: row.direction === 'outbound' ? row.caller_id_number : row.line_number,
      name: row.caller_id_name,
    };
  }
  return {
    number: row.customer_number === WITHHELD_NUMBER ? null : row.customer_number,
    name: row.direction === 'inbound' ? row.caller_id_name : null,
  };
}
