import { stat } from 'node:fs/promises';
import { EngineError, type Media, type MediaItem, type PlayRequest } from '../../core/ports/engine.js';
import type { SimulatedPlayback, World } from './world.js';

const BEEP_MS = 250;
const WAV_HEADER_BYTES = 44;
/** 8 kHz, mono, 16 bits. */
const BYTES_PER_MS = 16;

/** Plays nothing, but takes as long as the audio lasts. Each leg or bridge plays one playback at a time. */
export class SimulatorMedia implements Media {
  constructor(private readonly world: World) {}

  async play(request: PlayRequest): Promise<void> {
    const { target, playbackId } = request;
    const targetId = 'legId' in target ? target.legId : target.bridgeId;
    this.#check(request);
    if (request.items.length === 0) throw new EngineError('rejected', 'The playback has no items');
    const once = await Promise.all(request.items.map(lengthOf));
    // The target may have ended while the files were read.
    this.#check(request);
    const endless = once.some((length) => length === 'endless');
    const missing = once.every((length) => length === 'missing');
    const onceMs = once.reduce<number>((sum, length) => sum + (typeof length === 'number' ? length : 0), 0);
    const playback = { playbackId, durationMs: endless ? null : onceMs * (request.loop ?? 1), fails: missing };
    const queue = this.world.queues.get(targetId);
    if (queue) queue.push(playback);
    else {
      this.world.queues.set(targetId, [playback]);
      startNext(this.world, targetId);
    }
  }

  #check({ target }: PlayRequest): void {
    if ('legId' in target) this.world.leg(target.legId);
    else this.world.bridge(target.bridgeId);
  }

  stop(playbackId: string): Promise<void> {
    return new Promise((resolve) => {
      this.world.require();
      for (const [targetId, queue] of this.world.queues) {
        const playback = queue.find((other) => other.playbackId === playbackId);
        if (playback) finish(this.world, targetId, playback, 'stopped');
      }
      resolve();
    });
  }
}

/** Asterisk also needs this before it moves a leg: a channel cannot be moved while something plays on it. */
export function stopQueue(world: World, targetId: string): void {
  for (const playback of [...(world.queues.get(targetId) ?? [])]) finish(world, targetId, playback, 'stopped');
}

function startNext(world: World, targetId: string): void {
  const playback = world.queues.get(targetId)?.[0];
  if (!playback) {
    world.queues.delete(targetId);
    return;
  }
  world.emitLegEvent(targetId, { type: 'play.started', playbackId: playback.playbackId });
  if (playback.durationMs === null) return;
  world.clock.after(playback.durationMs, () => {
    finish(world, targetId, playback, playback.fails ? 'failed' : 'completed');
  });
}

function finish(
  world: World,
  targetId: string,
  playback: SimulatedPlayback,
  outcome: 'completed' | 'stopped' | 'failed',
): void {
  const queue = world.queues.get(targetId);
  const at = queue?.indexOf(playback) ?? -1;
  if (!queue || at === -1) return;
  queue.splice(at, 1);
  world.emitLegEvent(targetId, { type: 'play.finished', playbackId: playback.playbackId, outcome });
  if (at === 0) startNext(world, targetId);
}

async function lengthOf(item: MediaItem): Promise<number | 'endless' | 'missing'> {
  switch (item.type) {
    case 'silence':
      return item.durationMs;
    case 'tone':
      return item.tone === 'beep' ? BEEP_MS : 'endless';
    case 'recording':
      // The simulator records nothing.
      return 'missing';
    case 'file': {
      const file = await stat(`${item.path}.wav`).catch(() => null);
      return file === null ? 'missing' : Math.max(0, file.size - WAV_HEADER_BYTES) / BYTES_PER_MS;
    }
  }
}
