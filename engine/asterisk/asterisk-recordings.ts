import { createWriteStream } from 'node:fs';
import { stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { EngineError, type EngineEvent, type RecordRequest, type Recordings } from '../../core/ports/engine.js';
import { AriRefusal, isGone, missingChannel, type AriHttp } from './ari/ari-http.js';
import type { Arrivals } from './arrivals.js';
import { CALL_APP, type AriEvent } from './ari/ari-types.js';
import { createBridge, destroyBridge, playSilence } from './bridge-requests.js';
import type { EngineLink } from './ari/engine-link.js';
import type { LegRegistry } from './leg-registry.js';
import type { Relist } from './relist.js';
import { earOf, isLive, recordingOf, recordingsOf, tapOf } from './tap.js';

/** What a phone says, what it hears; a recording in one channel has both. */
const SPIES = { 1: ['both'], 2: ['in', 'out'] } as const;

interface StoredRecording {
  readonly name: string;
}

/**
 * Recordings by snoop channels. A snooped leg gives audio only while some flows: recorded as it comes, every moment in which nobody sends
 * anything would be cut out, and the channels would drift apart. So each tap is recorded in a mixing bridge of its own together with
 * endless silence: three parties make Asterisk mix by the clock (bridge_softmix), and the recording keeps the call's time. A pause mutes
 * the recording for the same reason. Nothing here needs the application to be alive.
 *
 * Of a bridge the tap is one half of a Local channel, whose other half (the ear) is in the bridge.
 */
export class AsteriskRecordings implements Recordings {
  /** Recordings of which an end is yet to be told. */
  readonly #open = new Set<string>();
  /** Of which one channel was stopped before the other: the process that stopped them died in between. */
  readonly #apart = new Set<string>();
  /** By the bridge. */
  readonly #ofBridge = new Map<string, Set<string>>();

  constructor(
    private readonly http: AriHttp,
    private readonly link: EngineLink,
    private readonly registry: LegRegistry,
    private readonly arrivals: Arrivals,
    private readonly emit: (event: EngineEvent) => void,
  ) {}

  async start(request: RecordRequest): Promise<void> {
    this.link.require();
    const { recordingId, channels, maxSeconds } = request;
    this.#open.add(recordingId);
    try {
      const wanted = SPIES[channels].map((spy, index) => ({ spy, tap: tapOf(recordingId, index + 1) }));
      const live = await Promise.all(wanted.map(({ tap }) => isLive(this.http, tap)));
      const taps = wanted.filter((_, index) => live[index] !== true);
      await Promise.all(
        taps.map(({ spy, tap }) =>
          'legId' in request
            ? this.#listen(tap, () => this.#snoop(this.registry.channelOf(request.legId), spy, tap))
            : this.#listen(tap, () => this.#attend(request.bridgeId, recordingId, tap)),
        ),
      );
      // All that takes time is done: what is left begins on all channels at the same moment.
      await this.#recordAll(
        taps.map(({ tap }) => tap),
        maxSeconds,
      );
    } catch (error) {
      this.#open.delete(recordingId);
      await this.#remove(recordingId).catch(() => undefined);
      throw missingChannel(error);
    }
  }

  /** @param open makes the tap's channel */
  async #listen(tap: string, open: () => Promise<void>): Promise<void> {
    await createBridge(this.http, tap, 'mixing');
    await this.#subscribe(tap);
    await open();
    await this.http.send('POST', `/bridges/${tap}/addChannel`, { query: { channel: tap } });
    await playSilence(this.http, tap, tap);
  }

  async #snoop(channelId: string, spy: string, tap: string): Promise<void> {
    const query = { spy, app: CALL_APP, appArgs: 'tap' };
    await this.#arrive(tap, () => this.http.send('POST', `/channels/${channelId}/snoop/${tap}`, { query }));
  }

  /** Brings an ear into the bridge, whose other half is the tap. */
  async #attend(bridgeId: string, recordingId: string, tap: string): Promise<void> {
    const ear = earOf(recordingId);
    const local = { endpoint: 'Local/s@hatif-tap/n', app: CALL_APP, appArgs: 'tap' };
    const body = { ...local, channelId: tap, otherChannelId: ear };
    await this.#arrive(tap, () => this.http.send('POST', '/channels/create', { body }));
    await this.#arrive(ear, () => this.http.send('POST', `/channels/${tap}/dial`));
    await this.http.send('POST', `/bridges/${bridgeId}/addChannel`, { query: { channel: ear, absorbDTMF: 'true' } });
    this.#note(bridgeId, recordingId);
  }

  async #arrive(channelId: string, begin: () => Promise<unknown>): Promise<void> {
    const arrival = this.arrivals.expect(channelId);
    try {
      await begin();
      await arrival.arrived;
    } catch (error) {
      arrival.forget();
      throw error;
    }
  }

  #note(bridgeId: string, recordingId: string): void {
    const recordings = this.#ofBridge.get(bridgeId) ?? new Set();
    this.#ofBridge.set(bridgeId, recordings.add(recordingId));
  }

  /** The bridge is about to be destroyed: what is recorded of it ends. */
  async bridgeEnds(bridgeId: string): Promise<void> {
    for (const recordingId of this.#ofBridge.get(bridgeId) ?? []) await this.#remove(recordingId);
    this.#ofBridge.delete(bridgeId);
  }

  /** A snoop channel's bridge is not followed by itself, and the recording's end is told to who follows the bridge. */
  async #subscribe(tap: string): Promise<void> {
    await this.http.send('POST', `/applications/${CALL_APP}/subscription`, { query: { eventSource: `bridge:${tap}` } });
  }

  /**
   * A process may have died between one channel and the other: what there is of the one is given up, since nothing stands beside it.
   * @throws EngineError `rejected` when the recording has ended already.
   */
  async #recordAll(taps: readonly string[], maxSeconds: number): Promise<void> {
    const outcomes = await Promise.allSettled(taps.map((tap) => this.#record(tap, maxSeconds)));
    const refusals = outcomes.flatMap((outcome, index) =>
      outcome.status === 'rejected' ? [{ tap: taps[index] ?? '', reason: outcome.reason as unknown }] : [],
    );
    const [first] = refusals;
    if (!first) return;
    const isHalf = refusals.length < taps.length && refusals.every(({ reason }) => isConflict(reason));
    if (!isHalf) throw first.reason;
    for (const { tap } of refusals) {
      await this.http.send('DELETE', `/recordings/stored/${tap}`);
      await this.#record(tap, maxSeconds);
    }
  }

  async #record(tap: string, maxSeconds: number): Promise<void> {
    await this.http.send('POST', `/bridges/${tap}/record`, {
      query: { name: tap, format: 'wav', maxDurationSeconds: String(maxSeconds), ifExists: 'fail' },
    });
  }

  async pause(recordingId: string): Promise<void> {
    this.link.require();
    await this.#each(recordingId, (tap) => this.http.send('POST', `/recordings/live/${tap}/mute`));
  }

  async resume(recordingId: string): Promise<void> {
    this.link.require();
    await this.#each(recordingId, (tap) => this.http.send('DELETE', `/recordings/live/${tap}/mute`));
  }

  async stop(recordingId: string): Promise<void> {
    this.link.require();
    await this.#remove(recordingId);
  }

  /** First the recordings, all at the same moment, then what fed them. */
  async #remove(recordingId: string): Promise<void> {
    await this.#each(recordingId, (tap) => this.http.send('POST', `/recordings/live/${tap}/stop`), isOver);
    await this.#each(recordingId, async (tap) => {
      await destroyBridge(this.http, tap);
      await this.http.send('DELETE', `/channels/${tap}`);
    });
  }

  /** A recording has one tap or two; what is not there is left alone. */
  async #each(
    recordingId: string,
    act: (tap: string) => Promise<unknown>,
    isMissing: (error: unknown) => boolean = isGone,
  ): Promise<void> {
    await Promise.all(
      [1, 2].map(async (channel) => {
        try {
          await act(tapOf(recordingId, channel));
        } catch (error) {
          if (!isMissing(error)) throw error;
        }
      }),
    );
  }

  async collect(recordingId: string, channels: 1 | 2, folder: string): Promise<readonly (string | null)[]> {
    this.link.require();
    const files = await Promise.all(
      SPIES[channels].map((_, index) => this.#fetch(tapOf(recordingId, index + 1), folder)),
    );
    // Both began in the same moment: what the one has behind the other's end goes.
    if (this.#apart.has(recordingId)) await cutToShortest(files.filter((file) => file !== null));
    return files;
  }

  async #fetch(tap: string, folder: string): Promise<string | null> {
    if (await isLive(this.http, tap)) {
      throw new EngineError('rejected', `The recording ${tap} still runs`);
    }
    const file = join(folder, `${tap}.wav`);
    try {
      await this.http.download(`/recordings/stored/${tap}/file`, () => createWriteStream(file));
      return file;
    } catch (error) {
      if (isGone(error)) return null;
      throw error;
    }
  }

  async discard(recordingId: string): Promise<void> {
    this.link.require();
    await this.#each(recordingId, (tap) => this.http.send('DELETE', `/recordings/stored/${tap}`));
    this.#apart.delete(recordingId);
  }

  async finished(): Promise<readonly string[]> {
    this.link.require();
    const stored = await this.http.send<readonly StoredRecording[]>('GET', '/recordings/stored');
    return [...new Set(stored.flatMap(({ name }) => recordingOf(name) ?? []))];
  }

  /** A tap's channel left, or its recording ended: with it ends the whole recording. */
  onEvent(event: AriEvent): void {
    const recordingId = recordingOf(event.recording?.name ?? event.channel?.id ?? '');
    if (recordingId === null || !this.#open.delete(recordingId)) return;
    const tell = (): void => this.emit({ type: 'recording.finished', recordingId, at: new Date() });
    // What is left behind is taken apart at the next connect.
    this.#remove(recordingId).then(tell, tell);
  }

  /** After a connect: takes up the recordings that run, and takes apart what is left of others. */
  async resumeAll({ bridges, recordingIds }: Relist): Promise<void> {
    for (const { id, channels } of bridges) for (const ear of recordingsOf(channels)) this.#note(id, ear);
    const left = new Set(bridges.flatMap(({ id }) => recordingOf(id) ?? []));
    for (const recordingId of recordingIds) {
      left.delete(recordingId);
      this.#open.add(recordingId);
      await this.#each(recordingId, (tap) => this.#subscribe(tap), isNoTap);
    }
    for (const recordingId of left) {
      this.#open.delete(recordingId);
      if (await this.#isHalfStopped(recordingId)) this.#apart.add(recordingId);
      await this.#remove(recordingId);
    }
  }

  async #isHalfStopped(recordingId: string): Promise<boolean> {
    const taps = [tapOf(recordingId, 1), tapOf(recordingId, 2)];
    const live = await Promise.all(taps.map((tap) => isLive(this.http, tap)));
    const stored = await Promise.all(taps.map((tap) => isStored(this.http, tap)));
    return live.includes(true) && live.every((isRunning, index) => isRunning || stored[index] === true);
  }
}

async function isStored(http: AriHttp, name: string): Promise<boolean> {
  try {
    await http.send('GET', `/recordings/stored/${name}`);
    return true;
  } catch (error) {
    if (isGone(error)) return false;
    throw error;
  }
}

async function cutToShortest(files: readonly string[]): Promise<void> {
  const sizes = await Promise.all(files.map(async (file) => (await stat(file)).size));
  const shortest = Math.min(...sizes);
  await Promise.all(files.map((file) => truncate(file, shortest)));
}

/** Not there any more, or (409) just at its end. */
function isOver(error: unknown): boolean {
  return isGone(error) || isConflict(error);
}

/** There is a recording of this name. */
function isConflict(error: unknown): boolean {
  return error instanceof AriRefusal && error.status === 409;
}

/** A subscription answers 422 for a bridge that is not there. */
function isNoTap(error: unknown): boolean {
  return error instanceof AriRefusal && error.status === 422;
}
