import type { VisitOutcome } from '../../core/model/queue/types.js';
import type { ProgramSpec } from '../../core/services/call-state/program.js';

/**
 * The program of a caller that the queue sends on. Null for a queue that the caller has already passed: full queues that
 * overflow into each other would forward the caller forever.
 */
export function withoutLoop(
  from: { readonly queueId: string; readonly passed?: readonly string[] },
  next: ProgramSpec | null,
  outcome: VisitOutcome,
): ProgramSpec | null {
  if (next?.type !== 'queue' || outcome === 'max_wait') return next;
  const passed = [...(from.passed ?? []), from.queueId];
  return passed.includes(next.queueId) ? null : { ...next, passed };
}
