import { familyOf, readProcesses } from './processes.js';

/** Milliseconds of CPU time by the name of the process. */
export type CpuMs = Readonly<Record<string, number>>;

/** Linux reports CPU time in hundredths of a second, independently of the kernel's tick (proc(5), USER_HZ). */
const MS_PER_TICK = 10;

/** Measures the CPU time of named processes with all threads and all descendants, including ended ones. */
export class CpuMeter {
  #before: CpuMs;

  /** @param roots process ids by the name in the reading */
  constructor(private readonly roots: Readonly<Record<string, number>>) {
    this.#before = this.#totals();
  }

  /** CPU time used since the last reading, or since the meter was created. */
  read(): CpuMs {
    const now = this.#totals();
    const used = Object.entries(now).map(([name, ms]) => [name, ms - (this.#before[name] ?? 0)] as const);
    this.#before = now;
    return Object.fromEntries(used);
  }

  #totals(): CpuMs {
    const processes = readProcesses();
    const ticksOf = (root: number): number =>
      familyOf(root, processes).reduce((sum, pid) => sum + (processes.get(pid)?.ticks ?? 0), 0);
    return Object.fromEntries(Object.entries(this.roots).map(([name, pid]) => [name, ticksOf(pid) * MS_PER_TICK]));
  }
}
