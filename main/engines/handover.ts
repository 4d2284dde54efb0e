import { setTimeout as pause } from 'node:timers/promises';
import type { Engines } from '../../core/data/repositories/engines/engines.js';
import { processOf } from './owner-name.js';

/** Asks a process of the platform to leave its engines, their calls and the embedded parts as they are, and to end. */
export const HANDOVER_SIGNAL = 'SIGUSR2';

const LOOK_EVERY_MS = 100;

/**
 * Ask the processes of this machine that own engines to hand them over.
 * @returns the process ids of those that were asked; all of them have ended
 * @throws Error when one has not ended in time
 */
export async function handOver(engines: Engines, patienceMs: number): Promise<number[]> {
  // Only with a running lease: the number may be another program's by now.
  const owners = (await engines.list()).filter(({ leased }) => leased).map(({ owner }) => processOf(owner));
  const asked = [...new Set(owners)].filter((pid) => pid !== null && pid !== process.pid && send(pid, HANDOVER_SIGNAL));
  const pids = asked.filter((pid) => pid !== null);
  const deadline = performance.now() + patienceMs;
  while (pids.some((pid) => send(pid, 0))) {
    if (performance.now() > deadline) throw new Error(`process ${pids.join(', ')} has not ended`);
    await pause(LOOK_EVERY_MS);
  }
  return pids;
}

/** @returns whether there is such a process of ours */
function send(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}
