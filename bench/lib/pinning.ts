import { spawnSync } from 'node:child_process';
import { cpus } from 'node:os';
import type { Ground } from './ground.js';
import { familyOf, readProcesses } from './processes.js';

/**
 * While the work runs, the engine has the first half of the processor's cores, and everything else, the load generators included, the other
 * half. So what the engine can be kept busy with decides, as where it has a machine of its own, and not how the system divides a core among
 * ten programs. Needs Linux's taskset and two cores; without them, or with BENCH_UNPINNED set, the work runs unpinned.
 */
export async function pinned<T>({ engine, parts }: Ground, work: () => Promise<T>): Promise<T> {
  const engines = [...new Set(Object.values(engine.doors).map(({ pid }) => pid))];
  const others = [parts.postgres.pid, parts.redis.pid];
  const count = cpus().length;
  const half = Math.floor(count / 2);
  const isWanted = half > 0 && process.env.BENCH_UNPINNED === undefined;
  if (!isWanted || !engines.every((pid) => pin(pid, 0, half - 1))) {
    console.log('  the engine and everything else share all cores');
    return work();
  }
  console.log(`  the engine has cores 0-${half - 1}, everything else has cores ${half}-${count - 1}`);
  const rest = (): number[] => {
    const processes = readProcesses();
    return [process.pid, ...others.flatMap((root) => familyOf(root, processes))];
  };
  // What this process starts from here on inherits it.
  for (const pid of rest()) pin(pid, half, count - 1);
  try {
    return await work();
  } finally {
    for (const pid of [...engines, ...rest()]) pin(pid, 0, count - 1);
  }
}

/** All threads of a process, and those that they start later. @returns whether it could be done. */
function pin(pid: number, first: number, last: number): boolean {
  return spawnSync('taskset', ['-a', '-c', '-p', `${first}-${last}`, String(pid)]).status === 0;
}
