import type { JobQueue } from '../../ports/jobs.js';

/**
 * Notifies workers in all processes of lanes with due deliveries. Lanes from one turn of the event loop go into one
 * request, each once. While Redis is unavailable nothing is sent: the workers' sweep finds the lanes.
 */
export class LaneWaker {
  #lanes = new Set<string>();

  constructor(private readonly jobs: JobQueue) {}

  wake(lanes: readonly string[]): void {
    if (lanes.length === 0) return;
    if (this.#lanes.size === 0) setImmediate(() => void this.#flush());
    for (const lane of lanes) this.#lanes.add(lane);
  }

  async #flush(): Promise<void> {
    const lanes = [...this.#lanes];
    this.#lanes = new Set();
    await this.jobs.add(
      'webhooks',
      lanes.map((lane) => ({ lane })),
    );
  }
}
