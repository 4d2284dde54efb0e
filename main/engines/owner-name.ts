import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { hasCode } from '../../core/model/error-code.js';

/** A new owner's name, unique among all processes: `host:pid:random`. */
export function ownerName(): string {
  return [hostname(), process.pid, randomBytes(6).toString('hex')].join(':');
}

/** The name of this process itself. */
export const PROCESS = ownerName();

/** The part of an owner's name that is the same for all engines of a process. */
export function processPart(owner: string): string {
  return owner
    .split(':')
    .slice(0, 2)
    .map((part) => `${part}:`)
    .join('');
}

/** The process id of an owner on this machine; null for other machines, or no owner. */
export function processOf(owner: string | null): number | null {
  const [host, pidText] = owner?.split(':') ?? [];
  const pid = Number(pidText);
  return host === hostname() && Number.isInteger(pid) ? pid : null;
}

/**
 * The owner, if it is certainly dead: a process of this machine that no longer exists, or an earlier one with the id of
 * this process (in containers the process id is always 1). Its lease may be acquired at once.
 * @returns null if the owner may be alive
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
