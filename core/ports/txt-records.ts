/** The DNS did not answer, so it is unknown which records a name has. */
export class DnsUnavailable extends Error {
  override readonly name = 'DnsUnavailable';
}

/** Reads TXT records of the DNS (RFC 1035 §3.3.14). */
export interface TxtRecords {
  /** The texts of all records of the name, each joined to one; none for a name without any. @throws DnsUnavailable */
  read(name: string): Promise<string[]>;
}
