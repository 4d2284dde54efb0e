import { setTimeout as pause } from 'node:timers/promises';
import type { Engines } from '../../core/data/repositories/engines/engines.js';
import { processOf } from './owner-name.js';

/** Makes a process of the platform exit without touching its engines, their calls and the embedded parts. */
export const HANDOVER_SIGNAL = 'SIGUSR2';

const CHECK_EVERY_MS = 100;

/**
 * Makes the processes of this machine that own engines hand them over and exit.
 * @returns their process ids; all of them have exited
 * @throws Error if one has not exited in time
 */
export async function handOver(engines: Engines, patienceMs: number): Promise<number[]> {
  // Only owners with a valid lease: otherwise another program may have the process id by now.
  const owners = (await engines.list()).filter(({ leased }) => leased).map(({ owner }) => processOf(owner));
  const asked = [...new Set(owners)].filter((pid) => pid !== null && pid !== process.pid && send(pid, HANDOVER_SIGNAL));
  const pids = asked.filter((pid) => pid !== null);
  const deadline = performance.now() + patienceMs;
  while (pids.some((pid) => send(pid, 0))) {
    if (performance.now() > deadline) throw new Error(`process ${pids.join(', ')} has not exited`);
    await pause(CHECK_EVERY_MS);
  }
  return pids;
}

/** @returns true if the process exists and may be signalled */
function send(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}
