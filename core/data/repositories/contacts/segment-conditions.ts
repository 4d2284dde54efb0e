import type { SegmentCondition, SegmentRules } from '../../../model/contacts/segment.js';

/** Adds a value to a statement. @returns its placeholder */
export type AddValue = (value: unknown) => string;

const COMPARISONS = { above: '>', at_least: '>=', below: '<', at_most: '<=' } as const;

/** The condition of a statement on the table `contacts`. Only values of the statement come from the rules. */
export function segmentCondition({ match, conditions }: SegmentRules, add: AddValue): string {
  const made = conditions.map((one) => ('conditions' in one ? segmentCondition(one, add) : single(one, add)));
  return `(${made.join(match === 'all' ? ' AND ' : ' OR ')})`;
}

function single(condition: SegmentCondition, add: AddValue): string {
  switch (condition.field) {
    case 'tag': {
      const has = `contacts.tags @> ARRAY[${add(condition.value)}::text]`;
      return condition.op === 'has' ? has : `NOT ${has}`;
    }
    case 'language':
      return `contacts.language = ${add(condition.value)}::text`;
    case 'phone':
    case 'email':
      return `contacts.${condition.field} IS ${condition.op === 'exists' ? 'NOT NULL' : 'NULL'}`;
    case 'group': {
      const member = `EXISTS (SELECT FROM contact_group_members AS member
        WHERE member.group_id = ${add(condition.value)}::uuid AND member.contact_id = contacts.id)`;
      return condition.op === 'in' ? member : `NOT ${member}`;
    }
    case 'consent':
      return consentCondition(condition, add);
    case 'custom':
      return customCondition(condition, add);
  }
}

function consentCondition(
  { op, channel, class: messageClass }: Extract<SegmentCondition, { field: 'consent' }>,
  add: AddValue,
): string {
  const address = channel === 'email' ? 'contacts.email' : 'contacts.phone';
  const status = op === 'opted_in' ? 'opted_in' : 'opted_out';
  const known = `EXISTS (SELECT FROM consents AS consent WHERE consent.project_id = contacts.project_id
    AND consent.sandbox = contacts.sandbox AND consent.address = ${address} AND consent.channel = ${add(channel)}::text
    AND consent.class = ${add(messageClass)}::text AND consent.status = '${status}')`;
  return op === 'not_opted_out' ? `(${address} IS NOT NULL AND NOT ${known})` : known;
}

function customCondition(condition: Extract<SegmentCondition, { field: 'custom' }>, add: AddValue): string {
  switch (condition.op) {
    case 'exists':
      return `contacts.custom_fields ? ${add(condition.name)}::text`;
    case 'missing':
      return `NOT contacts.custom_fields ? ${add(condition.name)}::text`;
    case 'is':
    case 'is_not': {
      const is = `contacts.custom_fields @> ${add(JSON.stringify({ [condition.name]: condition.value }))}::jsonb`;
      return condition.op === 'is' ? is : `NOT ${is}`;
    }
    default: {
      // Only numbers are compared: a text is neither above nor below a number.
      const value = `contacts.custom_fields->${add(condition.name)}::text`;
      const comparison = `(${value})::numeric ${COMPARISONS[condition.op]} ${add(condition.value)}::numeric`;
      return `CASE WHEN jsonb_typeof(${value}) = 'number' THEN ${comparison} ELSE false END`;
    }
  }
}
