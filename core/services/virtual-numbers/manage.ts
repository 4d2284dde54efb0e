import type { VirtualNumbers } from '../../data/repositories/numbers/virtual-numbers.js';
import type { Numbers } from '../../data/repositories/numbers/numbers.js';
import type { VirtualNumberRow } from '../../data/rows.js';
import { HatifError, invalidField } from '../../model/errors/index.js';
import type { Clock } from '../../ports/clock.js';
import type { NumberAssigner } from '../numbers/number-assigner.js';
import type { GivenInstructions, PrepareInstructions } from './instructions.js';
import { ReleaseVirtualNumber } from './release.js';

export interface ManageVirtualNumbersOptions {
  readonly virtualNumbers: VirtualNumbers;
  readonly numbers: Pick<Numbers, 'get'>;
  readonly assigner: NumberAssigner;
  readonly prepare: PrepareInstructions;
  readonly clock: Clock;
  readonly announce: () => Promise<void>;
}

export type VirtualNumberFilter = Parameters<VirtualNumbers['page']>[1];

/** The virtual numbers of a project, including released ones. */
export class ManageVirtualNumbers {
  readonly #release: ReleaseVirtualNumber;

  constructor(private readonly options: ManageVirtualNumbersOptions) {
    this.#release = new ReleaseVirtualNumber({ ...options, discard: (audioId) => options.prepare.discard(audioId) });
  }

  list(
    projectId: string,
    filter: VirtualNumberFilter,
    beforeId: string | null,
    limit: number,
  ): Promise<VirtualNumberRow[]> {
    return this.options.virtualNumbers.page(projectId, filter, beforeId, limit);
  }

  /** @throws HatifError NUMBER_NOT_FOUND */
  async get(projectId: string, id: string): Promise<VirtualNumberRow> {
    const row = await this.options.virtualNumbers.get(projectId, id);
    if (!row) throw notFound(id);
    return row;
  }

  /**
   * Replaces the instructions for future calls.
   * @throws HatifError NUMBER_NOT_FOUND (also if it was released), INVALID_PHONE_NUMBER, VALIDATION_ERROR,
   * INVALID_PLAY_URL, CALLFLOW_AUDIO_SERVICE_UNAVAILABLE
   */
  async instruct(projectId: string, id: string, given: GivenInstructions): Promise<VirtualNumberRow> {
    const { virtualNumbers, prepare, announce } = this.options;
    const before = await this.get(projectId, id);
    if (before.status === 'released') throw notFound(id);
    if (given.forwardTo === before.e164) {
      throw invalidField('forward_to', { en: 'is the number itself', ar: 'هو الرقم نفسه' });
    }
    const prepared = await prepare.prepare(given, projectId, 'forward_to');
    const row = await virtualNumbers.instruct(projectId, id, prepared);
    await prepare.discard(row ? before.audio_id : prepared.audio_id);
    if (!row) throw notFound(id);
    await announce();
    return row;
  }

  /** Releases the end user's number. A repeat does nothing. @throws HatifError NUMBER_NOT_FOUND */
  async release(projectId: string, id: string): Promise<VirtualNumberRow> {
    const before = await this.get(projectId, id);
    if (before.status === 'released') return before;
    await this.#release.release(before, 'released by the end user');
    return this.get(projectId, id);
  }
}

function notFound(id: string): HatifError {
  return new HatifError('NUMBER_NOT_FOUND', { id });
}
