import type { TableRule } from './table-rule.js';

/** The people that organizations write to. */
export const CONTACT_DATA = {
  contacts: {
    end: 'deleted',
    personal: {
      phone: 'shown deleted',
      email: 'shown deleted',
      name_en: 'shown deleted',
      name_ar: 'shown deleted',
      language: 'shown deleted',
      time_zone: 'shown deleted',
      tags: 'shown deleted',
      custom_fields: 'shown deleted',
      words: 'internal deleted',
    },
  },
  consents: {
    end: 'deleted',
    // An opt-out stays, an opt-in goes.
    personal: { address: 'shown block' },
    others: 'channel class status source',
  },
  consent_changes: {
    end: 'deleted',
    personal: { address: 'shown deleted', proof: 'shown deleted' },
    others: 'channel class status source',
  },
  contact_groups: { end: 'deleted', others: 'name rules' },
  contact_group_members: { end: 'deleted' },
  contact_imports: { end: 'deleted', others: 'file_name existing columns status problem request_id' },
  contact_import_pieces: {
    end: 'deleted',
    // Lines that are imported within minutes.
    personal: { lines: 'internal expires' },
  },
  contact_import_faults: { end: 'deleted', others: 'column_name code message message_ar' },
} satisfies Readonly<Record<string, TableRule>>;
