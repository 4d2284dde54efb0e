import { familyOf, readProcesses } from './processes.js';

/** Milliseconds of processor time by the name of what used them. */
export type CpuMs = Readonly<Record<string, number>>;

/** Linux counts processor time for programs in hundredths of a second, whatever the kernel's own tick is (proc(5), USER_HZ). */
const MS_PER_TICK = 10;

/** Reads what named processes, all their threads and all their descendants have used, living or dead. */
export class CpuMeter {
  #before: CpuMs;

  /** @param roots process ids by the name that the reading has. */
  constructor(private readonly roots: Readonly<Record<string, number>>) {
    this.#before = this.#totals();
  }

  /** What was used since the meter was made or read last. */
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
