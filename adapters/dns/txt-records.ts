import { Resolver } from 'node:dns/promises';
import { DnsUnavailable, type TxtRecords } from '../../core/ports/txt-records.js';

const TIMEOUT_MS = 3_000;
const TRIES = 2;
/** The name does not exist, or has no record of this type. */
const NOTHING = new Set(['ENODATA', 'ENOTFOUND']);

/** Reads TXT records from the name servers of this machine, without its cache. */
export class DnsTxtRecords implements TxtRecords {
  /** @param servers in place of those of this machine: `address` or `address:port` */
  constructor(private readonly servers: readonly string[] = []) {}

  async read(name: string): Promise<string[]> {
    const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: TRIES });
    if (this.servers.length > 0) resolver.setServers(this.servers);
    try {
      const records = await resolver.resolveTxt(name);
      return records.map((parts) => parts.join(''));
    } catch (error) {
      if (error instanceof Error && 'code' in error && NOTHING.has(String(error.code))) return [];
      throw new DnsUnavailable(`the name servers did not answer for ${name}`, { cause: error });
    }
  }
}
