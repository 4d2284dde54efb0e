import { ownError } from '../errors/error.js';

/** How long a page that is being left may hold the account after the next one began. */
const LEAVING_MS = 2_000;

/**
 * Takes an account for this tab: a duplicated tab has a copy of `sessionStorage`, and two browsers with one account would
 * take each other's calls.
 * @returns a function that gives the account back
 * @throws HatifError SESSION_IN_ANOTHER_TAB
 */
export async function lockAccount(username: string): Promise<() => void> {
  // Only secure pages have locks, and some browsers have none.
  const locks = (navigator as { locks?: LockManager }).locks;
  if (!locks) return () => undefined;
  return new Promise((resolve, reject) => {
    const isHeld = (): Promise<void> => new Promise((release) => resolve(release));
    locks
      .request(`hatif.web:${username}`, { signal: AbortSignal.timeout(LEAVING_MS) }, isHeld)
      .catch((error: unknown) => reject(ownError('SESSION_IN_ANOTHER_TAB', error)));
  });
}
