import type { LegRow } from '../../data/rows.js';
import { canMoveLeg } from '../../model/call/call.js';
import type { HangupCause } from '../../model/call/hangup-cause.js';
import type { MediaQuality } from '../../model/call/quality.js';
import { holdsOf } from './hold-times.js';
import { TrackedRows } from './tracked-rows.js';

/** A call's legs, and which changes their states allow. */
export class LegRows {
  readonly #rows: TrackedRows<LegRow>;

  /** @param onChange called after each change of a leg */
  constructor(
    written: readonly LegRow[],
    private readonly onChange: () => void,
  ) {
    this.#rows = new TrackedRows(written);
  }

  get all(): readonly LegRow[] {
    return this.#rows.all;
  }

  get(legId: string): LegRow | undefined {
    return this.#rows.get(legId);
  }

  /** Returns the role's newest leg. If several agents were rung, returns the one that answered last. */
  of(role: LegRow['role']): LegRow | undefined {
    const legs = this.all.filter((leg) => leg.role === role);
    const answered = role === 'agent' ? legs.filter(({ answered_at }) => answered_at !== null) : [];
    return answered.sort(byAnswer).at(-1) ?? legs.at(-1);
  }

  put(leg: LegRow): void {
    this.#rows.put(leg);
    this.onChange();
  }

  takeChanged(): LegRow[] {
    return this.#rows.takeChanged();
  }

  /** @returns false if the leg's state does not allow the move (a late or repeated event) */
  move(legId: string, status: 'ringing' | 'answered', at: Date): boolean {
    const leg = this.get(legId);
    if (!leg || !canMoveLeg(leg.status, status)) return false;
    this.put({ ...leg, status, ...(status === 'ringing' ? { ringing_at: at } : { answered_at: at }) });
    return true;
  }

  /** @returns the ended leg; null if it has ended already or is unknown */
  end(legId: string, cause: HangupCause, at: Date, quality: MediaQuality | null): LegRow | null {
    const leg = this.get(legId);
    if (!leg || !canMoveLeg(leg.status, 'ended')) return null;
    const ended = { ...endedLeg(leg, cause, at), quality };
    this.put(ended);
    return ended;
  }

  /** Gives a leg another role. */
  setRole(legId: string, role: LegRow['role']): void {
    const leg = this.get(legId);
    if (leg) this.put({ ...leg, role });
  }

  /** Sets or clears hold or mute. @returns the leg afterwards; null if nothing changes */
  mark(legId: string, flag: 'on_hold' | 'muted', value: boolean, at: Date): LegRow | null {
    const leg = this.get(legId);
    if (!leg || leg.status === 'ended' || leg[flag] === value) return null;
    const marked = { ...leg, [flag]: value, ...(flag === 'on_hold' && { holds: holdsOf(leg, value, at) }) };
    this.put(marked);
    return marked;
  }

  /** The legs as they will be once those that remain have ended. */
  allEnded(cause: HangupCause, at: Date): readonly LegRow[] {
    return this.all.map((leg) => (leg.status === 'ended' ? leg : endedLeg(leg, cause, at)));
  }
}

function endedLeg(leg: LegRow, cause: HangupCause, at: Date): LegRow {
  return {
    ...leg,
    status: 'ended',
    ended_at: at,
    hangup_q850: cause.q850,
    hangup_sip_code: cause.sipCode,
    hangup_text: cause.text,
  };
}

function byAnswer(one: LegRow, other: LegRow): number {
  return (one.answered_at?.getTime() ?? 0) - (other.answered_at?.getTime() ?? 0);
}
