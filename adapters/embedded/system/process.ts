import { readFileSync, readlinkSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { memberOf, numberIn, stringIn } from './files.js';

/**
 * A live process's identity: the machine's boot and the moment the process began, so that a pid that was given to
 * another process, or remembered from before a reboot, is not taken for ours. Undefined when it is gone or a zombie.
 */
export function processIdentity(pid: number): string | undefined {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The command name in field 2 may hold spaces and parentheses: count from its last closing one (proc(5)).
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state] = fields;
    const startTicks = fields[19];
    if (state === 'Z' || state === 'X' || startTicks === undefined) return undefined;
    return `${boot}:${pid}:${startTicks}`;
  } catch {
    return undefined;
  }
}

export interface ProcessRef {
  readonly pid: number;
  readonly identity: string;
}

export function processRef(pid: number): ProcessRef | undefined {
  const identity = processIdentity(pid);
  return identity === undefined ? undefined : { pid, identity };
}

export function isAlive(ref: ProcessRef): boolean {
  return processIdentity(ref.pid) === ref.identity;
}

/** Tells whether the process works in this folder or below it: a copied data folder must not take over the original's. */
export function worksBelow(pid: number, folder: string): boolean {
  try {
    return `${readlinkSync(`/proc/${pid}/cwd`)}/`.startsWith(`${folder}/`);
  } catch {
    return false;
  }
}

/** What a state file remembers of a process (its member `process`), if that still lives and works below the folder. */
export function rememberedProcess(state: unknown, folder: string): ProcessRef | undefined {
  const found = memberOf(state, 'process');
  const pid = numberIn(found, 'pid');
  const identity = stringIn(found, 'identity');
  if (pid === undefined || identity === undefined) return undefined;
  return isAlive({ pid, identity }) && worksBelow(pid, folder) ? { pid, identity } : undefined;
}

/** Sends a signal to exactly this process; false when it is gone. */
export function signal(ref: ProcessRef, name: NodeJS.Signals): boolean {
  if (!isAlive(ref)) return false;
  try {
    process.kill(ref.pid, name);
    return true;
  } catch {
    return false;
  }
}

/** Waits until the process is gone; false when it is still there after the limit. */
export async function waitForExit(ref: ProcessRef, limitMs: number): Promise<boolean> {
  const deadline = performance.now() + limitMs;
  while (isAlive(ref)) {
    if (performance.now() >= deadline) return false;
    await pause(20);
  }
  return true;
}

/** Ends a process with a signal, and with SIGKILL when it is still there after the limit. */
export async function endProcess(ref: ProcessRef, first: NodeJS.Signals, limitMs: number): Promise<void> {
  signal(ref, first);
  if (await waitForExit(ref, limitMs)) return;
  signal(ref, 'SIGKILL');
  await waitForExit(ref, 5_000);
}
