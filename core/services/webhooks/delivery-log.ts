import type { Database } from '../../data/database.js';
import {
  listDeliveries,
  redeliver,
  replayDeliveries,
  type DeliveryView,
  type ReplayCounts,
} from '../../data/repositories/webhooks/webhook-deliveries.js';
import { findWebhookEndpoint, type EndpointScope } from '../../data/repositories/webhooks/webhooks.js';
import type { DeliveryRow, WebhookEndpointRow } from '../../data/rows.js';
import { HatifError, invalidField } from '../../model/errors/index.js';
import type { EventPattern } from '../../model/events/index.js';
import { lowestIdAt } from '../../model/ids.js';
import type { Clock } from '../../ports/clock.js';
import type { JobQueue } from '../../ports/jobs.js';

/** Maximum deliveries of each kind that one replay makes due. */
export const REPLAY_LIMIT = 10_000;

/** An event's id is generated when the event is stored; with clock skew, its timestamp may be a little later. */
const CLOCK_MARGIN_MS = 10 * 60 * 1000;

export interface DeliveryLogOptions {
  readonly db: Database;
  readonly jobs: Pick<JobQueue, 'available'>;
  readonly clock: Clock;
  /** Notifies the workers. */
  readonly wake: (lanes: readonly string[]) => void;
}

/** An endpoint, and the key that asks for it. */
export interface DeliveryScope extends EndpointScope {
  readonly endpointId: string;
}

export interface DeliveryPage {
  readonly status: DeliveryRow['status'] | null;
  readonly beforeId: string | null;
  readonly limit: number;
}

export interface ReplayPeriod {
  readonly from: Date;
  /** Exclusive; default: now. */
  readonly to: Date | null;
  /** Default: the event types that the endpoint subscribes to. */
  readonly events: readonly EventPattern[] | null;
}

export interface ReplayResult extends ReplayCounts {
  /** False if there was more than one replay can handle: replay again. */
  readonly complete: boolean;
}

/** Lists an endpoint's deliveries and sends them again. */
export class DeliveryLog {
  constructor(private readonly options: DeliveryLogOptions) {}

  /** Returns deliveries newest first. @throws HatifError WEBHOOK_NOT_FOUND */
  async list(scope: DeliveryScope, page: DeliveryPage): Promise<DeliveryView[]> {
    const endpoint = await this.#endpoint(scope);
    return listDeliveries(this.options.db, { ...page, endpoint });
  }

  /**
   * Sends a delivery again now, whatever its state: with the same id and bytes, and a new series of attempts.
   * @throws HatifError WEBHOOK_NOT_FOUND for endpoint and delivery, VALIDATION_ERROR while the endpoint is disabled.
   */
  async redeliver(scope: DeliveryScope, deliveryId: string): Promise<DeliveryView> {
    const { db, clock, wake } = this.options;
    const endpoint = await this.#ownEndpoint(scope);
    assertEnabled(endpoint);
    const delivery = await redeliver(db, endpoint, deliveryId, clock.now());
    if (!delivery) throw new HatifError('WEBHOOK_NOT_FOUND', { id: deliveryId });
    wake([delivery.lane]);
    return delivery;
  }

  /**
   * Sends what the endpoint missed in a period: its dead letters, and events for which it has no delivery.
   * @throws HatifError WEBHOOK_NOT_FOUND, DLQ_REPLAY_BROKER_UNAVAILABLE, VALIDATION_ERROR while the endpoint is
   * disabled.
   */
  async replay(scope: DeliveryScope, period: ReplayPeriod): Promise<ReplayResult> {
    const { db, jobs, clock, wake } = this.options;
    const endpoint = await this.#ownEndpoint(scope);
    assertEnabled(endpoint);
    if (!(await jobs.available())) throw new HatifError('DLQ_REPLAY_BROKER_UNAVAILABLE');
    const now = clock.now();
    const counts = await replayDeliveries(
      db,
      {
        endpoint,
        projectId: scope.projectId,
        from: period.from,
        to: period.to ?? now,
        events: period.events ?? endpoint.events,
        lowestId: lowestIdAt(new Date(period.from.getTime() - CLOCK_MARGIN_MS)),
        limit: REPLAY_LIMIT,
      },
      now,
    );
    wake([endpoint.id]);
    return { ...counts, complete: counts.revived < REPLAY_LIMIT && counts.added < REPLAY_LIMIT };
  }

  async #endpoint(scope: DeliveryScope): Promise<WebhookEndpointRow> {
    const endpoint = await findWebhookEndpoint(this.options.db, scope, scope.endpointId);
    if (!endpoint) throw new HatifError('WEBHOOK_NOT_FOUND', { id: scope.endpointId });
    return endpoint;
  }

  /** The endpoint, if it has the kind of the key. */
  async #ownEndpoint(scope: DeliveryScope): Promise<WebhookEndpointRow> {
    const endpoint = await this.#endpoint(scope);
    if (endpoint.sandbox !== scope.sandboxOnly) throw new HatifError('WEBHOOK_NOT_FOUND', { id: endpoint.id });
    return endpoint;
  }
}

function assertEnabled(endpoint: WebhookEndpointRow): void {
  if (endpoint.status === 'enabled') return;
  throw invalidField('webhook_id', {
    en: 'the endpoint is disabled; enable it first with PATCH {"status": "enabled"}',
    ar: 'نقطة Webhook معطّلة؛ فعّلها أولًا عبر `PATCH` بالقيمة `{"status": "enabled"}`',
  });
}
