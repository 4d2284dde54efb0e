import { maskEmail, maskNumber } from '../access/masking.js';

/** How a request about personal data can name the person. */
export const SUBJECT_TYPES = ['phone', 'email', 'external_id', 'user'] as const;
export type SubjectType = (typeof SUBJECT_TYPES)[number];

/** A person whose data an organization exports or erases. */
export interface Subject {
  readonly type: SubjectType;
  /**
   * - `phone`: E.164
   * - `email`: in lower case
   * - `external_id`: the organization's own identifier: the `external_user_id` of a virtual number, the custom field
   *   `external_id` of a contact, or a value in the metadata of a call
   * - `user`: the id of a member of the organization
   */
  readonly value: string;
}

const HIDDEN = '\u2022'.repeat(4);
/** Longer identifiers show their first characters. */
const SHORT = 6;

/** The person as lists and logs may show it. The id of a member is no secret of the organization. */
export function maskSubject({ type, value }: Subject): string {
  switch (type) {
    case 'phone':
      return maskNumber(value);
    case 'email':
      return maskEmail(value);
    case 'external_id':
      return value.length < SHORT ? HIDDEN : value.slice(0, 2) + HIDDEN;
    case 'user':
      return value;
  }
}
