const NAMES: Readonly<Record<string, string>> = { alaw: 'PCMA', ulaw: 'PCMU', opus: 'OPUS', g722: 'G722' };

/** What browsers can (RFC 7874), the preferred one first. */
const OF_BROWSERS = ['OPUS', 'PCMU', 'PCMA'];

/** Browsers send RTCP at the port of RTP only (RFC 8829); telephones do not here. */
export const BROWSER_MEDIA = { rtcp_mux: 'true' } as const;

/** Of FreeSWITCH's codecs, those for a browser. */
export function browserCodecs(codecs: readonly string[]): readonly string[] {
  const usable = OF_BROWSERS.filter((name) => codecs.includes(name));
  return usable.length === 0 ? ['PCMU'] : usable;
}

/** FreeSWITCH's names of codecs, from Hatif's. Codecs that it does not have are left out. */
export function codecNames(names: readonly string[]): readonly string[] {
  return names.flatMap((name) => NAMES[name] ?? []);
}
