import type { Tenant } from './tenant.js';

/** What a request says besides its method, path and key. */
export interface Asked {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** A form with a file, in place of `body`. */
  readonly form?: () => FormData;
  readonly headers?: Readonly<Record<string, string>>;
  /** The owner asks with this kind of key; by default live. */
  readonly by?: 'live' | 'sandbox';
  /** Members that name a resource otherwise than by an ID: `body.agent`. */
  readonly names?: readonly string[];
}

/** Prepares the tenant's resources, and returns a request that succeeds for it once. */
export type Sample = (tenant: Tenant) => Asked | Promise<Asked>;

/** By `operationId`. */
export type Samples = Readonly<Record<string, Sample>>;
