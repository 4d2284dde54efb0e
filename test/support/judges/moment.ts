import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';

/** Between which two moments something happened, by the test's own clock. */
export interface Moment {
  readonly notBefore: number;
  readonly notAfter: number;
}

/**
 * An engine stamps what it writes into its own record when its writer gets to it, and FreeSWITCH reads the clock only now and then: its
 * times and ours agree to this, however exact each is.
 */
const CLOCKS_AGREE_MS = 500;

/** Does the work. @returns when */
export async function momentOf(work: () => Promise<unknown>): Promise<Moment> {
  const notBefore = Date.now();
  await work();
  return { notBefore, notAfter: Date.now() };
}

/** A time that the engine recorded is that of what the test did. */
export function expectAt(at: unknown, { notBefore, notAfter }: Moment): void {
  expect(Date.parse(String(at))).to.be.within(notBefore - CLOCKS_AGREE_MS, notAfter + CLOCKS_AGREE_MS);
}

/** Resolves when the time of something that happens next cannot be taken for that of what happened before. */
export async function apart(): Promise<void> {
  await pause(2 * CLOCKS_AGREE_MS);
}
