import type { ClaimedMessage } from '../../data/repositories/messaging/submissions.js';
import type { MessageGate } from './gate.js';

/** What became true while a scheduled message waited. */
export type Recheck =
  | { readonly kind: 'passed' }
  /** The person has opted out. */
  | { readonly kind: 'opted_out' }
  /** The time of the day does not allow it. */
  | { readonly kind: 'later'; readonly until: Date };

const PASSED: Recheck = { kind: 'passed' };

/** Asks the gate again when a scheduled message is due: wishes and hours may differ from those when it was accepted. */
export function rechecking(
  gate: Pick<MessageGate, 'judgeAll'>,
  now: () => Date,
): (row: ClaimedMessage) => Promise<Recheck> {
  return async ({
    organization_id,
    project_id,
    sandbox,
    channel,
    recipient,
    class: of,
    scheduled_at,
    template_name,
  }) => {
    if (scheduled_at === null || of === null) return PASSED;
    const owner = { organizationId: organization_id, projectId: project_id, sandbox };
    const [refusal] = await gate.judgeAll([
      {
        ...owner,
        channel,
        to: recipient,
        class: of,
        at: now(),
        isScheduled: false,
        isTemplate: template_name !== null,
      },
    ]);
    if (refusal?.code === 'RECIPIENT_OPTED_OUT') return { kind: 'opted_out' };
    const until = refusal?.code === 'QUIET_HOURS_ACTIVE' ? refusal.slots.until : '';
    return typeof until === 'string' && until !== '' ? { kind: 'later', until: new Date(until) } : PASSED;
  };
}
