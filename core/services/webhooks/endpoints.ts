import type { Database } from '../../data/database.js';
import { deadLetterPending } from '../../data/repositories/webhooks/webhook-lanes.js';
import {
  deleteWebhookEndpoint,
  findWebhookEndpoint,
  insertWebhookEndpoint,
  listOwnWebhookEndpoints,
  listWebhookEndpoints,
  updateWebhookEndpoint,
  type EndpointChanges,
  type EndpointEditor,
  type EndpointOwner,
  type EndpointScope,
} from '../../data/repositories/webhooks/webhooks.js';
import type { WebhookEndpointRow } from '../../data/rows.js';
import type { Cipher } from '../../model/access/cipher.js';
import { UNMASKING_SCOPE } from '../../model/access/scopes.js';
import { HatifError } from '../../model/errors/index.js';
import type { EventPattern } from '../../model/events/index.js';
import { newId } from '../../model/ids.js';
import type { Clock } from '../../ports/clock.js';
import type { OutboundHttp } from '../../ports/outbound-http.js';
import type { MessageSigner } from './message.js';
import { errorOf, isDelivered } from './outcome.js';
import { ReceiverProbe } from './probe.js';
import { newSigningSecret } from './secret.js';
import { assertWebhookUrl, isSameUrl } from './url.js';

/** Maximum number of endpoints of each kind per project. */
export const MAX_ENDPOINTS = 5;

/** After a rotation, messages are also signed with the old secret for this long. */
const ROTATION_MS = 24 * 60 * 60 * 1000;

export interface WebhookEndpointsOptions {
  readonly db: Database;
  readonly http: OutboundHttp;
  readonly signer: MessageSigner;
  readonly cipher: Cipher;
  readonly clock: Clock;
}

/** An endpoint without its secrets. */
export type EndpointView = Omit<WebhookEndpointRow, 'secret' | 'previous_secret'>;

/** The secret is returned only at creation and rotation: the platform stores it encrypted. */
export interface EndpointWithSecret {
  readonly endpoint: EndpointView;
  readonly secret: string;
}

export interface NewEndpoint {
  readonly url: string;
  readonly events: readonly EventPattern[];
  readonly description: string | null;
  /** Default false. */
  readonly include_customer_number?: boolean;
}

export interface EndpointPatch {
  readonly url?: string | undefined;
  readonly events?: readonly EventPattern[] | undefined;
  readonly description?: string | null | undefined;
  readonly include_customer_number?: boolean | undefined;
  readonly status?: WebhookEndpointRow['status'] | undefined;
}

export interface TestResult {
  readonly webhookId: string;
  readonly delivered: boolean;
  readonly statusCode: number | null;
  readonly error: string | null;
  readonly durationMs: number;
}

/**
 * Manages the webhook endpoints that receive a project's events. An endpoint has the kind of the key that created it:
 * only keys of this kind change it.
 */
export class WebhookEndpoints {
  readonly #probe: ReceiverProbe;

  constructor(private readonly options: WebhookEndpointsOptions) {
    this.#probe = new ReceiverProbe(options.http, options.signer, options.clock);
  }

  /**
   * Checks the webhook URL of a single call, without contacting the receiver. @throws HatifError WEBHOOK_URL_INVALID
   */
  assertUrl(url: string): void {
    assertWebhookUrl(this.options.http, url);
  }

  async list(scope: EndpointScope): Promise<EndpointView[]> {
    return (await listWebhookEndpoints(this.options.db, scope)).map(withoutSecrets);
  }

  /** @throws HatifError WEBHOOK_NOT_FOUND */
  async get(scope: EndpointScope, id: string): Promise<EndpointView> {
    const endpoint = await findWebhookEndpoint(this.options.db, scope, id);
    if (!endpoint) throw notFound(id);
    return withoutSecrets(endpoint);
  }

  /**
   * Creates an endpoint after its receiver has echoed a challenge.
   * @throws HatifError INSUFFICIENT_PERMISSIONS if it is to get numbers that the owner may not see,
   * WEBHOOK_URL_INVALID, WEBHOOK_URL_DUPLICATE, WEBHOOK_LIMIT_EXCEEDED, WEBHOOK_UNREACHABLE,
   * WEBHOOK_VERIFICATION_FAILED
   */
  async create(owner: EndpointEditor, input: NewEndpoint): Promise<EndpointWithSecret> {
    const { db, cipher, clock } = this.options;
    const { include_customer_number = false } = input;
    if (include_customer_number && owner.seesNumbers !== true) throw mustSeeNumbers();
    this.assertUrl(input.url);
    const others = await listOwnWebhookEndpoints(db, owner);
    if (others.some((other) => isSameUrl(other.url, input.url))) throw new HatifError('WEBHOOK_URL_DUPLICATE');
    if (others.length >= MAX_ENDPOINTS) throw limitExceeded();
    const secret = newSigningSecret();
    const endpoint: WebhookEndpointRow = {
      id: newId(),
      project_id: owner.projectId,
      sandbox: owner.sandbox,
      url: input.url,
      events: distinct(input.events),
      description: input.description,
      include_customer_number,
      secret: cipher.seal(secret),
      previous_secret: null,
      previous_secret_expires_at: null,
      status: 'enabled',
      disabled_reason: null,
      failing_since: null,
      created_at: clock.now(),
    };
    await this.#probe.verify(endpoint.url, endpoint.secret);
    // Checked again in the transaction, because a concurrent request may have come first.
    const outcome = await insertWebhookEndpoint(db, endpoint, MAX_ENDPOINTS);
    if (outcome === 'duplicate_url') throw new HatifError('WEBHOOK_URL_DUPLICATE');
    if (outcome === 'limit_reached') throw limitExceeded();
    return { endpoint: withoutSecrets(endpoint), secret };
  }

  /**
   * Changes an endpoint. A changed URL is verified like a new one. Disabling moves pending deliveries to the dead
   * letters; enabling clears the record of failures. An owner who may not see customers' full numbers can neither have
   * them sent nor send them to another URL.
   * @throws HatifError WEBHOOK_NOT_FOUND, INSUFFICIENT_PERMISSIONS, WEBHOOK_URL_INVALID, WEBHOOK_URL_DUPLICATE, WEBHOOK_UNREACHABLE,
   * WEBHOOK_VERIFICATION_FAILED
   */
  async update(owner: EndpointEditor, id: string, patch: EndpointPatch): Promise<EndpointView> {
    const { db } = this.options;
    const known = await this.#find(owner, id);
    if (owner.seesNumbers !== true && isUnmasking(patch, known)) throw mustSeeNumbers();
    if (patch.url !== undefined && patch.url !== known.url) await this.#verifyNewUrl(owner, known, patch.url);
    const changed = await updateWebhookEndpoint(db, owner, id, changesOf(patch, known));
    if (changed === 'duplicate_url') throw new HatifError('WEBHOOK_URL_DUPLICATE');
    if (changed === null) {
      // Another request has just deleted the endpoint, or has had numbers sent to it.
      await this.#find(owner, id);
      throw mustSeeNumbers();
    }
    if (patch.status === 'disabled') await deadLetterPending(db, [id]);
    return withoutSecrets(changed);
  }

  /** Deletes an endpoint and its deliveries. @throws HatifError WEBHOOK_NOT_FOUND */
  async remove(owner: EndpointOwner, id: string): Promise<void> {
    if (!(await deleteWebhookEndpoint(this.options.db, owner, id))) throw notFound(id);
  }

  /** Creates a new secret; for 24 hours messages are signed with both. @throws HatifError WEBHOOK_NOT_FOUND */
  async rotateSecret(owner: EndpointOwner, id: string): Promise<EndpointWithSecret> {
    const { db, cipher, clock } = this.options;
    const known = await this.#find(owner, id);
    const secret = newSigningSecret();
    const changed = await updateWebhookEndpoint(db, owner, id, {
      secret: cipher.seal(secret),
      previous_secret: known.secret,
      previous_secret_expires_at: new Date(clock.now().getTime() + ROTATION_MS),
    });
    if (changed === null || changed === 'duplicate_url') throw notFound(id);
    return { endpoint: withoutSecrets(changed), secret };
  }

  /**
   * Sends `webhook.verify` with `test: true` and returns the result; does not retry. @throws HatifError
   * WEBHOOK_NOT_FOUND
   */
  async test(owner: EndpointOwner, id: string): Promise<TestResult> {
    const known = await this.#find(owner, id);
    const { webhookId, result } = await this.#probe.send(known.url, this.#secretsOf(known), { test: true });
    return {
      webhookId,
      delivered: isDelivered(result),
      statusCode: result.kind === 'response' ? result.status : null,
      error: errorOf(result),
      durationMs: result.durationMs,
    };
  }

  async #find(owner: EndpointOwner, id: string): Promise<WebhookEndpointRow> {
    const endpoint = (await listOwnWebhookEndpoints(this.options.db, owner)).find((own) => own.id === id);
    if (!endpoint) throw notFound(id);
    return endpoint;
  }

  async #verifyNewUrl(owner: EndpointOwner, known: WebhookEndpointRow, url: string): Promise<void> {
    this.assertUrl(url);
    const all = await listOwnWebhookEndpoints(this.options.db, owner);
    if (all.some((other) => other.id !== known.id && isSameUrl(other.url, url))) {
      throw new HatifError('WEBHOOK_URL_DUPLICATE');
    }
    await this.#probe.verify(url, known.secret);
  }

  #secretsOf(endpoint: WebhookEndpointRow): string[] {
    const { secret, previous_secret: previous, previous_secret_expires_at: expiresAt } = endpoint;
    const isValid = previous !== null && expiresAt !== null && expiresAt > this.options.clock.now();
    return isValid ? [secret, previous] : [secret];
  }
}

function changesOf(patch: EndpointPatch, known: WebhookEndpointRow): EndpointChanges {
  return {
    ...(patch.url !== undefined && { url: patch.url }),
    ...(patch.events !== undefined && { events: distinct(patch.events) }),
    ...(patch.description !== undefined && { description: patch.description }),
    ...(patch.include_customer_number !== undefined && { include_customer_number: patch.include_customer_number }),
    ...(patch.status === 'enabled' && { status: 'enabled', disabled_reason: null, failing_since: null }),
    ...(patch.status === 'disabled' &&
      known.status === 'enabled' && { status: 'disabled', disabled_reason: 'requested', failing_since: null }),
  };
}

/** Whether the change has full numbers sent, or sends them to another URL. */
function isUnmasking(patch: EndpointPatch, known: WebhookEndpointRow): boolean {
  if (patch.include_customer_number === true) return true;
  const isIncluding = patch.include_customer_number ?? known.include_customer_number;
  return isIncluding && patch.url !== undefined && patch.url !== known.url;
}

export function withoutSecrets(row: WebhookEndpointRow): EndpointView {
  const { secret: _secret, previous_secret: _previous, ...shown } = row;
  return shown;
}

function distinct(events: readonly EventPattern[]): EventPattern[] {
  return [...new Set(events)];
}

function notFound(id: string): HatifError<'WEBHOOK_NOT_FOUND'> {
  return new HatifError('WEBHOOK_NOT_FOUND', { id });
}

function mustSeeNumbers(): HatifError<'INSUFFICIENT_PERMISSIONS'> {
  return new HatifError('INSUFFICIENT_PERMISSIONS', { permission: UNMASKING_SCOPE });
}

function limitExceeded(): HatifError<'WEBHOOK_LIMIT_EXCEEDED'> {
  return new HatifError('WEBHOOK_LIMIT_EXCEEDED', { max: MAX_ENDPOINTS });
}
