import { spawnSync } from 'node:child_process';
import { cpus } from 'node:os';
import type { TestBed } from './test-bed.js';
import { familyOf, readProcesses } from './processes.js';

/**
 * Runs the work with the engine pinned to the first half of the CPU cores, and everything else, including the load
 * generators, to the other half. The figures then depend on how busy the engine is kept, as on a machine of its own,
 * and not on how the kernel divides a core among ten programs. Needs Linux's taskset and two cores; without them, or
 * with BENCH_UNPINNED set, the work runs unpinned.
 */
export async function pinned<T>({ engine, parts }: TestBed, work: () => Promise<T>): Promise<T> {
  const engines = [...new Set(Object.values(engine.peers).map(({ pid }) => pid))];
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
  // Processes that this process starts later inherit the pinning.
  for (const pid of rest()) pin(pid, half, count - 1);
  try {
    return await work();
  } finally {
    for (const pid of [...engines, ...rest()]) pin(pid, 0, count - 1);
  }
}

/** Pins all threads of a process, and the threads that they start later. @returns whether that succeeded */
function pin(pid: number, first: number, last: number): boolean {
  return spawnSync('taskset', ['-a', '-c', '-p', `${first}-${last}`, String(pid)]).status === 0;
}
