import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { EngineError, type RecordRequest, type Recordings } from '../../core/ports/engine.js';
import { attempt } from './simulator-legs.js';
import type { World } from './world.js';

const SAMPLE_RATE = 8_000;
const TONE_HZ = 440;
const AMPLITUDE = 6_000;
const WAV_HEADER_BYTES = 44;

/** Recordings of the length of what they record. All that is heard in them is a tone. */
export function toneRecordings(world: World): Recordings {
  const finished = (recordingId: string): number => {
    const recording = world.recordings.get(recordingId);
    if (recording?.durationMs == null) throw new EngineError('rejected', `Recording ${recordingId} is not finished`);
    return recording.durationMs;
  };
  return {
    start: (request) => attempt(() => start(world, request)),
    pause: (recordingId) => attempt(() => running(world, recordingId)),
    resume: (recordingId) => attempt(() => running(world, recordingId)),
    stop: (recordingId) => attempt(() => world.stopRecording(recordingId)),
    async collect(recordingId, channels, folder) {
      world.require();
      const wav = toneWav(finished(recordingId));
      const paths = Array.from({ length: channels }, (_, channel) => join(folder, `${recordingId}-${channel}.wav`));
      for (const path of paths) await writeFile(path, wav);
      return paths;
    },
    discard: (recordingId) => attempt(() => void world.recordings.delete(recordingId)),
    finished: () =>
      Promise.resolve([...world.recordings].flatMap(([id, { durationMs }]) => (durationMs === null ? [] : [id]))),
  };
}

function start(world: World, request: RecordRequest): void {
  const { recordingId, maxSeconds } = request;
  const targetId = 'legId' in request ? request.legId : request.bridgeId;
  if ('legId' in request) world.leg(targetId);
  else world.bridge(targetId);
  if (world.recordings.has(recordingId)) return;
  world.recordings.set(recordingId, { targetId, startedMs: world.clock.monotonicMs(), durationMs: null });
  world.clock.after(maxSeconds * 1000, () => world.stopRecording(recordingId));
}

function running(world: World, recordingId: string): void {
  world.require();
  if (world.recordings.get(recordingId)?.durationMs !== null) {
    throw new EngineError('no_such_leg', `No recording ${recordingId} is running`);
  }
}

/** A mono 16-bit wav file. */
function toneWav(durationMs: number): Buffer {
  const samples = Math.round((durationMs * SAMPLE_RATE) / 1000);
  const wav = Buffer.alloc(WAV_HEADER_BYTES + samples * 2);
  wav.write('RIFF', 0, 'ascii');
  wav.writeUInt32LE(wav.length - 8, 4);
  wav.write('WAVEfmt ', 8, 'ascii');
  wav.writeUInt32LE(16, 16);
  wav.writeUInt16LE(1, 20);
  wav.writeUInt16LE(1, 22);
  wav.writeUInt32LE(SAMPLE_RATE, 24);
  wav.writeUInt32LE(SAMPLE_RATE * 2, 28);
  wav.writeUInt16LE(2, 32);
  wav.writeUInt16LE(16, 34);
  wav.write('data', 36, 'ascii');
  wav.writeUInt32LE(samples * 2, 40);
  for (let at = 0; at < samples; at += 1) {
    const level = AMPLITUDE * Math.sin((2 * Math.PI * TONE_HZ * at) / SAMPLE_RATE);
    wav.writeInt16LE(Math.round(level), WAV_HEADER_BYTES + at * 2);
  }
  return wav;
}
