import { AriRefusal, isGone, missingChannel, type AriHttp } from './ari/ari-http.js';

/** Creating one that is there does nothing. */
export async function createBridge(http: AriHttp, bridgeId: string, type: string): Promise<void> {
  try {
    await http.send('POST', `/bridges/${bridgeId}`, { query: { type } });
  } catch (error) {
    if (!isConflict(error)) throw error;
  }
}

/**
 * One that is gone, or (409) just going, is left alone. Channels that go on leave it before: a bridge that goes puts them out in threads of
 * their own, and one that is added to another bridge meanwhile may be taken out of that one instead (6 of 1,000 on a busy machine with 22.10: the
 * last callback of the old bridge runs into the first of the new one).
 */
export async function destroyBridge(http: AriHttp, bridgeId: string, goOn: readonly string[] = []): Promise<void> {
  await Promise.all(goOn.map((channel) => takeOut(http, bridgeId, channel)));
  try {
    await http.send('DELETE', `/bridges/${bridgeId}`);
  } catch (error) {
    if (!isGone(error) && !isConflict(error)) throw error;
  }
}

/** One that is gone, or is not in the bridge, is left alone. */
async function takeOut(http: AriHttp, bridgeId: string, channel: string): Promise<void> {
  try {
    await http.send('POST', `/bridges/${bridgeId}/removeChannel`, { query: { channel } });
  } catch (error) {
    if (!(error instanceof AriRefusal)) throw error;
  }
}

/** Three parties make Asterisk mix by the clock (bridge_softmix), whatever each of them sends: endless silence (a tone of 0 Hz) is one. */
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
