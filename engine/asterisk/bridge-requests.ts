import { AriRefusal, isGone, missingChannel, type AriHttp } from './ari/ari-http.js';

/** Creates a bridge; an existing one is left as it is. */
export async function createBridge(http: AriHttp, bridgeId: string, type: string): Promise<void> {
  try {
    await http.send('POST', `/bridges/${bridgeId}`, { query: { type } });
  } catch (error) {
    if (!isConflict(error)) throw error;
  }
}

/**
 * Destroys a bridge. One that is gone, or being destroyed (409), is ignored. The channels in `keep` are removed first: a
 * destroyed bridge expels its channels in threads of their own, and a channel that is added to another bridge meanwhile
 * may be removed from that one instead (6 of 1,000 on a busy machine with 22.10: the last callback of the old bridge
 * runs into the first of the new one).
 */
export async function destroyBridge(http: AriHttp, bridgeId: string, keep: readonly string[] = []): Promise<void> {
  await Promise.all(keep.map((channel) => removeChannel(http, bridgeId, channel)));
  try {
    await http.send('DELETE', `/bridges/${bridgeId}`);
  } catch (error) {
    if (!isGone(error) && !isConflict(error)) throw error;
  }
}

/** Removes a channel; ignores a bridge that is gone and a channel that is not in it. */
async function removeChannel(http: AriHttp, bridgeId: string, channel: string): Promise<void> {
  try {
    await http.send('POST', `/bridges/${bridgeId}/removeChannel`, { query: { channel } });
  } catch (error) {
    if (!(error instanceof AriRefusal)) throw error;
  }
}

/** With three parties Asterisk mixes by the clock (bridge_softmix), whatever each of them sends. Endless silence (a 0 Hz tone) is one party. */
export async function playSilence(http: AriHttp, bridgeId: string, playbackId: string): Promise<void> {
  try {
    await http.send('POST', `/bridges/${bridgeId}/play`, { body: { media: ['tone:0'], playbackId } });
  } catch (error) {
    throw missingChannel(error);
  }
}

function isConflict(error: unknown): boolean {
  return error instanceof AriRefusal && error.status === 409;
}
