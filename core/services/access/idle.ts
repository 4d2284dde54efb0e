import type { OrganizationRow, SessionRow } from '../../data/rows.js';

/** Whether a session ended because it was not used for as long as its organization allows. */
export function isIdle(
  { last_used_at }: Pick<SessionRow, 'last_used_at'>,
  { session_idle_minutes }: Pick<OrganizationRow, 'session_idle_minutes'>,
  now: Date,
): boolean {
  return now.getTime() - last_used_at.getTime() >= session_idle_minutes * 60_000;
}
