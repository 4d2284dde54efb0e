import { projectEvent, recordEvent } from '../../data/outbox.js';
import type { Queryable } from '../../data/database.js';
import type { InvoiceRow } from '../../data/rows.js';
import type { EventData, EventType } from '../../model/events/index.js';

/** What happened to an invoice. */
interface InvoiceEvent<T extends EventType> {
  readonly type: T;
  readonly data: EventData<T>;
  readonly created_at: Date;
}

/** Records an event for each project on the invoice. @returns delivery lanes of the events, each once */
export async function recordForProjects<T extends EventType>(
  tx: Queryable,
  { organization_id, lines }: Pick<InvoiceRow, 'organization_id' | 'lines'>,
  event: InvoiceEvent<T>,
): Promise<readonly string[]> {
  const lanes: string[] = [];
  for (const project_id of new Set(lines.map((line) => line.project_id))) {
    lanes.push(...(await recordEvent(tx, projectEvent({ organization_id, project_id, sandbox: false, ...event }))));
  }
  return [...new Set(lanes)];
}
