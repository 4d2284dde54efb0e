/** Riyadh numbers that are not assigned to anybody, so that a mistake rings nobody. */
const DEMO_BLOCK = '+9661155501';

/** The demo's own number, and those of its agents. */
export const DEMO_LINE = `${DEMO_BLOCK}00`;
export const DEMO_AGENT_LINES = [`${DEMO_BLOCK}01`, `${DEMO_BLOCK}02`] as const;

/** Numbers that a fresh installation offers, to try orders and virtual numbers. */
export const DEMO_STOCK: readonly string[] = Array.from({ length: 50 }, (_, index) => `${DEMO_BLOCK}${50 + index}`);

/** The number of every new sandbox: sandboxes have numbers of their own, so each can have this one. */
export const SANDBOX_LINE = `${DEMO_BLOCK}10`;

/** Whether a demo may have this number; the inventory knows whether one has. */
export function isInDemoBlock(e164: string): boolean {
  return e164.startsWith(DEMO_BLOCK) && e164.length === DEMO_LINE.length;
}
