import type { RequestOptions } from '../support/api.js';
import type { Asked } from './sample.js';
import type { Tenant } from './tenant.js';

/** One try to get at what belongs to the owner. */
export interface Try {
  /** Who tries, and how. */
  readonly who: string;
  readonly asked: Asked;
  readonly options: RequestOptions;
  /** Whose secrets the answer must not contain. */
  readonly of: Tenant;
  /** Secrets that the key may see. */
  readonly except?: ReadonlySet<string>;
  /** Whether the answer is as it must be; secrets are looked for as well. */
  readonly isRefused: (status: number, code: string) => boolean;
}
