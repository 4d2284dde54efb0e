import type { Members } from '../../data/repositories/accounts/members.js';
import type { UserRow } from '../../data/rows.js';
import { EMAIL_RULE, readEmail } from '../../model/accounts/email.js';
import { HatifError, invalidField } from '../../model/errors/index.js';
import { parseNumber } from '../../model/phone-numbers.js';
import type { Subject } from '../../model/privacy/subject.js';

/** A person of a request, checked. */
export interface CheckedSubject {
  readonly subject: Subject;
  /** If the person is a member of the organization. */
  readonly member: UserRow | null;
}

export const LONGEST_EXTERNAL_ID = 512;

const FIELD = 'subject.value';
const PHRASES = {
  member: {
    en: 'is the address of a member: use the type user with the ID of the member',
    ar: 'هو عنوان أحد الأعضاء؛ استخدم النوع `user` مع معرّف العضو',
  },
  unknown: { en: 'is not the ID of a member of this organization', ar: 'ليس معرّف عضو في هذه المؤسسة' },
  external: {
    en: `must be 1 to ${LONGEST_EXTERNAL_ID} characters`,
    ar: `يجب أن يكون عدد أحرفه من 1 إلى ${LONGEST_EXTERNAL_ID}`,
  },
  emergency: { en: 'is an emergency number', ar: 'رقم طوارئ' },
};

/**
 * Checks who is meant, and brings the identifier into the form in which the platform stores it.
 * @throws HatifError INVALID_PHONE_NUMBER, VALIDATION_ERROR
 */
export async function checkSubject(
  { type, value }: Subject,
  organizationId: string,
  members: Pick<Members, 'get' | 'byEmail'>,
): Promise<CheckedSubject> {
  switch (type) {
    case 'phone': {
      const parsed = parseNumber(value, { allowForeign: true });
      if (!parsed) throw new HatifError('INVALID_PHONE_NUMBER', { field: FIELD });
      if (parsed.kind === 'emergency') throw invalidField(FIELD, PHRASES.emergency);
      return { subject: { type, value: parsed.e164 }, member: null };
    }
    case 'email': {
      const email = readEmail(value);
      if (email === null) throw invalidField(FIELD, EMAIL_RULE);
      const known = await members.byEmail(email);
      if (known?.organization_id === organizationId) throw invalidField(FIELD, PHRASES.member);
      return { subject: { type, value: email }, member: null };
    }
    case 'external_id': {
      if (value === '' || value.length > LONGEST_EXTERNAL_ID) throw invalidField(FIELD, PHRASES.external);
      return { subject: { type, value }, member: null };
    }
    case 'user': {
      const member = await members.get(organizationId, value);
      if (!member) throw invalidField(FIELD, PHRASES.unknown);
      return { subject: { type, value: member.id }, member };
    }
  }
}
