import type { OwnedScimToken, ScimTokens } from '../../data/repositories/scim/tokens.js';
import type { ScimTokenRow } from '../../data/rows.js';
import { hashSecret } from '../../model/access/secrets.js';
import { isToken } from '../../model/access/tokens.js';
import { HatifError } from '../../model/errors/index.js';
import type { Clock } from '../../ports/clock.js';
import type { Logger } from '../../ports/logger.js';
import { bearerIn } from '../access/invalid-key.js';
import { LookupCache } from '../access/lookup-cache.js';
import { assertActive } from '../access/suspension.js';

/** The directory of an organization. */
export interface ScimClient {
  readonly tokenId: string;
  readonly organizationId: string;
  readonly keysOfLeavers: ScimTokenRow['keys_of_leavers'];
}

export interface ScimGateOptions {
  readonly tokens: Pick<ScimTokens, 'findByHash' | 'touch'>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** How long a token is cached; a change by another process takes effect within this time. Default 2 s. */
  readonly cacheMs?: number;
}

const TOUCH_INTERVAL_MS = 60_000;
const MAX_CACHED = 1_000;

/** Admits directories by their tokens. */
export class ScimGate {
  readonly #tokens: LookupCache<OwnedScimToken>;

  constructor(private readonly options: ScimGateOptions) {
    const { tokens, clock, cacheMs: ttlMs = 2_000 } = options;
    const load = async (hash: string) => (await tokens.findByHash(hash)) ?? undefined;
    this.#tokens = new LookupCache({ clock, max: MAX_CACHED, ttlMs, load });
  }

  /**
   * @param authorization the request's `Authorization` header
   * @throws HatifError SCIM_UNAUTHORIZED, INSUFFICIENT_PERMISSIONS if the organization is suspended; DatabaseUnavailable
   */
  async authenticate(authorization: string | undefined): Promise<ScimClient> {
    const text = bearerIn(authorization) ?? '';
    const found = isToken('scim', text) ? await this.#tokens.get(hashSecret(text)) : undefined;
    if (found === undefined) throw new HatifError('SCIM_UNAUTHORIZED');
    assertActive(found.organization);
    const { id: tokenId, organization_id: organizationId, keys_of_leavers: keysOfLeavers } = found.token;
    this.#touch(found.token);
    return { tokenId, organizationId, keysOfLeavers };
  }

  /** Drops what is cached. The process that changes a token calls this, so that the change applies at once. */
  clearCache(): void {
    this.#tokens.clear();
  }

  #touch({ id, last_used_at }: ScimTokenRow): void {
    const { tokens, clock, logger } = this.options;
    const now = clock.now();
    if (last_used_at !== null && now.getTime() - last_used_at.getTime() < TOUCH_INTERVAL_MS) return;
    tokens.touch(id, now).catch((error: unknown) => {
      logger.warn({ err: error, token_id: id }, 'failed to record the last use of a SCIM token');
    });
  }
}
