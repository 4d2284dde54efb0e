import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { hasCode } from '../../core/model/error-code.js';

/** This process among all that may own an engine: `host:pid:random`. */
export function ownerName(): string {
  return [hostname(), process.pid, randomBytes(6).toString('hex')].join(':');
}

/** This process, whatever it owns. */
export const PROCESS = ownerName();

/** The part of an owner's name that all owners of one process share. */
export function processPart(owner: string): string {
  return owner
    .split(':')
    .slice(0, 2)
    .map((part) => `${part}:`)
    .join('');
}

/** The process id of an owner on this machine; null for one elsewhere, or none. */
export function processOf(owner: string | null): number | null {
  const [host, pidText] = owner?.split(':') ?? [];
  const pid = Number(pidText);
  return host === hostname() && Number.isInteger(pid) ? pid : null;
}

/**
 * The owner, if it is certain that it is dead: a process of this machine that no longer exists, or one that had our own pid before us (in a
 * container every process is number 1). Its lease need not be waited for.
 */
export function deadOwner(owner: string | null): string | null {
  const pid = processOf(owner);
  if (owner === null || pid === null) return null;
  if (pid === process.pid) return owner;
  try {
    process.kill(pid, 0);
    return null;
  } catch (error) {
    return hasCode(error, 'ESRCH') ? owner : null;
  }
}
