import type { LegDetail } from '../../core/ports/call-detail.js';
import { parseEndedLeg } from './ended-leg.js';

/** Longer than it takes to notice that an owner is dead and to take its calls over. */
const KEPT_MS = 120_000;
const MOST = 50_000;

/**
 * Ends of legs that FreeSWITCH told this process by HTTP (mod_json_cdr) while another owned the engine: when that one dies before it has written
 * them, this process knows them still.
 */
export class ReportedEnds {
  /** In the order in which they came. */
  readonly #ends = new Map<string, { readonly detail: LegDetail; readonly takenMs: number }>();

  take(json: string): void {
    const [legId, detail] = parseEndedLeg(json) ?? [];
    if (legId === undefined || !detail) return;
    const nowMs = performance.now();
    this.#ends.set(legId, { detail, takenMs: nowMs });
    for (const [id, { takenMs }] of this.#ends) {
      if (this.#ends.size <= MOST && nowMs - takenMs < KEPT_MS) break;
      this.#ends.delete(id);
    }
  }

  of(legId: string): LegDetail | null {
    return this.#ends.get(legId)?.detail ?? null;
  }
}
