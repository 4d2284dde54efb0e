import { spawn } from 'node:child_process';

/**
 * For processes that tests kill in the middle of their work. The process kills itself: one that is killed from outside may be through before
 * the test, which waits for a processor, comes to it.
 */
const dieAfter = Number(process.env.DIE_AFTER ?? Infinity);
/** Anywhere in what comes next, but never later than so many steps on. */
const [WITHIN_MS, WITHIN_STEPS] = [10, 5];
let steps = 0;

/** In the process: a step of its work is done. */
export function step(): void {
  steps += 1;
  const die = (): unknown => process.kill(process.pid, 'SIGKILL');
  if (steps === dieAfter) setTimeout(die, Math.random() * WITHIN_MS);
  if (steps === dieAfter + WITHIN_STEPS) die();
}

/**
 * In the test: runs the process, which is killed (SIGKILL) a moment after so many steps.
 * @returns whether it came to its end
 */
export async function runMortal(
  file: string,
  environment: Readonly<Record<string, string>>,
  stepsUntilDeath = Infinity,
): Promise<boolean> {
  const child = spawn(process.execPath, ['--import', 'tsx', file], {
    env: { ...process.env, ...environment, DIE_AFTER: String(stepsUntilDeath) },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [code, signal] = await new Promise<[number | null, string | null]>((resolve) =>
    child.once('exit', (...ended) => resolve(ended)),
  );
  if (code !== 0 && signal !== 'SIGKILL') throw new Error(`${file} failed: ${String(code ?? signal)}`);
  return code === 0;
}
