import { createHash } from 'node:crypto';

/**
 * A set of texts in few bits (Bloom, 1970): it knows every text that was added, and takes a few others for one of them.
 * As bytes: the number of bits set by one text, then the bits.
 */
export class BloomFilter {
  private constructor(readonly bytes: Buffer) {}

  /** @param falsePositives the share of other texts that the set takes for one of its own, between 0 and 1 */
  static of(texts: ReadonlySet<string>, falsePositives: number): BloomFilter {
    const bitsPerText = -Math.log2(falsePositives) / Math.LN2;
    const filter = new BloomFilter(Buffer.alloc(1 + Math.ceil((texts.size * bitsPerText) / 8)));
    filter.bytes.writeUInt8(Math.round(bitsPerText * Math.LN2), 0);
    for (const text of texts) filter.#add(text);
    return filter;
  }

  static read(bytes: Buffer): BloomFilter {
    return new BloomFilter(bytes);
  }

  has(text: string): boolean {
    return this.#placesOf(text).every(({ byte, bit }) => (this.bytes.readUInt8(byte) & bit) !== 0);
  }

  #add(text: string): void {
    for (const { byte, bit } of this.#placesOf(text)) this.bytes.writeUInt8(this.bytes.readUInt8(byte) | bit, byte);
  }

  /** Two hashes give as many independent places as wanted (Kirsch and Mitzenmacher, 2006). */
  #placesOf(text: string): { readonly byte: number; readonly bit: number }[] {
    const digest = createHash('sha256').update(text, 'utf8').digest();
    const first = digest.readUIntBE(0, 6);
    const step = digest.readUIntBE(6, 6);
    const size = (this.bytes.length - 1) * 8;
    return Array.from({ length: this.bytes.readUInt8(0) }, (_, index) => {
      const place = (first + index * step) % size;
      return { byte: 1 + Math.floor(place / 8), bit: 1 << (place % 8) };
    });
  }
}
