import type { InviteRow } from '../../data/rows.js';
import { HatifError, type Phrase } from '../../model/errors/index.js';

const STATUSES = {
  accepted: { en: 'accepted', ar: 'مقبولة' },
  revoked: { en: 'revoked', ar: 'مسحوبة' },
} as const satisfies Record<Exclude<InviteRow['status'], 'pending'>, Phrase>;

/** @throws HatifError INVITE_NOT_PENDING */
export function assertPending({ status }: Pick<InviteRow, 'status'>): void {
  if (status !== 'pending') throw new HatifError('INVITE_NOT_PENDING', { status: STATUSES[status] });
}
