import type { Page } from 'playwright-core';
import { eventually } from '../eventually.js';

/** Listens to what any page gets over WebRTC. It runs in the browser, before the page's own scripts, so it is text here. */
const EARS = `
window.ears = { tracks: [], connections: [], context: null, analysers: new Map() };
window.RTCPeerConnection = class extends RTCPeerConnection {
  constructor(...options) {
    super(...options);
    ears.connections.push(this);
    this.addEventListener('track', ({ track }) => ears.tracks.push(track));
  }
};
ears.loudest = () => {
  ears.context ??= new AudioContext();
  let best = { level: -60, hz: 0 };
  for (const track of ears.tracks.filter(({ readyState }) => readyState === 'live')) {
    let analyser = ears.analysers.get(track);
    if (!analyser) {
      analyser = ears.context.createAnalyser();
      analyser.fftSize = 8192;
      ears.context.createMediaStreamSource(new MediaStream([track])).connect(analyser);
      ears.analysers.set(track, analyser);
    }
    const bins = new Float32Array(analyser.frequencyBinCount);
    analyser.getFloatFrequencyData(bins);
    const at = bins.indexOf(Math.max(...bins));
    if (bins[at] > best.level) best = { level: bins[at], hz: (at * ears.context.sampleRate) / analyser.fftSize };
  }
  return best.hz;
};`;

/** For pages that are opened from now on. */
export async function giveEars(page: Page): Promise<void> {
  await page.addInitScript({ content: EARS });
}

/** Resolves when the loudest tone that the page gets is this one. A strict page allows no function that waits in it. */
export async function untilPageHears(page: Page, hz: number): Promise<void> {
  let heard = '';
  await eventually(
    async () => {
      heard = await page.evaluate<string>(REPORT);
      return Math.abs(Number.parseFloat(heard) - hz) < 15;
    },
    () => `the page hears ${hz} Hz: ${heard}`,
    30_000,
  );
}

/** The loudest tone, and what the connections got and sent. */
const REPORT = `(async () => {
  const all = [ears.loudest() + ' Hz'];
  for (const one of ears.connections) {
    const stats = [...(await one.getStats()).values()];
    const of = (type, member) => stats.filter((stat) => stat.type === type).map((stat) => stat[member]).join();
    const [got, sent] = [of('inbound-rtp', 'packetsReceived'), of('outbound-rtp', 'packetsSent')];
    all.push([one.connectionState, one.iceConnectionState, 'got', got, 'sent', sent].join(' '));
  }
  return all.join('; ');
})()`;
