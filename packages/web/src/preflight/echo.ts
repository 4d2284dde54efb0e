import type { Call } from '../calls/call.js';
import { ownError } from '../errors/error.js';

const TONE_HZ = 1_020;
const TOLERANCE_HZ = 30;
/** An echo service may greet first. */
const ECHO_MS = 45_000;
const LOOK_MS = 50;
const LOUD_DB = -60;
/** The tone must be there in this many of the last looks: a busy computer loses some. */
const CERTAIN = 4;
const LAST = 10;

/**
 * Calls an echo service with a tone, and waits until it comes back.
 * @returns how long it took
 * @throws HatifError UNREACHABLE
 */
export async function hearEcho(connect: (stream: MediaStream) => Promise<Call>): Promise<string> {
  const context = new AudioContext();
  try {
    await context.resume();
    const call = await connect(toneIn(context));
    try {
      await connected(call);
      const beganMs = performance.now();
      await toneReturns(call, context);
      return `${Math.round(performance.now() - beganMs)} ms`;
    } finally {
      call.hangup();
    }
  } finally {
    await context.close();
  }
}

function toneIn(context: AudioContext): MediaStream {
  const [oscillator, out] = [context.createOscillator(), context.createMediaStreamDestination()];
  oscillator.frequency.value = TONE_HZ;
  oscillator.connect(out);
  oscillator.start();
  return out.stream;
}

function connected(call: Call): Promise<void> {
  if (call.state === 'connected') return Promise.resolve();
  return new Promise((resolve, reject) => {
    call.once('connected', resolve);
    call.once('disconnected', (cause) => reject(ownError('UNREACHABLE', cause)));
  });
}

function toneReturns(call: Call, context: AudioContext): Promise<void> {
  const stream = call.remoteStream;
  if (!stream) return Promise.reject(ownError('UNREACHABLE'));
  const analyser = context.createAnalyser();
  analyser.fftSize = 4_096;
  context.createMediaStreamSource(stream).connect(analyser);
  const bins = new Float32Array(analyser.frequencyBinCount);
  const isThere = (): boolean => {
    analyser.getFloatFrequencyData(bins);
    const loudest = bins.reduce((best, level, at) => (level > (bins[best] ?? -Infinity) ? at : best), 0);
    const hz = (loudest * context.sampleRate) / analyser.fftSize;
    return (bins[loudest] ?? -Infinity) > LOUD_DB && Math.abs(hz - TONE_HZ) < TOLERANCE_HZ;
  };
  return new Promise((resolve, reject) => {
    const looks: boolean[] = [];
    const end = (settle: () => void): void => {
      clearInterval(look);
      clearTimeout(timeout);
      off();
      settle();
    };
    const look = setInterval(() => {
      looks.push(isThere());
      if (looks.slice(-LAST).filter(Boolean).length >= CERTAIN) end(resolve);
    }, LOOK_MS);
    const timeout = setTimeout(() => end(() => reject(ownError('UNREACHABLE'))), ECHO_MS);
    const off = call.once('disconnected', (cause) => end(() => reject(ownError('UNREACHABLE', cause))));
  });
}
