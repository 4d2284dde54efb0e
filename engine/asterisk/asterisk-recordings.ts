import { createWriteStream } from 'node:fs';
import { stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { EngineError, type RecordRequest, type Recordings } from '../../core/ports/engine.js';
import type { EngineEvent } from '../../core/ports/engine-events.js';
import { AriRefusal, isGone, missingChannel, type AriHttp } from './ari/ari-http.js';
import { untilReady } from './ari/until-ready.js';
import type { Arrivals } from './arrivals.js';
import { CALL_APP, type AriEvent } from './ari/ari-types.js';
import { createBridge, destroyBridge, playSilence } from './bridge-requests.js';
import type { EngineLink } from './ari/engine-link.js';
import type { LegRegistry } from './leg-registry.js';
import type { Relist } from './relist.js';
import { bridgeHalfOf, isLive, recordingOf, recordingsOf, tapOf } from './tap.js';

/** `in` is what a phone sends, `out` what it receives; a single-channel recording has both. */
const SNOOP_DIRECTIONS = { 1: ['both'], 2: ['in', 'out'] } as const;

/** Until a recording has begun, Asterisk allows nothing but its end (res_stasis_recording.c of 22.10: `queued`). */
const NOT_BEGUN = 409;

interface StoredRecording {
  readonly name: string;
}

/**
 * Records through snoop channels. A snoop channel passes audio only while some flows: if it were recorded directly, all
 * silence would be cut out and the channels would drift apart. So each tap is recorded in a mixing bridge of its own
 * together with endless silence: with three parties Asterisk mixes by the clock (bridge_softmix), and the recording
 * keeps the call's time. For the same reason a pause mutes the recording. Recording survives a restart of the application.
 *
 * To record a bridge, the tap is one half of a Local channel whose other half is in the bridge.
 */
export class AsteriskRecordings implements Recordings {
  /** Recordings whose end is not reported yet. */
  readonly #open = new Set<string>();
  /** Recordings of which only one channel was stopped, because the process that stopped them died in between. */
  readonly #halfStopped = new Set<string>();
  /** The recordings of each bridge. */
  readonly #byBridge = new Map<string, Set<string>>();

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
      const wanted = SNOOP_DIRECTIONS[channels].map((spy, index) => ({ spy, tap: tapOf(recordingId, index + 1) }));
      const live = await Promise.all(wanted.map(({ tap }) => isLive(this.http, tap)));
      const taps = wanted.filter((_, index) => live[index] !== true);
      await Promise.all(
        taps.map(({ spy, tap }) =>
          'legId' in request
            ? this.#openTap(tap, () => this.#snoop(this.registry.channelOf(request.legId), spy, tap))
            : this.#openTap(tap, () => this.#tapBridge(request.bridgeId, recordingId, tap)),
        ),
      );
      // All slow steps are done: recording starts on all channels at the same moment.
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

  /** Sets up a tap's bridge. @param open creates the tap's channel */
  async #openTap(tap: string, open: () => Promise<void>): Promise<void> {
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

  /** Adds one half of a Local channel to the bridge; the other half is the tap. */
  async #tapBridge(bridgeId: string, recordingId: string, tap: string): Promise<void> {
    const ear = bridgeHalfOf(recordingId);
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
    const recordings = this.#byBridge.get(bridgeId) ?? new Set();
    this.#byBridge.set(bridgeId, recordings.add(recordingId));
  }

  /** Ends the recordings of a bridge that is about to be destroyed. */
  async stopBridgeRecordings(bridgeId: string): Promise<void> {
    for (const recordingId of this.#byBridge.get(bridgeId) ?? []) await this.#remove(recordingId);
    this.#byBridge.delete(bridgeId);
  }

  /** Asterisk does not subscribe the application to a snoop channel's bridge, and reports the recording's end only to subscribers. */
  async #subscribe(tap: string): Promise<void> {
    await this.http.send('POST', `/applications/${CALL_APP}/subscription`, { query: { eventSource: `bridge:${tap}` } });
  }

  /**
   * A process may have died after it started one channel and before the other: that channel is then discarded and
   * started again, since it has no counterpart.
   * @throws EngineError `rejected` if the recording has ended already
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
    await this.#forEachTap(recordingId, (tap) => this.#mute('POST', tap));
  }

  async resume(recordingId: string): Promise<void> {
    this.link.require();
    await this.#forEachTap(recordingId, (tap) => this.#mute('DELETE', tap));
  }

  async #mute(method: 'POST' | 'DELETE', tap: string): Promise<void> {
    await untilReady(NOT_BEGUN, () => this.http.send(method, `/recordings/live/${tap}/mute`));
  }

  async stop(recordingId: string): Promise<void> {
    this.link.require();
    await this.#remove(recordingId);
  }

  /** Stops the recordings of all taps at the same moment, then removes the bridges and channels that fed them. */
  async #remove(recordingId: string): Promise<void> {
    await this.#forEachTap(recordingId, (tap) => this.http.send('POST', `/recordings/live/${tap}/stop`), isStopped);
    await this.#forEachTap(recordingId, async (tap) => {
      await destroyBridge(this.http, tap);
      await this.http.send('DELETE', `/channels/${tap}`);
    });
  }

  /** Applies `act` to the recording's taps, one or two; missing ones are skipped. */
  async #forEachTap(
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
      SNOOP_DIRECTIONS[channels].map((_, index) => this.#fetch(tapOf(recordingId, index + 1), folder)),
    );
    // Both channels started at the same moment, so the end of the longer one is cut off.
    if (this.#halfStopped.has(recordingId)) await truncateToShortest(files.filter((file) => file !== null));
    return files;
  }

  async #fetch(tap: string, folder: string): Promise<string | null> {
    if (await isLive(this.http, tap)) {
      throw new EngineError('rejected', `The recording ${tap} is still running`);
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
    await this.#forEachTap(recordingId, (tap) => this.http.send('DELETE', `/recordings/stored/${tap}`));
    this.#halfStopped.delete(recordingId);
  }

  async finished(): Promise<readonly string[]> {
    this.link.require();
    const stored = await this.http.send<readonly StoredRecording[]>('GET', '/recordings/stored');
    return [...new Set(stored.flatMap(({ name }) => recordingOf(name) ?? []))];
  }

  /** When a tap's channel remaining or its recording ended, the whole recording ends. */
  onEvent(event: AriEvent): void {
    const recordingId = recordingOf(event.recording?.name ?? event.channel?.id ?? '');
    if (recordingId === null || !this.#open.delete(recordingId)) return;
    const report = (): void => this.emit({ type: 'recording.finished', recordingId, at: new Date() });
    // If this fails, the next connect removes the rest.
    this.#remove(recordingId).then(report, report);
  }

  /** Runs after a connect: resumes the running recordings and removes the remains of others. */
  async resumeAll({ bridges, recordingIds }: Relist): Promise<void> {
    for (const { id, channels } of bridges) for (const ear of recordingsOf(channels)) this.#note(id, ear);
    const remaining = new Set(bridges.flatMap(({ id }) => recordingOf(id) ?? []));
    for (const recordingId of recordingIds) {
      remaining.delete(recordingId);
      this.#open.add(recordingId);
      await this.#forEachTap(recordingId, (tap) => this.#subscribe(tap), isMissingBridge);
    }
    for (const recordingId of remaining) {
      this.#open.delete(recordingId);
      if (await this.#isHalfStopped(recordingId)) this.#halfStopped.add(recordingId);
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

async function truncateToShortest(files: readonly string[]): Promise<void> {
  const sizes = await Promise.all(files.map(async (file) => (await stat(file)).size));
  const shortest = Math.min(...sizes);
  await Promise.all(files.map((file) => truncate(file, shortest)));
}

/** The recording is gone (404) or ending (409). */
function isStopped(error: unknown): boolean {
  return isGone(error) || isConflict(error);
}

/** A recording of this name exists. */
function isConflict(error: unknown): boolean {
  return error instanceof AriRefusal && error.status === 409;
}

/** A subscription answers 422 for a bridge that does not exist. */
function isMissingBridge(error: unknown): boolean {
  return error instanceof AriRefusal && error.status === 422;
}
