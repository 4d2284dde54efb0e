import { expect } from 'chai';
import { segmentCondition } from '../../../../core/data/repositories/contacts/segment-conditions.js';
import { groupsOf, segmentRulesSchema, type SegmentRules } from '../../../../core/model/contacts/segment.js';

const VIP = { field: 'tag', op: 'has', value: 'vip' };
const accepts = (rules: unknown): boolean => segmentRulesSchema.safeParse(rules).success;
const all = (...conditions: unknown[]): object => ({ match: 'all', conditions });

describe('the rules of a dynamic group', () => {
  it('are conditions, alone or inside others', () => {
    expect(accepts(all(VIP))).to.equal(true);
    expect(accepts({ match: 'any', conditions: [VIP, all(VIP, all(VIP))] })).to.equal(true);
    expect(accepts(all(VIP, all(all(all(VIP))))), 'four levels').to.equal(false);
    expect(accepts(all())).to.equal(false);
    expect(accepts(all(...Array.from({ length: 50 }, () => VIP)))).to.equal(true);
    expect(accepts(all(VIP, all(...Array.from({ length: 50 }, () => VIP))))).to.equal(false);
  });

  for (const wrong of [
    { field: 'tag', op: 'is', value: 'vip' },
    { field: 'tag', op: 'has', value: 7 },
    { field: 'language', op: 'is', value: 'fr' },
    { field: 'group', op: 'in', value: 'customers' },
    { field: 'custom', name: "x'; DROP TABLE contacts; --", op: 'is', value: 1 },
    { field: 'custom', name: 'orders', op: 'above', value: '3' },
    { field: 'consent', op: 'opted_in', channel: 'sms', class: 'service' },
    { field: 'phone', op: 'exists', value: true },
    { field: 'search_text', op: 'is', value: 'x' },
  ]) {
    it(`cannot be ${JSON.stringify(wrong)}`, () => {
      expect(accepts(all(wrong))).to.equal(false);
    });
  }

  it('name groups, and become a condition whose values are parameters', () => {
    const id = '01934f7a-3b5c-7d21-9e48-1f2a3b4c5d6e';
    const rules = segmentRulesSchema.parse({
      match: 'any',
      conditions: [
        { field: 'group', op: 'in', value: id.toUpperCase() },
        all({ field: 'custom', name: 'city', op: 'is', value: "O'Hara" }, VIP),
      ],
    }) as SegmentRules;
    expect(groupsOf(rules)).to.deep.equal([id]);
    const values: unknown[] = [];
    const condition = segmentCondition(rules, (value) => `$${values.push(value)}`);
    expect(values).to.deep.equal([id, `{"city":"O'Hara"}`, 'vip']);
    expect(condition)
      .to.match(/^\(EXISTS .* OR \(.* AND .*\)\)$/s)
      .and.not.include('vip');
  });
});
