import type { CallRow, LegRow } from '../../data/rows.js';
import type { LegEndpoint } from '../../ports/engine.js';
import type { AwayBrowser } from './away-browser.js';
import type { CallState } from './call-state.js';
import type { SavedProgram } from './program.js';

/** How long the other party of a call waits for a browser whose page was left. */
export const AWAY_MS = 30_000;

export function awayBrowsersOf({ program }: Pick<CallRow, 'program'>): readonly AwayBrowser[] {
  return (program as SavedProgram).awayBrowsers ?? [];
}

/**
 * Whether the leg is one of a browser that is away: the one that it left, or the one that rings it again. The call does
 * not follow what happens to such a leg.
 */
export function isLegOfAwayBrowser(row: Pick<CallRow, 'program'>, legId: string): boolean {
  return awayBrowsersOf(row).some((one) => one.legIds.includes(legId) || one.returningLegId === legId);
}

/** Adds a browser that is away, or replaces its entry. */
export function putAwayBrowser(state: CallState, away: AwayBrowser): void {
  save(state, [...othersThan(state, away), away]);
}

/** The browser is back. */
export function dropAwayBrowser(state: CallState, away: AwayBrowser): void {
  save(state, othersThan(state, away));
}

function othersThan({ row }: CallState, { legIds: [legId] }: AwayBrowser): readonly AwayBrowser[] {
  return awayBrowsersOf(row).filter(({ legIds: [other] }) => other !== legId);
}

function save(state: CallState, awayBrowsers: readonly AwayBrowser[]): void {
  state.set({ program: { ...(state.row.program as SavedProgram), awayBrowsers } satisfies SavedProgram });
}

/** The SIP user name of a leg to a softphone or browser; null for any other leg. */
export function aorOf({ endpoint }: Pick<LegRow, 'endpoint'>): string | null {
  const to = endpoint as LegEndpoint;
  return to.type === 'softphone' ? to.aor : null;
}
