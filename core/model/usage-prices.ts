import type { CallDirection, CallKind } from './call.js';
import type { MicroSar } from './money.js';

/** What a minute costs, for every kind of call in this direction or for one of them. */
export interface CallPrice {
  readonly direction: CallDirection;
  readonly kind: CallKind | null;
  readonly perMinute: MicroSar;
}
