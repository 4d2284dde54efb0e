import { z } from 'zod';

/** A client's own notes on a resource: stored, listed and echoed on webhooks, never interpreted. */
export type Metadata = Readonly<Record<string, string>>;

export const METADATA_MAX_KEYS = 20;
export const METADATA_MAX_KEY_LENGTH = 64;
export const METADATA_MAX_VALUE_LENGTH = 512;

/** PostgreSQL's jsonb can hold neither NUL nor an unpaired surrogate. */
const STORABLE = /^[^\0\p{Surrogate}]*$/u;
const storable = z.string().regex(STORABLE, 'must not contain NUL or unpaired surrogates');

export const metadataSchema = z
  .record(storable.min(1).max(METADATA_MAX_KEY_LENGTH), storable.max(METADATA_MAX_VALUE_LENGTH))
  .refine((metadata) => Object.keys(metadata).length <= METADATA_MAX_KEYS, {
    message: `must have at most ${METADATA_MAX_KEYS} keys`,
  });
