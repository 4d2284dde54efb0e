import type { Inventory } from '../../data/repositories/numbers/inventory.js';
import type { Numbers } from '../../data/repositories/numbers/numbers.js';
import type { VirtualNumbers } from '../../data/repositories/numbers/virtual-numbers.js';
import type { ProjectKind } from '../../data/repositories/project-kind.js';
import type { NumberRow } from '../../data/rows.js';
import { HatifError } from '../../model/errors/index.js';
import type { NumberSearch } from '../../model/number/search.js';
import type { Logger } from '../../ports/logger.js';
import { NumberProviderError, type NumberProvider, type OfferedNumber } from '../../ports/number-provider.js';
import type { NumberAssigner } from './number-assigner.js';
import { withoutTaken } from './order.js';
import { providerFailed } from './provider-failed.js';

export interface ManageNumbersOptions {
  readonly inventory: Inventory;
  readonly numbers: Numbers;
  readonly virtualNumbers: Pick<VirtualNumbers, 'ofNumber'>;
  readonly assigner: NumberAssigner;
  readonly providers: readonly NumberProvider[];
  readonly log: Logger;
}

/** Changes to a project's number; omitted members are left unchanged. */
export interface NumberChange {
  readonly label?: string | null | undefined;
}

/** Manages a project's numbers, and lists numbers that it could order. */
export class ManageNumbers {
  constructor(private readonly options: ManageNumbersOptions) {}

  list(of: ProjectKind, beforeId: string | null, limit: number): Promise<NumberRow[]> {
    return this.options.numbers.page(of, beforeId, limit);
  }

  /** @throws HatifError NUMBER_NOT_FOUND */
  async get(of: ProjectKind, id: string): Promise<NumberRow> {
    const row = await this.options.numbers.get(of, id);
    if (!row) throw notFound(id);
    return row;
  }

  /** @throws HatifError NUMBER_NOT_FOUND */
  async change(of: ProjectKind, id: string, { label }: NumberChange): Promise<NumberRow> {
    if (label === undefined) return this.get(of, id);
    const row = await this.options.numbers.setLabel(of, id, label);
    if (!row) throw notFound(id);
    return row;
  }

  /**
   * Releases a number. @throws HatifError NUMBER_NOT_FOUND, NUMBER_ALREADY_ASSIGNED (to an end user),
   * PORTING_INVALID_STATE
   */
  async release(of: ProjectKind, id: string): Promise<void> {
    const { assigner, virtualNumbers } = this.options;
    const row = await this.get(of, id);
    if (row.state === 'porting') throw new HatifError('PORTING_INVALID_STATE', { status: 'porting' });
    await assigner.change(async (tx, lanes) => {
      if (await virtualNumbers.ofNumber(id, tx)) throw new HatifError('NUMBER_ALREADY_ASSIGNED', { number: row.e164 });
      if (!(await assigner.release(tx, lanes, row, 'released by its owner'))) throw notFound(id);
    });
  }

  /**
   * Numbers that can be ordered: the operator's first, then the providers'. A provider that fails is skipped, unless
   * nothing else was found.
   * @throws HatifError NUMBER_PROVIDER_ERROR
   */
  async available(search: NumberSearch, limit: number): Promise<OfferedNumber[]> {
    const { inventory, providers, log } = this.options;
    const found: OfferedNumber[] = await inventory.available(search, '', limit);
    let failure: NumberProviderError | null = null;
    for (const provider of providers) {
      try {
        for await (const batch of provider.offers(search)) {
          if (found.length >= limit) break;
          found.push(...(await withoutTaken(inventory, batch)));
        }
      } catch (error) {
        if (!(error instanceof NumberProviderError)) throw error;
        log.warn({ err: error, provider: provider.name }, 'failed to list the numbers of a provider');
        failure = error;
      }
    }
    if (found.length === 0 && failure) throw providerFailed(failure.message, failure);
    return found.slice(0, limit).map(({ e164, kind }) => ({ e164, kind }));
  }
}

function notFound(id: string): HatifError {
  return new HatifError('NUMBER_NOT_FOUND', { id });
}
