import type { Clock } from '../../ports/clock.js';

export const FIRST_RETRY_MS = 500;
export const MAX_RETRY_MS = 30_000;

interface Failed {
  readonly dueAtMs: number;
  readonly waitMs: number;
}

/** Remembers what failed, and when to try each of it again: later after each failure. */
export class Retries {
  readonly #failed = new Map<string, Failed>();

  constructor(private readonly clock: Clock) {}

  failed(id: string): void {
    const before = this.#failed.get(id);
    const waitMs = before ? Math.min(before.waitMs * 2, MAX_RETRY_MS) : FIRST_RETRY_MS;
    this.#failed.set(id, { dueAtMs: this.clock.monotonicMs() + waitMs, waitMs });
  }

  forget(id: string): void {
    this.#failed.delete(id);
  }

  /** Everything that failed, due or not. */
  get ids(): readonly string[] {
    return [...this.#failed.keys()];
  }

  get due(): readonly string[] {
    const nowMs = this.clock.monotonicMs();
    return this.ids.filter((id) => (this.#failed.get(id)?.dueAtMs ?? 0) <= nowMs);
  }

  /** Time until the next one is due; null if nothing failed. */
  get nextInMs(): number | null {
    if (this.#failed.size === 0) return null;
    const dueAtMs = Math.min(...[...this.#failed.values()].map((failed) => failed.dueAtMs));
    return Math.max(0, dueAtMs - this.clock.monotonicMs());
  }
}
