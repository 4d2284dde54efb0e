import type { Database } from '../../data/database.js';
import { deadLetterPending } from '../../data/repositories/webhooks/webhook-lanes.js';
import {
  deleteWebhookEndpoint,
  findWebhookEndpoint,
  insertWebhookEndpoint,
  listWebhookEndpoints,
  updateWebhookEndpoint,
  type EndpointChanges,
} from '../../data/repositories/webhooks/webhooks.js';
import type { WebhookEndpointRow } from '../../data/rows.js';
import type { Cipher } from '../../model/access/cipher.js';
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

/** Endpoints that a project may have. */
export const MAX_ENDPOINTS = 5;

/** How long the old secret of a rotation signs too. */
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

/** The secret is shown at its making only: only its sealed form is kept. */
export interface EndpointWithSecret {
  readonly endpoint: EndpointView;
  readonly secret: string;
}

export interface NewEndpoint {
  readonly url: string;
  readonly events: readonly EventPattern[];
  readonly description: string | null;
}

export interface EndpointPatch {
  readonly url?: string | undefined;
  readonly events?: readonly EventPattern[] | undefined;
  readonly description?: string | null | undefined;
  readonly status?: WebhookEndpointRow['status'] | undefined;
}

export interface TestResult {
  readonly webhookId: string;
  readonly delivered: boolean;
  readonly statusCode: number | null;
  readonly error: string | null;
  readonly durationMs: number;
}

/** Who receives a project's events. */
export class WebhookEndpoints {
  readonly #probe: ReceiverProbe;

  constructor(private readonly options: WebhookEndpointsOptions) {
    this.#probe = new ReceiverProbe(options.http, options.signer, options.clock);
  }

  /** @throws HatifError WEBHOOK_URL_INVALID for a receiver that a call brings along; whether it answers shows with the call's events. */
  assertUrl(url: string): void {
    assertWebhookUrl(this.options.http, url);
  }

  async list(projectId: string): Promise<EndpointView[]> {
    return (await listWebhookEndpoints(this.options.db, projectId)).map(view);
  }

  /** @throws HatifError WEBHOOK_NOT_FOUND */
  async get(projectId: string, id: string): Promise<EndpointView> {
    return view(await this.#find(projectId, id));
  }

  /**
   * The receiver has to echo a challenge first.
   * @throws HatifError WEBHOOK_URL_INVALID, WEBHOOK_URL_DUPLICATE, WEBHOOK_LIMIT_EXCEEDED, WEBHOOK_UNREACHABLE, WEBHOOK_VERIFICATION_FAILED
   */
  async create(projectId: string, wanted: NewEndpoint): Promise<EndpointWithSecret> {
    const { db, cipher, clock } = this.options;
    this.assertUrl(wanted.url);
    const others = await listWebhookEndpoints(db, projectId);
    if (others.some((other) => isSameUrl(other.url, wanted.url))) throw new HatifError('WEBHOOK_URL_DUPLICATE');
    if (others.length >= MAX_ENDPOINTS) throw limitExceeded();
    const secret = newSigningSecret();
    const endpoint: WebhookEndpointRow = {
      id: newId(),
      project_id: projectId,
      url: wanted.url,
      events: distinct(wanted.events),
      description: wanted.description,
      secret: cipher.seal(secret),
      previous_secret: null,
      previous_secret_expires_at: null,
      status: 'enabled',
      disabled_reason: null,
      failing_since: null,
      created_at: clock.now(),
    };
    await this.#probe.verify(endpoint.url, endpoint.secret);
    // Asked again in the same transaction: another request may have come in between.
    const outcome = await insertWebhookEndpoint(db, endpoint, MAX_ENDPOINTS);
    if (outcome === 'duplicate_url') throw new HatifError('WEBHOOK_URL_DUPLICATE');
    if (outcome === 'limit_reached') throw limitExceeded();
    return { endpoint: view(endpoint), secret };
  }

  /**
   * A changed url is verified like a new one. Disabling puts what still waits into the dead letters; enabling forgets past failures.
   * @throws HatifError WEBHOOK_NOT_FOUND, WEBHOOK_URL_INVALID, WEBHOOK_URL_DUPLICATE, WEBHOOK_UNREACHABLE, WEBHOOK_VERIFICATION_FAILED
   */
  async update(projectId: string, id: string, patch: EndpointPatch): Promise<EndpointView> {
    const { db } = this.options;
    const known = await this.#find(projectId, id);
    if (patch.url !== undefined && patch.url !== known.url) await this.#verifyNewUrl(known, patch.url);
    const changed = await updateWebhookEndpoint(db, projectId, id, changesOf(patch, known));
    if (changed === 'duplicate_url') throw new HatifError('WEBHOOK_URL_DUPLICATE');
    if (changed === null) throw notFound(id);
    if (patch.status === 'disabled') await deadLetterPending(db, [id]);
    return view(changed);
  }

  /** Its deliveries go with it. @throws HatifError WEBHOOK_NOT_FOUND */
  async remove(projectId: string, id: string): Promise<void> {
    if (!(await deleteWebhookEndpoint(this.options.db, projectId, id))) throw notFound(id);
  }

  /** The old secret signs too for 24 hours. @throws HatifError WEBHOOK_NOT_FOUND */
  async rotateSecret(projectId: string, id: string): Promise<EndpointWithSecret> {
    const { db, cipher, clock } = this.options;
    const known = await this.#find(projectId, id);
    const secret = newSigningSecret();
    const changed = await updateWebhookEndpoint(db, projectId, id, {
      secret: cipher.seal(secret),
      previous_secret: known.secret,
      previous_secret_expires_at: new Date(clock.now().getTime() + ROTATION_MS),
    });
    if (changed === null || changed === 'duplicate_url') throw notFound(id);
    return { endpoint: view(changed), secret };
  }

  /** Send a `webhook.verify` with `test: true` and tell how it went; nothing is retried. @throws HatifError WEBHOOK_NOT_FOUND */
  async test(projectId: string, id: string): Promise<TestResult> {
    const known = await this.#find(projectId, id);
    const { webhookId, result } = await this.#probe.send(known.url, this.#secretsOf(known), { test: true });
    return {
      webhookId,
      delivered: isDelivered(result),
      statusCode: result.kind === 'response' ? result.status : null,
      error: errorOf(result),
      durationMs: result.durationMs,
    };
  }

  async #find(projectId: string, id: string): Promise<WebhookEndpointRow> {
    const endpoint = await findWebhookEndpoint(this.options.db, projectId, id);
    if (!endpoint) throw notFound(id);
    return endpoint;
  }

  async #verifyNewUrl(known: WebhookEndpointRow, url: string): Promise<void> {
    this.assertUrl(url);
    const all = await listWebhookEndpoints(this.options.db, known.project_id);
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
    ...(patch.status === 'enabled' && { status: 'enabled', disabled_reason: null, failing_since: null }),
    ...(patch.status === 'disabled' &&
      known.status === 'enabled' && { status: 'disabled', disabled_reason: 'requested', failing_since: null }),
  };
}

function view(row: WebhookEndpointRow): EndpointView {
  const { secret: _secret, previous_secret: _previous, ...shown } = row;
  return shown;
}

function distinct(events: readonly EventPattern[]): EventPattern[] {
  return [...new Set(events)];
}

function notFound(id: string): HatifError<'WEBHOOK_NOT_FOUND'> {
  return new HatifError('WEBHOOK_NOT_FOUND', { id });
}

function limitExceeded(): HatifError<'WEBHOOK_LIMIT_EXCEEDED'> {
  return new HatifError('WEBHOOK_LIMIT_EXCEEDED', { max: MAX_ENDPOINTS });
}
