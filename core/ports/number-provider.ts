import type { NumberSearch, OwnableKind } from '../model/number/search.js';

export interface OfferedNumber {
  readonly e164: string;
  readonly kind: OwnableKind;
}

/**
 * `id` is ours, chosen before the order is sent: the provider recognises a repeated order by it.
 */
export interface NumberOrder {
  readonly id: string;
  readonly e164: string;
}

export type ProviderProblem =
  /** The provider does not have the number (any more). Nothing was ordered. */
  | 'not_available'
  /** The provider refuses and would refuse again. Nothing was ordered. */
  | 'refused'
  /** The provider was not reached. Nothing was ordered. */
  | 'unavailable'
  /** Unknown outcome: there was no answer, or an unusable one. */
  | 'indeterminate';

export class NumberProviderError extends Error {
  override readonly name = 'NumberProviderError';
  constructor(
    readonly problem: ProviderProblem,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/**
 * A source of numbers that are not in the inventory yet. Every method rejects with
 * NumberProviderError only.
 */
export interface NumberProvider {
  /** Stored with the numbers from this provider. */
  readonly name: string;
  /**
   * Who owns the numbers: when a customer releases one, an `operator` number stays in the
   * inventory, a `provider` number goes back to the provider.
   */
  readonly source: 'operator' | 'provider';
  /** Numbers on offer, in batches, in numeric order. May include numbers that are already taken. */
  offers(search: NumberSearch): AsyncIterable<readonly OfferedNumber[]>;
  /**
   * Orders the number. A repeat of the same order does nothing and succeeds; a released order never
   * succeeds again.
   */
  reserve(order: NumberOrder): Promise<void>;
  /**
   * Returns the number, or makes sure that the order is never fulfilled. Succeeds for a repeat and
   * for an unknown order.
   */
  release(order: NumberOrder): Promise<void>;
}
