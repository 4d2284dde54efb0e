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
  contact_groups: { end: 'deleted', others: 'name' },
  contact_group_members: { end: 'deleted' },
} satisfies Readonly<Record<string, TableRule>>;
