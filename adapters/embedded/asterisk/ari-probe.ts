import { memberOf, stringIn } from '../system/files.js';

export interface AriAddress {
  /** For example `http://127.0.0.1:8088/ari`. */
  readonly url: string;
  readonly user: string;
  readonly password: string;
}

/** Sends one GET to ARI; returns undefined if there is no successful response in time. */
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

/**
 * Returns the version (without Debian's suffix) of the Asterisk at this address, once it accepts our credentials and is
 * ready for calls.
 */
export async function readyVersion(address: AriAddress): Promise<string | undefined> {
  const info = await ariGet(address, '/asterisk/info?only=system');
  return stringIn(memberOf(info, 'system'), 'version')?.split('+')[0];
}

/** Returns the number of live channels; undefined if Asterisk does not answer. */
export async function liveChannels(address: AriAddress): Promise<number | undefined> {
  const channels = await ariGet(address, '/channels', 5_000);
  return Array.isArray(channels) ? channels.length : undefined;
}
