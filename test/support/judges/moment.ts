import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';

/** The limits of the time at which something happened, by the test's own clock. */
export interface Moment {
  readonly notBefore: number;
  readonly notAfter: number;
}

/**
 * An engine sets the times of its own records when its writer processes them, and FreeSWITCH reads the clock only now
 * and then. Its times agree with ours only up to this difference.
 */
const CLOCKS_AGREE_MS = 500;

/** Does the work. @returns when it happened */
export async function momentOf(work: () => Promise<unknown>): Promise<Moment> {
  const notBefore = Date.now();
  await work();
  return { notBefore, notAfter: Date.now() };
}

/** Expects that a time recorded by the engine is that of the test's action. */
export function expectAt(at: unknown, { notBefore, notAfter }: Moment): void {
  expect(Date.parse(String(at))).to.be.within(notBefore - CLOCKS_AGREE_MS, notAfter + CLOCKS_AGREE_MS);
}

/** Waits until the times of the next event and the previous one cannot be confused. */
export async function apart(): Promise<void> {
  await pause(2 * CLOCKS_AGREE_MS);
}
