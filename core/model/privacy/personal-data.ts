import type { TableRule } from './tables/table-rule.js';
import { CALL_DATA } from './tables/calls.js';
import { CONTACT_DATA } from './tables/contacts.js';
import { INSTALLATION_DATA } from './tables/installation.js';
import { MEMBER_DATA } from './tables/members.js';
import { NUMBER_DATA } from './tables/numbers.js';
import { ORGANIZATION_DATA } from './tables/organizations.js';

/**
 * Every column of the database that can hold words, numbers of people or documents, and what happens to it when an
 * organization exports or erases what it holds of a person, and when the organization itself ends. A test compares this
 * table with the real schema: a new column has to be listed here first. Columns of other types (ids, times, amounts,
 * flags) identify nobody by themselves.
 *
 * The keys are names of tables; `tables/table-rule.ts` explains the words.
 */
export const PERSONAL_DATA: Readonly<Record<string, TableRule>> = {
  ...CALL_DATA,
  ...CONTACT_DATA,
  ...NUMBER_DATA,
  ...MEMBER_DATA,
  ...ORGANIZATION_DATA,
  ...INSTALLATION_DATA,
};
