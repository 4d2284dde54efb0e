import type { z } from 'zod';
import {
  IdentityProviderError,
  type IdentityOrder,
  type IdentityProvider,
  type ProviderIdentity,
  type StartedIdentity,
} from '../../core/ports/identity-provider.js';
import { NoResponseError, type JsonAnswer } from '../http/json-request.js';
import { SignedJsonClient, type SignedJsonOptions } from '../http/signed-json.js';
import { identityOf, serviceVerification } from './verification.js';

/**
 * A national identity service with the JSON protocol of docs/reference/accounts/national-identity.md: `PUT` and
 * `GET /verifications/{id}`, each request signed.
 */
export class HttpIdentity implements IdentityProvider {
  readonly #client: SignedJsonClient;

  constructor(options: SignedJsonOptions) {
    this.#client = new SignedJsonClient(options);
  }

  async begin({ id, nationalId, locale }: IdentityOrder): Promise<StartedIdentity> {
    const answer = await this.#ask('PUT', id, { national_id: nationalId, locale });
    if (answer.status !== 200 && answer.status !== 201) throw failureOf(answer);
    const { match_number: matchNumber, expires_at: expiresAt } = read(id, answer);
    if (matchNumber === undefined || expiresAt === undefined) throw unreadable();
    return { matchNumber, expiresAt: new Date(expiresAt) };
  }

  async getState(id: string): Promise<ProviderIdentity> {
    const answer = await this.#ask('GET', id);
    if (answer.status !== 200) throw failureOf(answer);
    return identityOf(read(id, answer));
  }

  /** Closes the connections when the process ends. */
  async disconnect(): Promise<void> {
    await this.#client.close();
  }

  async #ask(method: 'GET' | 'PUT', id: string, json?: object): Promise<JsonAnswer> {
    try {
      return await this.#client.ask(method, `/verifications/${id}`, json);
    } catch (error) {
      if (!(error instanceof NoResponseError)) throw error;
      throw new IdentityProviderError(`the identity service ${error.message}`, { cause: error });
    }
  }
}

function read(id: string, { body }: JsonAnswer): z.output<typeof serviceVerification> {
  const verification = serviceVerification.safeParse(body);
  if (!verification.success || verification.data.id.toLowerCase() !== id) throw unreadable();
  return verification.data;
}

function unreadable(): IdentityProviderError {
  return new IdentityProviderError('the response of the identity service is not in the agreed format');
}

/** Without the service's own message, which may name the person. */
function failureOf({ status }: JsonAnswer): IdentityProviderError {
  return new IdentityProviderError(`the identity service answered ${status}`);
}
