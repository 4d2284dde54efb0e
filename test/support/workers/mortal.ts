import { spawn } from 'node:child_process';
import { workerProgram } from '../platform/programs.js';

/**
 * For processes that tests kill in the middle of their work. The process kills itself: otherwise it might finish before
 * the test, which has to wait for a processor, can kill it.
 */
const dieAfter = Number(process.env.DIE_AFTER ?? Infinity);
/**
 * The process dies after a random time, and after this number of further steps at the latest. Time itself is needed:
 * the death must come anywhere between two steps, also in the middle of a transaction, and no event occurs there.
 */
const [WITHIN_MS, WITHIN_STEPS] = [10, 5];
let steps = 0;

/** For the process: a step of its work is done. */
export function step(): void {
  steps += 1;
  const die = (): unknown => process.kill(process.pid, 'SIGKILL');
  if (steps === dieAfter) setTimeout(die, Math.random() * WITHIN_MS);
  if (steps === dieAfter + WITHIN_STEPS) die();
}

/**
 * For the test: runs the process, which is killed (SIGKILL) shortly after `stepsUntilDeath` steps.
 * @returns whether it finished its work
 */
export async function runMortal(
  name: string,
  environment: Readonly<Record<string, string>>,
  stepsUntilDeath = Infinity,
): Promise<boolean> {
  const child = spawn(process.execPath, [workerProgram(name)], {
    env: { ...process.env, ...environment, DIE_AFTER: String(stepsUntilDeath) },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [code, signal] = await new Promise<[number | null, string | null]>((resolve) =>
    child.once('exit', (...ended) => resolve(ended)),
  );
  if (code !== 0 && signal !== 'SIGKILL') throw new Error(`${name} failed: ${String(code ?? signal)}`);
  return code === 0;
}
