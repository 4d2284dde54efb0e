import { AriRefusal, isGone, missingChannel, type AriHttp } from './ari-http.js';

/** Creating one that is there does nothing. */
export async function createBridge(http: AriHttp, bridgeId: string, type: string): Promise<void> {
  try {
    await http.send('POST', `/bridges/${bridgeId}`, { query: { type } });
  } catch (error) {
    if (!isConflict(error)) throw error;
  }
}

/** One that is gone, or (409) just going, is left alone. */
export async function destroyBridge(http: AriHttp, bridgeId: string): Promise<void> {
  try {
    await http.send('DELETE', `/bridges/${bridgeId}`);
  } catch (error) {
    if (!isGone(error) && !isConflict(error)) throw error;
  }
}

/** Three parties make Asterisk mix by the clock (bridge_softmix), whatever each of them sends: endless silence (a tone of 0 Hz) is one. */
export async function playSilence(http: AriHttp, bridgeId: string, playbackId = silenceOf(bridgeId)): Promise<void> {
  try {
    await http.send('POST', `/bridges/${bridgeId}/play`, { body: { media: ['tone:0'], playbackId } });
  } catch (error) {
    throw missingChannel(error);
  }
}

/** A bridge plays one thing after another: what waits behind the silence gets its turn, and the silence after it. */
export async function letThrough(http: AriHttp, bridgeId: string): Promise<void> {
  try {
    await http.send('DELETE', `/playbacks/${silenceOf(bridgeId)}`);
  } catch (error) {
    if (isGone(error)) return;
    throw error;
  }
  await playSilence(http, bridgeId);
}

function silenceOf(bridgeId: string): string {
  return `mix-${bridgeId}`;
}

function isConflict(error: unknown): boolean {
  return error instanceof AriRefusal && error.status === 409;
}
