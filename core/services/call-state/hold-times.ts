import type { HoldTime, LegRow } from '../../data/rows.js';

/** The leg's times on hold after a hold begins or ends. */
export function holdsOf({ holds }: Pick<LegRow, 'holds'>, isOnHold: boolean, at: Date): readonly HoldTime[] {
  const known = holds ?? [];
  if (isOnHold) return [...known, { from: at.toISOString(), to: null }];
  return known.map((hold) => (hold.to === null ? { ...hold, to: at.toISOString() } : hold));
}
