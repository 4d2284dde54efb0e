import { Q850 } from '../../../model/call/hangup-cause.js';
import type { Clock } from '../../../ports/clock.js';
import type { Credit, Grant } from '../../billing/credit.js';
import { chargedLegs } from '../call/charged-legs.js';
import type { LiveCall } from '../call/live-call.js';
import { ProgramTimers } from '../call/program-timers.js';

/** Reserves credit for calls. */
export type MeteredCredit = Pick<Credit, 'extend' | 'release'>;

export interface CallMeterHost {
  readonly clock: Clock;
  get(callId: string): LiveCall | undefined;
  /** Runs a task in the call's turn. */
  run(callId: string, task: () => Promise<void>): void;
  logFailure(id: string, error: unknown): void;
}

/** How long before the reserved credit runs out the next reservation is made. */
const ASK_BEFORE_MS = 30_000;
/** How long before a call ends for lack of credit the parties hear a warning tone. */
const WARN_BEFORE_MS = 10_000;
/** Retry interval if the reservation failed. The call continues meanwhile. */
const ASK_AGAIN_MS = 5_000;

const WARNING = [{ type: 'tone', tone: 'beep' }] as const;

/** Reserves credit ahead for prepaid calls, warns the parties before it runs out, and then ends the call. */
export class CallMeter {
  readonly #timers: ProgramTimers;
  /** How many legs had been answered, and ended, at the last reservation. */
  readonly #seen = new Map<string, string>();

  /** @param credit null: calls are not charged */
  constructor(
    private readonly credit: MeteredCredit | null,
    private readonly host: CallMeterHost,
  ) {
    this.#timers = new ProgramTimers(host.clock);
  }

  /** Runs after every event of the call: reserves again if its billable legs changed. */
  update(live: LiveCall): void {
    if (!this.credit || live.state.row.sandbox) return;
    const { answered } = chargedLegs(live.state);
    if (answered.length === 0) return;
    const seen = `${answered.length} ${answered.filter(({ endedAt }) => endedAt !== null).length}`;
    if (this.#seen.get(live.callId) === seen) return;
    this.#seen.set(live.callId, seen);
    this.#extend(live.callId);
  }

  /** Forgets an ended call. If nobody answered, its credit is free again at once. */
  forget({ callId, state }: LiveCall): void {
    this.#seen.delete(callId);
    this.#timers.cancelAll(callId);
    const { answered } = chargedLegs(state);
    if (!this.credit || state.row.sandbox || answered.length > 0 || !state.legs.some(({ billable }) => billable))
      return;
    // A hold that stays is removed by the sweep.
    this.credit.release(callId).catch((error: unknown) => this.host.logFailure(callId, error));
  }

  stop(): void {
    this.#timers.stop();
  }

  /** Does not occupy the call's turn: the call continues during the database query. */
  #extend(callId: string): void {
    const live = this.host.get(callId);
    if (!live || !this.credit) return;
    const { organization_id: organizationId, project_id: projectId } = live.state.row;
    this.credit.extend(callId, { organizationId, projectId }, chargedLegs(live.state)).then(
      (grant) => this.#granted(callId, grant),
      (error: unknown) => {
        this.host.logFailure(callId, error);
        this.#after(callId, 'ask', ASK_AGAIN_MS, () => this.#extend(callId));
      },
    );
  }

  #granted(callId: string, grant: Grant | null): void {
    this.#timers.cancelAll(callId);
    if (!grant || !this.host.get(callId)) return;
    const leftMs = grant.until.getTime() - this.host.clock.now().getTime();
    if (!grant.isLast) {
      this.#after(callId, 'ask', leftMs - ASK_BEFORE_MS, () => this.#extend(callId));
      return;
    }
    if (leftMs > WARN_BEFORE_MS) {
      this.#after(callId, 'warn', leftMs - WARN_BEFORE_MS, () => this.#act(callId, 'credit.low', warn));
    }
    this.#after(callId, 'end', leftMs, () => this.#act(callId, 'credit.exhausted', end));
  }

  #after(callId: string, what: string, delayMs: number, then: () => void): void {
    this.#timers.set(callId, what, Math.max(0, delayMs), then);
  }

  #act(callId: string, note: string, act: (live: LiveCall) => Promise<void>): void {
    this.host.run(callId, async () => {
      const live = this.host.get(callId);
      if (!live) return;
      live.note(note);
      await act(live);
    });
  }
}

async function warn(live: LiveCall): Promise<void> {
  const talking = live.state.legs.filter(({ status, on_hold }) => status === 'answered' && !on_hold);
  for (const { id } of talking) await live.playbacks.play(id, WARNING, 1);
}

async function end(live: LiveCall): Promise<void> {
  await live.end({ q850: Q850.NORMAL_CLEARING, status: 'failed', disposition: 'failed' });
}
