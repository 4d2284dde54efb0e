import type { Complaint } from '../../../core/ports/messaging/message-channel.js';
import { fieldOf, type MailReport } from './report.js';

/** Kinds of feedback by which a reader wants no more of such mail. `not-spam` is praise, the others are about filters. */
const UNWANTED: ReadonlySet<string> = new Set(['abuse', 'fraud', 'opt-out', 'opt-out-list']);

/** The complaint of a feedback report (RFC 5965, RFC 6430). @returns null if it is none */
export function complaintOf({ fields, providerId }: MailReport, provider: string): Complaint | null {
  const kind = fieldOf(fields, 'feedback-type')?.toLowerCase() ?? '';
  return UNWANTED.has(kind) ? { provider, providerId } : null;
}
