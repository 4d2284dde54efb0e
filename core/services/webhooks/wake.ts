import type { JobQueue } from '../../ports/jobs.js';

/**
 * Tells the workers, wherever they run, which lanes have something to deliver. What is told within one turn of the event loop goes in one
 * request, each lane once. While Redis is away nobody is told: the workers' sweep finds the lanes by itself.
 */
export class LaneWaker {
  #lanes = new Set<string>();

  constructor(private readonly jobs: JobQueue) {}

  wake(lanes: readonly string[]): void {
    if (lanes.length === 0) return;
    if (this.#lanes.size === 0) setImmediate(() => void this.#tell());
    for (const lane of lanes) this.#lanes.add(lane);
  }

  async #tell(): Promise<void> {
    const lanes = [...this.#lanes];
    this.#lanes = new Set();
    await this.jobs.add(
      'webhooks',
      lanes.map((lane) => ({ lane })),
    );
  }
}
