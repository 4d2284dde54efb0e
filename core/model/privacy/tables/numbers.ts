import type { TableRule } from './table-rule.js';

/** Numbers, and what people sent to get or keep them. */
export const NUMBER_DATA = {
  numbers: {
    end: 'released',
    personal: { e164: 'shown in_use', label: 'internal in_use', binding: 'shown in_use' },
    others: 'state kind source provider',
  },
  number_changes: { end: 'billing', others: 'from_state to_state reason' },
  virtual_numbers: {
    end: 'deleted',
    personal: {
      external_user_id: 'shown emptied',
      display_name: 'shown emptied',
      instructions: 'shown emptied',
      audio_path: 'internal emptied',
    },
    others: 'e164 status',
  },
  own_number_claims: {
    end: 'deleted',
    personal: { e164: 'shown in_use' },
    others: 'method status reason',
  },
  porting_requests: {
    end: 'deleted',
    personal: {
      numbers: 'shown in_use',
      account_name: 'shown in_use',
      account_number: 'shown in_use',
      notes: 'shown in_use',
    },
    others: 'carrier status reason',
  },
  porting_changes: { end: 'deleted', others: 'from_status to_status made_by reason' },
  number_documents: {
    end: 'deleted',
    personal: { name: 'internal in_use', storage_key: 'internal in_use' },
    others: 'kind media_type sha256 storage',
  },
} satisfies Readonly<Record<string, TableRule>>;
