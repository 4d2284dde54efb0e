import { expect } from 'chai';
import { metadataSchema } from '../../../core/model/metadata.js';

const accepts = (value: unknown): boolean => metadataSchema.safeParse(value).success;
const keys = (count: number): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`key${index}`, 'value']));

describe('metadata', () => {
  it('accepts up to 20 keys of 1 to 64 characters with values of up to 512', () => {
    expect(accepts({})).to.equal(true);
    expect(accepts(keys(20))).to.equal(true);
    expect(accepts(keys(21))).to.equal(false);
    expect(accepts({ ['k'.repeat(64)]: 'v'.repeat(512) })).to.equal(true);
    expect(accepts({ ['k'.repeat(65)]: '' })).to.equal(false);
    expect(accepts({ k: 'v'.repeat(513) })).to.equal(false);
    expect(accepts({ '': 'v' })).to.equal(false);
    expect(accepts({ order: '' })).to.equal(true);
    expect(accepts({ العميل: 'محمد 👋' })).to.equal(true);
  });

  it('accepts only strings in a plain object', () => {
    for (const value of [null, [], ['a'], 'text', 7, { k: 1 }, { k: null }, { k: { deep: 'no' } }, { k: ['v'] }])
      expect(accepts(value), JSON.stringify(value)).to.equal(false);
  });

  it('refuses what the database cannot store', () => {
    expect(accepts({ k: 'a\0b' })).to.equal(false);
    expect(accepts({ 'a\0b': 'v' })).to.equal(false);
    expect(accepts({ k: '\ud83d' })).to.equal(false);
  });

  it('returns the parsed value', () => {
    expect(metadataSchema.parse({ order_id: '42' })).to.deep.equal({ order_id: '42' });
  });
});
