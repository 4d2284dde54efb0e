import type { Skills } from '../../core/model/queue/skills.js';
import type { VisitOutcome } from '../../core/model/queue/types.js';
import type { ProgramSpec } from '../../core/services/call-state/program.js';

/**
 * The program of a caller that the queue sends on. Null for a queue that the caller has already passed: full queues that
 * overflow into each other would forward the caller forever. In another queue the caller needs the same skills.
 */
export function withoutLoop(
  from: { readonly queueId: string; readonly passed?: readonly string[]; readonly requiredSkills?: Skills },
  next: ProgramSpec | null,
  outcome: VisitOutcome,
): ProgramSpec | null {
  if (next?.type !== 'queue') return next;
  const again = from.requiredSkills === undefined ? next : { ...next, requiredSkills: from.requiredSkills };
  if (outcome === 'max_wait') return again;
  const passed = [...(from.passed ?? []), from.queueId];
  return passed.includes(next.queueId) ? null : { ...again, passed };
}
