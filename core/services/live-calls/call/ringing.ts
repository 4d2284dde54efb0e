import type { CallRow, LegRow } from '../../../data/rows.js';
import { hangupCause } from '../../../model/call/hangup-cause.js';
import { WITHHELD_NUMBER } from '../../../model/phone-numbers.js';
import type { Clock } from '../../../ports/clock.js';
import type { CallerId } from '../../../model/call/caller-id.js';
import { EngineError, type Diverted, type Engine, type LegEndpoint } from '../../../ports/engine.js';
import type { CallState } from '../../call-state/call-state.js';
import type { Presented } from '../../trunks/trunk-use.js';
import { causeOfRefusal } from './refused-leg.js';

/** What ringing a call's legs needs from its environment. */
export interface RingingHost {
  readonly engine: Engine;
  readonly clock: Clock;
  /** Writes all changes so far. Runs before each originate, so that no party is ever rung without a stored row. */
  commit(): Promise<void>;
  /** Registers the leg, so that its later events find the call. */
  watchLeg(legId: string, callId: string): void;
  /** Presents a leg as its trunk wants it. */
  present(leg: LegRow, callerId: CallerId): Promise<Presented>;
}

/** How a leg was asked for. */
interface Asked {
  readonly callerId: CallerId;
  readonly ringTimeoutSeconds: number;
}

/** Rings other parties as legs of one call, and tracks how far each attempt got. */
export class Ringing {
  /** When the engine answered each originate of this process; null while it has not. */
  readonly #rungAt = new Map<string, Date | null>();
  /** Legs that were stored while the engine was unreachable. They are rung when it is back. */
  readonly #postponed = new Set<string>();
  readonly #asked = new Map<string, Asked>();

  constructor(
    private readonly state: CallState,
    private readonly host: RingingHost,
  ) {}

  /**
   * Stores the leg, commits, then rings it.
   * @param away what to do if the engine is unreachable: refuse the leg, or ring it when the engine is back
   * @returns null, or the cause if the engine refused; the leg has then ended
   * @throws EngineError `unreachable` if the leg waits for the engine
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
    this.#asked.set(leg.id, { callerId, ringTimeoutSeconds });
    await this.host.commit();
    return this.#ring(leg, callerId, ringTimeoutSeconds, away);
  }

  /** How a leg was asked for, by this process or, as far as the call shows, by an earlier one. */
  askedOf(leg: LegRow): Asked {
    const { transfer, row } = this.state;
    const { ring_timeout_seconds: ringTimeoutSeconds } = transfer?.leg_id === leg.id ? transfer : row.options;
    return this.#asked.get(leg.id) ?? { callerId: callerIdFor(row, leg), ringTimeoutSeconds };
  }

  /** Rings a leg that was stored but certainly not rung before an outage. @returns as {@link originate} */
  async ringAfterAll(leg: LegRow): Promise<number | null> {
    this.#rungAt.set(leg.id, null);
    const { callerId, ringTimeoutSeconds } = this.askedOf(leg);
    return this.#ring(leg, callerId, ringTimeoutSeconds, 'wait');
  }

  async #ring(
    leg: LegRow,
    callerId: CallerId,
    ringTimeoutSeconds: number,
    away: 'refuse' | 'wait',
  ): Promise<number | null> {
    this.#postponed.delete(leg.id);
    const presented = await this.host.present(leg, callerId);
    try {
      await this.host.engine.legs.originate({
        legId: leg.id,
        ...presented,
        ringTimeoutSeconds,
        maxDurationSeconds: this.state.row.options.max_duration_seconds,
      });
      return null;
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      this.state.note('leg.refused', this.host.clock.now(), { leg: leg.role, kind: error.kind });
      // The command did not reach the engine; the leg can wait for it.
      if (error.kind === 'unreachable' && away === 'wait') {
        this.#postponed.add(leg.id);
        throw error;
      }
      // Unknown outcome: the phone may be ringing. Its events will show, or the setup guard ends it.
      if (error.kind === 'indeterminate') return null;
      const q850 = causeOfRefusal(error, leg.endpoint as LegEndpoint);
      this.state.endLeg(leg.id, hangupCause(q850), this.host.clock.now());
      return q850;
    } finally {
      this.#rungAt.set(leg.id, this.host.clock.now());
    }
  }

  /** Whether this process rang the leg. */
  hasRung(legId: string): boolean {
    return this.#rungAt.has(legId) && !this.#postponed.has(legId);
  }

  /** Whether the leg waits for the engine and certainly never rang. */
  isPostponed(legId: string): boolean {
    return this.#postponed.has(legId);
  }

  /**
   * Whether the leg was still being originated at that time, so that a snapshot of the engine from then may lack it.
   */
  wasRungAfter(legId: string, at: Date): boolean {
    const rungAt = this.#rungAt.get(legId);
    return rungAt === null || (rungAt !== undefined && rungAt >= at);
  }
}

/**
 * The caller id shown to another party of this call: our own number on the telephone network and for the customer; the
 * customer's number for softphones and SIP addresses.
 */
export function callerIdFor(
  row: CallRow,
  { endpoint, billable, role }: Pick<LegRow, 'endpoint' | 'billable' | 'role'>,
): CallerId {
  const { type, diversion } = endpoint as LegEndpoint & { readonly diversion?: Diverted };
  const isOnNetwork = type === 'inside' || (billable && type === 'trunk');
  if (isOnNetwork || role === 'customer') {
    const own = row.direction === 'outbound' ? row.caller_id_number : row.line_number;
    return {
      // A call between phones of the project has no number of its own: the agent who forwards it has.
      number: own ?? diversion?.number ?? null,
      name: row.caller_id_name,
    };
  }
  return {
    number: row.customer_number === WITHHELD_NUMBER ? null : row.customer_number,
    name: row.direction === 'inbound' ? row.caller_id_name : null,
  };
}
