import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { memberOf, numberIn, stringIn } from './files.js';

/**
 * Identifies a live process by the machine's boot id and the process's start time, so that a reused pid, or one from
 * before a reboot, is not mistaken for it. Undefined if the process is gone or a zombie; not while other threads of a
 * zombie are still ending, because its ports are in use until then.
 */
export function processIdentity(pid: number): string | undefined {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The command name in field 2 may contain spaces and parentheses: parse after its last closing one (proc(5)).
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state] = fields;
    const startTicks = fields[19];
    const isOver = state === 'X' || (state === 'Z' && readdirSync(`/proc/${pid}/task`).length <= 1);
    if (isOver || startTicks === undefined) return undefined;
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

/**
 * Whether the process's working directory is this directory or below: a copied data directory must not adopt the
 * original's processes.
 */
export function worksBelow(pid: number, folder: string): boolean {
  try {
    return `${readlinkSync(`/proc/${pid}/cwd`)}/`.startsWith(`${folder}/`);
  } catch {
    return false;
  }
}

/** Returns the process in a state file (its member `process`) if it is alive and works below the directory. */
export function rememberedProcess(state: unknown, folder: string): ProcessRef | undefined {
  const found = memberOf(state, 'process');
  const pid = numberIn(found, 'pid');
  const identity = stringIn(found, 'identity');
  if (pid === undefined || identity === undefined) return undefined;
  return isAlive({ pid, identity }) && worksBelow(pid, folder) ? { pid, identity } : undefined;
}

/** Sends a signal to exactly this process; returns false if it is gone. */
export function signal(ref: ProcessRef, name: NodeJS.Signals): boolean {
  if (!isAlive(ref)) return false;
  try {
    process.kill(ref.pid, name);
    return true;
  } catch {
    return false;
  }
}

/** Waits for the process to exit; returns false if it is still alive after the limit. */
export async function waitForExit(ref: ProcessRef, limitMs: number): Promise<boolean> {
  const deadline = performance.now() + limitMs;
  while (isAlive(ref)) {
    if (performance.now() >= deadline) return false;
    await pause(20);
  }
  return true;
}

/** Ends a process with a signal, and with SIGKILL after the limit. */
export async function endProcess(ref: ProcessRef, first: NodeJS.Signals, limitMs: number): Promise<void> {
  signal(ref, first);
  if (await waitForExit(ref, limitMs)) return;
  signal(ref, 'SIGKILL');
  await waitForExit(ref, 5_000);
}
