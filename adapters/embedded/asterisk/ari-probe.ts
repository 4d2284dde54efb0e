import { memberOf, stringIn } from '../system/files.js';

export interface AriAddress {
  /** For example `http://127.0.0.1:8088/ari`. */
  readonly url: string;
  readonly user: string;
  readonly password: string;
}

/** One GET to ARI; undefined when nobody answers in time or the answer is not a success. */
export async function ariGet(address: AriAddress, path: string, timeoutMs = 2_000): Promise<unknown> {
  const authorization = `Basic ${Buffer.from(`${address.user}:${address.password}`).toString('base64')}`;
  try {
    const response = await fetch(`${address.url}${path}`, {
      headers: { authorization },
      signal: AbortSignal.timeout(timeoutMs),
    });
    if (!response.ok) return undefined;
    return await response.json();
  } catch {
    return undefined;
  }
}

/** The version (without Debian's suffix) of the Asterisk that answers there with our credentials and is ready for calls. */
export async function readyVersion(address: AriAddress): Promise<string | undefined> {
  const info = await ariGet(address, '/asterisk/info?only=system');
  return stringIn(memberOf(info, 'system'), 'version')?.split('+')[0];
}

/** How many channels live there; undefined when it does not answer. */
export async function liveChannels(address: AriAddress): Promise<number | undefined> {
  const channels = await ariGet(address, '/channels', 5_000);
  return Array.isArray(channels) ? channels.length : undefined;
}
