import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Reader, Response } from 'mmdb-lib';
import type { Countries } from '../../core/ports/sip/countries.js';

const PACKAGE_FILE = '@ip-location-db/geo-whois-asn-country-mmdb/geo-whois-asn-country.mmdb';

/** A record of the package's data, or of GeoLite2 Country and the like. */
interface CountryRecord {
  readonly country_code?: string;
  readonly country?: { readonly iso_code?: string };
}

/**
 * Countries by a file in MaxMind's format.
 * @param file the data to use in place of the package's
 */
export function ipCountries(file?: string): Countries {
  let reading: Promise<void> | null = null;
  let reader: Reader<Response> | null = null;
  const read = async (): Promise<void> => {
    const path = file ?? createRequire(import.meta.url).resolve(PACKAGE_FILE);
    const [{ Reader: MmdbReader }, data] = await Promise.all([import('mmdb-lib'), readFile(path)]);
    reader = new MmdbReader<Response>(data);
  };
  return {
    load() {
      reading ??= read().catch((error: unknown) => {
        reading = null;
        throw error;
      });
      return reading;
    },
    of(address) {
      try {
        const found = reader?.get(address) as CountryRecord | null | undefined;
        return found?.country_code ?? found?.country?.iso_code ?? null;
      } catch {
        // No address.
        return null;
      }
    },
  };
}
