import { matchesSearch, type NumberSearch } from '../../core/model/number/search.js';
import { parseNumber } from '../../core/model/phone-numbers.js';
import {
  NumberProviderError,
  type NumberOrder,
  type NumberProvider,
  type OfferedNumber,
} from '../../core/ports/number-provider.js';

/** Inclusive; both ends have the same number of digits. */
export interface NumberRange {
  readonly from: string;
  readonly to: string;
}

const BATCH = 500;

/** The operator's own ranges. No provider needs to be contacted: the inventory shows which numbers are taken. */
export class StaticRangeProvider implements NumberProvider {
  readonly name = 'range';
  readonly source = 'operator';

  constructor(private readonly ranges: readonly NumberRange[]) {}

  async *offers(search: NumberSearch): AsyncGenerator<readonly OfferedNumber[]> {
    let batch: OfferedNumber[] = [];
    for (const e164 of this.#numbers()) {
      // A cheap check first, which most numbers fail.
      if (search.prefix !== null && !e164.startsWith(search.prefix)) continue;
      const offered = asOffer(e164);
      if (offered && matchesSearch(offered, search)) batch.push(offered);
      if (batch.length < BATCH) continue;
      yield await Promise.resolve(batch);
      batch = [];
    }
    if (batch.length > 0) yield batch;
  }

  reserve({ e164 }: NumberOrder): Promise<void> {
    const [digits, length] = [BigInt(e164.slice(1)), e164.length];
    const isInRange = this.ranges.some(
      ({ from, to }) => from.length === length && BigInt(from.slice(1)) <= digits && digits <= BigInt(to.slice(1)),
    );
    if (isInRange) return Promise.resolve();
    return Promise.reject(new NumberProviderError('not_available', `${e164} is in none of the operator's ranges`));
  }

  release(): Promise<void> {
    return Promise.resolve();
  }

  *#numbers(): Generator<string> {
    for (const { from, to } of this.ranges) {
      const last = BigInt(to.slice(1));
      for (let digits = BigInt(from.slice(1)); digits <= last; digits += 1n) yield `+${digits}`;
    }
  }
}

function asOffer(e164: string): OfferedNumber | null {
  const parsed = parseNumber(e164, { allowForeign: true });
  return parsed === null || parsed.kind === 'emergency' ? null : { e164: parsed.e164, kind: parsed.kind };
}
