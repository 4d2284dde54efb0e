import type { Request } from 'express';
import { HatifError } from '../../core/model/errors/index.js';
import { AccessTokens } from '../../core/services/access/access-tokens.js';
import type { SignedInUser } from '../../core/services/access/caller.js';
import { bearerOf } from '../../core/services/access/invalid-key.js';
import { admitRole } from './admit-user.js';
import type { ApiDeps } from './deps.js';
import type { Exchange } from './exchange.js';
import type { Route } from './route.js';

const CHECK_EVERY_MS = 500;

/** A stream that is being sent. */
export interface OpenStream {
  readonly route: Route;
  readonly exchange: Exchange;
  readonly req: Request;
  /** Aborted when the stream is over. */
  readonly signal: AbortSignal;
}

/**
 * Calls `end` once the client of a stream may follow it no longer: the access token expired, the session or the key
 * ended, or what the member may see changed. While the database is unavailable, the stream continues.
 */
export function endWithAccess(deps: ApiDeps, stream: OpenStream, end: () => void): void {
  let first: string | null = null;
  const check = async (): Promise<void> => {
    if (stream.signal.aborted) return;
    try {
      const seen = await reachOf(deps, stream);
      first ??= seen;
      if (seen !== first) {
        end();
        return;
      }
    } catch (error) {
      if (error instanceof HatifError && error.status < 500) {
        end();
        return;
      }
    }
    deps.clock.after(CHECK_EVERY_MS, () => void check());
  };
  void check();
}

/** What the client may see. @throws HatifError if nothing; DatabaseUnavailable */
async function reachOf(
  { authenticator, accessTokens }: ApiDeps,
  { route, exchange, req }: OpenStream,
): Promise<string> {
  const { authorization } = req.headers;
  const text = bearerOf(authorization);
  if (!AccessTokens.isMeant(text)) {
    const { scopes } = await authenticator.authenticate(authorization, exchange.ip);
    return [...scopes].join();
  }
  const { user } = await accessTokens.authenticate(text);
  admitRole(route, user);
  const projects = await accessTokens.projectsOf(user);
  return describe(
    user,
    projects.some(({ id }) => id === exchange.requester.projectId),
  );
}

function describe({ role, agent }: SignedInUser, hasProject: boolean): string {
  return [role, agent, hasProject].join();
}
