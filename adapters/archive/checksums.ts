/** The last member, with the checksums of all others. If it is missing, the archive was truncated. */
export const CHECKSUMS = 'checksums.json';

export interface Checksums {
  readonly members: Readonly<Record<string, { readonly bytes: number; readonly sha256: string }>>;
}

/** The file is not an archive, is truncated, or has altered content. */
export class ArchiveError extends Error {
  override readonly name = 'ArchiveError';
}
