import { readdirSync, readFileSync } from 'node:fs';

export interface Process {
  readonly parent: number;
  /** CPU time of all threads and of ended children, in hundredths of a second. */
  readonly ticks: number;
}

/** All processes of the machine by process id. */
export type Processes = ReadonlyMap<number, Process>;

export function readProcesses(): Processes {
  const processes = new Map<number, Process>();
  for (const entry of readdirSync('/proc')) {
    const process = /^\d+$/.test(entry) ? readProcess(entry) : null;
    if (process) processes.set(Number(entry), process);
  }
  return processes;
}

/** The process and all its descendants. */
export function familyOf(root: number, processes: Processes): number[] {
  const family = [root];
  for (const member of family) {
    for (const [pid, { parent }] of processes) if (parent === member) family.push(pid);
  }
  return family;
}

/**
 * Reads the fields of /proc/<pid>/stat (proc(5)) after the name, which may contain spaces: 4 is the parent, 14-15 the
 * process's own time, 16-17 the time of ended children.
 */
function readProcess(pid: string): Process | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const field = (number: number): number => Number(fields[number - 3]);
    return { parent: field(4), ticks: field(14) + field(15) + field(16) + field(17) };
  } catch {
    // The process ended while the list was read.
    return null;
  }
}
