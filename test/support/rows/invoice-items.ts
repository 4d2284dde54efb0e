import type { UsedItem } from '../../../core/model/invoice/lines.js';

/** A minute of outgoing calls in October 2026, with these changes. */
export function usedItem(changes: Partial<UsedItem> = {}): UsedItem {
  return {
    month: '2026-10',
    project_id: 'a',
    project_name: 'Sales',
    kind: 'calls',
    direction: 'outbound',
    call_kind: 'outbound',
    usage_type: null,
    quantity: 1,
    seconds: 60,
    exact: 120_000,
    ...changes,
  };
}
