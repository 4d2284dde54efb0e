import { expect } from 'chai';
import { BloomFilter } from '../../../adapters/passwords/bloom-filter.js';
import { isLeaked } from '../../../adapters/passwords/leaked-passwords.js';

describe('a Bloom filter', () => {
  const texts = new Set(Array.from({ length: 2000 }, (_, index) => `text ${index}`));
  const filter = BloomFilter.of(texts, 0.01);

  it('knows every text that was added, also after it was stored', () => {
    const read = BloomFilter.read(Buffer.from(filter.bytes));
    for (const text of texts) expect(read.has(text), text).to.equal(true);
  });

  it('takes about as many others for one of them as was asked for', () => {
    const taken = Array.from({ length: 20_000 }, (_, index) => filter.has(`other ${index}`)).filter(Boolean).length;
    expect(taken / 20_000).to.be.within(0.002, 0.02);
  });

  it('needs ten bits a text for one in a hundred', () => {
    expect(filter.bytes.length).to.be.within(2390, 2402);
  });
});

describe('the list of leaked passwords', () => {
  for (const leaked of ['1234567890', 'commoncommon', 'masha_love', 'Computer10', '1q2w3e4r5t']) {
    it(`contains ${leaked}`, () => expect(isLeaked(leaked)).to.equal(true));
  }

  it('contains no password of random words', () => {
    for (const other of ['seven lanterns beside the quay', 'ثلاث نخلات وراء الجسر القديم', 'x7Kq!pR2vZ']) {
      expect(isLeaked(other), other).to.equal(false);
    }
  });
});
