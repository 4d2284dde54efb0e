import type { IsStopping } from './periodic-task.js';

/**
 * Repeats the work until a batch is not full or the process stops.
 * @param work handles up to `size` rows and returns how many it handled
 */
export async function inBatches(
  size: number,
  work: (size: number) => Promise<number>,
  isStopping: IsStopping,
): Promise<void> {
  let count: number;
  do count = await work(size);
  while (count === size && !isStopping());
}
