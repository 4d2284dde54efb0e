import type { LegDetail } from '../../core/ports/call-detail.js';
import { parseEndedLeg } from './ended-leg.js';

/** Longer than it takes to detect a dead owner process and to take over its calls. */
const KEPT_MS = 120_000;
const MOST = 50_000;

/**
 * CDRs that FreeSWITCH sent to this process over HTTP (mod_json_cdr) while another process owned the engine. If that
 * process dies before it stores the ends, this process still has them.
 */
export class ReportedEnds {
  /** In order of arrival. */
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
