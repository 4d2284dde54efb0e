/** The last member: what stands in the others. An archive without it was cut off. */
export const CHECKSUMS = 'checksums.json';

export interface Checksums {
  readonly members: Readonly<Record<string, { readonly bytes: number; readonly sha256: string }>>;
}

/** The archive is none, is cut off, or holds something else than was put into it. */
export class ArchiveError extends Error {
  override readonly name = 'ArchiveError';
}
