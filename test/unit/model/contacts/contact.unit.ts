import { expect } from 'chai';
import { displayName } from '../../../../core/model/contacts/contact.js';
import { customFieldsSchema, mergeCustomFields } from '../../../../core/model/contacts/custom-fields.js';

const NOBODY = { phone: null, email: null, name_en: null, name_ar: null, language: 'ar' } as const;

describe('a contact', () => {
  it('is named in its language, or in the other one, or by how it is reached', () => {
    const both = { ...NOBODY, phone: '+966501234567', name_en: 'Reem', name_ar: 'ريم' };
    expect(displayName(both)).to.equal('ريم');
    expect(displayName({ ...both, language: 'en' })).to.equal('Reem');
    expect(displayName({ ...both, name_ar: null })).to.equal('Reem');
    expect(displayName({ ...both, name_ar: null, name_en: null })).to.equal('+966501234567');
    expect(displayName({ ...NOBODY, email: 'reem@example.com' })).to.equal('reem@example.com');
  });

  it('has fields whose values are texts, numbers and booleans', () => {
    const fields = { city: 'الرياض', orders: 3, vip: true, constructor: 'x' };
    expect(customFieldsSchema.parse(fields)).to.deep.equal(fields);
    for (const wrong of [{ City: 'x' }, { '1st': 'x' }, { a: null }, { a: {} }, { a: [1] }, { a: 'x'.repeat(513) }])
      expect(customFieldsSchema.safeParse(wrong).success, JSON.stringify(wrong)).to.equal(false);
    const many = Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`f${index}`, index]));
    expect(customFieldsSchema.safeParse(many).success).to.equal(false);
  });

  it('keeps the fields that a change does not name', () => {
    expect(mergeCustomFields({ a: 1, b: 'x', c: true }, { b: null, c: false, d: 2 })).to.deep.equal({
      a: 1,
      c: false,
      d: 2,
    });
  });
});
