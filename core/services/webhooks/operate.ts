import type { Database } from '../../data/database.js';
import { insertAuditRows } from '../../data/repositories/accounts/audit.js';
import {
  findDelivery,
  listDeadLetters,
  type DeadLetter,
  type DeliveryView,
} from '../../data/repositories/webhooks/webhook-deliveries.js';
import { findWebhookEndpoint, listWebhookEndpoints } from '../../data/repositories/webhooks/webhooks.js';
import type { DeliveryRow } from '../../data/rows.js';
import { HatifError } from '../../model/errors/index.js';
import { isId } from '../../model/ids.js';
import { isoTime } from '../../model/time.js';
import type { Clock } from '../../ports/clock.js';
import { assertListLimit } from '../access/list-limit.js';
import { operatorAudit, type AskedBy } from '../access/operator-audit.js';
import type { DeliveryLog, DeliveryScope } from './delivery-log.js';
import { withoutSecrets, type EndpointView } from './endpoints.js';

export interface OperateWebhooksOptions {
  readonly db: Database;
  readonly deliveries: DeliveryLog;
  readonly clock: Clock;
}

/** A project whose webhooks the operator looks at. */
interface OfProject {
  readonly id: string;
  readonly organization_id: string;
}

/** The operator's view of the webhooks of a project, those of its sandbox included. */
export class OperateWebhooks {
  constructor(private readonly options: OperateWebhooksOptions) {}

  /** Oldest first. */
  async list({ id }: OfProject): Promise<readonly EndpointView[]> {
    const rows = await listWebhookEndpoints(this.options.db, { projectId: id, sandboxOnly: false });
    return rows.map(withoutSecrets);
  }

  /** Newest first. @throws HatifError WEBHOOK_NOT_FOUND, VALIDATION_ERROR */
  async deliveriesOf(
    project: OfProject,
    endpointId: string,
    status: DeliveryRow['status'] | null,
    limit: number,
  ): Promise<readonly DeliveryView[]> {
    assertListLimit(limit);
    return this.deliveriesBefore(project, endpointId, status, null, limit);
  }

  /** A page of {@link deliveriesOf}. @param before the last one of the page before. @throws HatifError WEBHOOK_NOT_FOUND */
  async deliveriesBefore(
    project: OfProject,
    endpointId: string,
    status: DeliveryRow['status'] | null,
    before: string | null,
    limit: number,
  ): Promise<readonly DeliveryView[]> {
    const scope = await this.#scope(project, endpointId);
    const rows = await this.options.deliveries.list(scope, { status, beforeId: before, limit });
    return rows.map(withTimes);
  }

  /**
   * Makes a delivery due now, as the API does; a command records that in the audit log.
   * @throws HatifError WEBHOOK_NOT_FOUND for endpoint and delivery, VALIDATION_ERROR while the endpoint is disabled
   */
  async redeliver(
    project: OfProject,
    endpointId: string,
    deliveryId: string,
    by: AskedBy = 'command',
  ): Promise<DeliveryView> {
    const { db, deliveries, clock } = this.options;
    const scope = await this.#scope(project, endpointId);
    if (!isId(deliveryId)) throw new HatifError('WEBHOOK_NOT_FOUND', { id: deliveryId });
    const delivery = withTimes(await deliveries.redeliver(scope, deliveryId));
    if (by === 'request') return delivery;
    const path = `/v1/webhooks/${endpointId}/deliveries/${deliveryId}/redeliver`;
    await insertAuditRows(db, [
      operatorAudit(project.organization_id, path, 'hatif webhooks redeliver', {}, clock.now()),
    ]);
    return delivery;
  }

  /** Deliveries of all organizations that were given up, newest first. @param before the last one of the page before */
  deadLetters(before: string | null, limit: number): Promise<DeadLetter[]> {
    return listDeadLetters(this.options.db, before, limit);
  }

  /**
   * Makes a delivery of any organization due now. The caller audits it.
   * @throws HatifError WEBHOOK_NOT_FOUND, VALIDATION_ERROR while the endpoint is disabled
   */
  async sendAgain(deliveryId: string): Promise<DeadLetter> {
    const found = isId(deliveryId) ? await findDelivery(this.options.db, deliveryId) : null;
    if (found?.endpoint_id == null) throw new HatifError('WEBHOOK_NOT_FOUND', { id: deliveryId });
    const scope = { projectId: found.project_id, sandboxOnly: found.sandbox, endpointId: found.endpoint_id };
    return { ...found, ...(await this.options.deliveries.redeliver(scope, deliveryId)) };
  }

  /** Only a client of the endpoint's kind may send its deliveries again; the operator is of both kinds. */
  async #scope({ id: projectId }: OfProject, endpointId: string): Promise<DeliveryScope> {
    const endpoint = isId(endpointId)
      ? await findWebhookEndpoint(this.options.db, { projectId, sandboxOnly: false }, endpointId)
      : null;
    if (!endpoint) throw new HatifError('WEBHOOK_NOT_FOUND', { id: endpointId });
    return { projectId, sandboxOnly: endpoint.sandbox, endpointId: endpoint.id };
  }
}

/** PostgreSQL writes the times of attempts in its own form. */
function withTimes(delivery: DeliveryView): DeliveryView {
  return { ...delivery, tries: delivery.tries.map((one) => ({ ...one, at: isoTime(new Date(one.at)) })) };
}
