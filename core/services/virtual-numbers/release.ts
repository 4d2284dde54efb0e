import type { Numbers } from '../../data/repositories/numbers/numbers.js';
import type { VirtualNumbers } from '../../data/repositories/numbers/virtual-numbers.js';
import type { VirtualNumberRow } from '../../data/rows.js';
import type { Clock } from '../../ports/clock.js';
import type { NumberAssigner } from '../numbers/number-assigner.js';

export interface ReleaseVirtualNumberOptions {
  readonly virtualNumbers: Pick<VirtualNumbers, 'release'>;
  readonly numbers: Pick<Numbers, 'get'>;
  readonly assigner: Pick<NumberAssigner, 'change' | 'release'>;
  /** Removes audio that is no longer used; null: there is none. */
  readonly discard: (audioId: string | null) => Promise<void>;
  readonly clock: Clock;
}

/** Takes the number of an end user back. */
export class ReleaseVirtualNumber {
  constructor(private readonly options: ReleaseVirtualNumberOptions) {}

  /** A repeat does nothing. @param reason recorded in the number's history */
  async release({ id, project_id: projectId, number_id, audio_id }: VirtualNumberRow, reason: string): Promise<void> {
    const { virtualNumbers, numbers, assigner, discard, clock } = this.options;
    const number = await numbers.get({ projectId, sandbox: false }, number_id);
    await assigner.change(async (tx, lanes) => {
      const released = await virtualNumbers.release(id, clock.now(), tx);
      if (released && number) await assigner.release(tx, lanes, number, reason);
    });
    await discard(audio_id);
  }
}
