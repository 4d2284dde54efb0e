import type { NumberSearch, OwnableKind } from '../model/number/search.js';

export interface OfferedNumber {
  readonly e164: string;
  readonly kind: OwnableKind;
}

/** Ours, chosen before the provider is asked: it knows an order that it has seen already by this id. */
export interface NumberOrder {
  readonly id: string;
  readonly e164: string;
}

export type ProviderProblem =
  /** The provider has no such number to give (any more). Nothing was ordered. */
  | 'not_available'
  /** It says no, and would again. Nothing was ordered. */
  | 'refused'
  /** It was not reached. Nothing was ordered. */
  | 'unavailable'
  /** Nobody knows whether it did what it was asked: no answer came, or one that says nothing. */
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

/** Where numbers come from that are not in the inventory yet. Every method rejects with NumberProviderError only. */
export interface NumberProvider {
  /** Kept with the numbers that come from here. */
  readonly name: string;
  /** Whose its numbers are: `operator`s stay in the inventory when a customer gives them up, `provider`s go back. */
  readonly source: 'operator' | 'provider';
  /** What it has, batch by batch, in the order of the numbers; numbers may be among it that the inventory knows to be taken. */
  offers(search: NumberSearch): AsyncIterable<readonly OfferedNumber[]>;
  /** Have the number. A repeat of the same order does nothing and succeeds; one that was released never succeeds again. */
  reserve(order: NumberOrder): Promise<void>;
  /** Give the number back, or make sure that the order never comes about. A repeat, or an order that it never saw, succeeds. */
  release(order: NumberOrder): Promise<void>;
}
