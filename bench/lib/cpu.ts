import { readdirSync, readFileSync } from 'node:fs';

/** Milliseconds of processor time by the name of what used them. */
export type CpuMs = Readonly<Record<string, number>>;

interface Usage {
  readonly parent: number;
  readonly ticks: number;
}

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
    const children = new Map<number, number[]>();
    for (const [pid, { parent }] of processes) children.set(parent, [...(children.get(parent) ?? []), pid]);
    const ticksBelow = (pid: number): number =>
      (children.get(pid) ?? []).reduce((sum, child) => sum + ticksBelow(child), processes.get(pid)?.ticks ?? 0);
    return Object.fromEntries(Object.entries(this.roots).map(([name, pid]) => [name, ticksBelow(pid) * MS_PER_TICK]));
  }
}

function readProcesses(): Map<number, Usage> {
  const processes = new Map<number, Usage>();
  for (const entry of readdirSync('/proc')) {
    const usage = /^\d+$/.test(entry) ? readUsage(entry) : null;
    if (usage) processes.set(Number(entry), usage);
  }
  return processes;
}

/** The fields of proc(5)'s stat behind the name, which may hold blanks: 4 parent, 14-15 own time, 16-17 that of children that ended. */
function readUsage(pid: string): Usage | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const field = (number: number): number => Number(fields[number - 3]);
    return { parent: field(4), ticks: field(14) + field(15) + field(16) + field(17) };
  } catch {
    // It ended while the list was read.
    return null;
  }
}
