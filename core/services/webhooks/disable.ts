import type { Database } from '../../data/database.js';
import { addOwnerMail } from '../../data/repositories/mails/owner-mails.js';
import { projectEvent, recordEvent } from '../../data/outbox.js';
import { deadLetterPending, type FailedEndpoint } from '../../data/repositories/webhooks/webhook-lanes.js';
import { disableFailedEndpoint } from '../../data/repositories/webhooks/webhooks.js';
import { isoTime } from '../../model/time.js';

/**
 * Disables an endpoint that failed for too long or is gone, moves its pending deliveries to the dead letters, and
 * notifies the project's other endpoints (`webhook.disabled`) and, by mail, the organization's owner.
 * @returns the project and the lanes that now have deliveries; null if the endpoint was not enabled any more
 */
export function disableEndpoint(
  db: Database,
  { id, reason }: FailedEndpoint,
  at: Date,
): Promise<{ readonly projectId: string; readonly lanes: readonly string[] } | null> {
  return db.transaction(async (tx) => {
    const endpoint = await disableFailedEndpoint(tx, id, reason);
    if (!endpoint) return null;
    const { organization_id, project_id, sandbox, url, failing_since } = endpoint;
    const event = projectEvent({
      organization_id,
      project_id,
      sandbox,
      type: 'webhook.disabled',
      data: { webhook_id: id, url, reason, failing_since: isoTime(failing_since), disabled_at: isoTime(at) },
      created_at: at,
    });
    const data = { webhook_id: id, url, sandbox, reason, disabled_at: isoTime(at) };
    await addOwnerMail(tx, endpoint, { kind: 'webhook_disabled', data }, at);
    await deadLetterPending(tx, [id]);
    return { projectId: project_id, lanes: await recordEvent(tx, event) };
  });
}
