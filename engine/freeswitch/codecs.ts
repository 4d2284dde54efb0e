const NAMES: Readonly<Record<string, string>> = { alaw: 'PCMA', ulaw: 'PCMU', opus: 'OPUS', g722: 'G722' };

/** FreeSWITCH's names of codecs, from Hatif's. Codecs that it does not have are left out. */
export function codecNames(names: readonly string[]): readonly string[] {
  return names.flatMap((name) => NAMES[name] ?? []);
}
