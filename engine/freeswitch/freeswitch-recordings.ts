import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isId } from '../../core/model/ids.js';
import { EngineError, type RecordRequest, type Recordings } from '../../core/ports/engine.js';
import type { EngineEvent } from '../../core/ports/engine-events.js';
import type { EslEvent } from './esl/esl-connection.js';
import type { EslLink } from './esl/esl-link.js';
import { bridgeMark } from './bridge-mark.js';
import { isMissing } from './freeswitch-legs.js';
import type { AwaitedEvents } from './awaited-events.js';
import type { LegRegistry } from './leg-registry.js';
import { joinMuted } from './leg-locations.js';
import { recordingFile, recordingOf } from './recorded/recording-file.js';
import { splitWav } from './recorded/split-wav.js';

/** The id prefix of the helper channel that records a bridge. */
const RECORDER_PREFIX = 'rec-';

/**
 * FreeSWITCH writes both channels of a recording to one file, so that they stay in sync. A pause masks the recording:
 * silence is written. FreeSWITCH would end a conference recording when the last leg leaves. To avoid that, a muted helper
 * channel joins the bridge, and that channel is recorded.
 */
export class FreeswitchRecordings implements Recordings {
  /** The recorded channel of each running recording. */
  readonly #running = new Map<string, string>();

  constructor(
    private readonly link: EslLink,
    private readonly registry: LegRegistry,
    private readonly awaitedEvents: AwaitedEvents,
    private readonly directory: string,
    private readonly emit: (event: EngineEvent) => void,
  ) {}

  async start(request: RecordRequest): Promise<void> {
    this.link.require();
    const { recordingId, channels, maxSeconds } = request;
    if (!isId(recordingId)) throw new EngineError('rejected', 'The recording id is not a UUID');
    const channelId = 'legId' in request ? this.registry.channelOf(request.legId) : RECORDER_PREFIX + recordingId;
    if ((await this.#read(channelId)).includes(recordingId)) return;
    if ((await this.finished()).includes(recordingId)) {
      throw new EngineError('rejected', 'The recording has ended already');
    }
    this.#running.set(recordingId, channelId);
    try {
      if ('bridgeId' in request) await this.#joinMuted(request.bridgeId, channelId);
      const stereo = channels === 2 ? 'true' : 'false';
      // FreeSWITCH counts changes of the clock's second, so it would stop up to one second early.
      const limit = maxSeconds + 1;
      await this.link.api(
        `uuid_record ${channelId} start ${this.#file(recordingId)} ${limit} {RECORD_STEREO=${stereo}}`,
      );
    } catch (error) {
      this.#running.delete(recordingId);
      await this.#removeRecorder(channelId).catch(() => undefined);
      throw error;
    }
  }

  /** Removes a helper left by a process that died before it started the recording, and adds a new one. */
  async #joinMuted(bridgeId: string, channelId: string): Promise<void> {
    if ((await this.link.api(`global_getvar ${bridgeMark(bridgeId)}`)).trim() !== '1') {
      throw new EngineError('no_such_leg', `No such bridge: ${bridgeId}`);
    }
    await this.#removeRecorder(channelId);
    await joinMuted(this.link, this.awaitedEvents, channelId, bridgeId);
  }

  /** Hangs up a helper channel; does nothing for a leg. */
  async #removeRecorder(channelId: string): Promise<void> {
    if (!isRecorder(channelId)) return;
    try {
      await this.link.api(`uuid_kill ${channelId}`);
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
  }

  async pause(recordingId: string): Promise<void> {
    await this.#command('mask', recordingId);
  }

  async resume(recordingId: string): Promise<void> {
    await this.#command('unmask', recordingId);
  }

  async stop(recordingId: string): Promise<void> {
    await this.#command('stop', recordingId);
  }

  async #command(verb: 'mask' | 'unmask' | 'stop', recordingId: string): Promise<void> {
    this.link.require();
    const channelId = this.#running.get(recordingId);
    if (channelId === undefined) return;
    try {
      await this.link.api(`uuid_record ${channelId} ${verb} ${this.#file(recordingId)}`);
    } catch (error) {
      if (!isMissing(error) && !(error instanceof EngineError && error.kind === 'rejected')) throw error;
    }
  }

  async collect(recordingId: string, channels: 1 | 2, folder: string): Promise<readonly (string | null)[]> {
    this.link.require();
    if (this.#running.has(recordingId))
      throw new EngineError('rejected', `The recording ${recordingId} is still running`);
    const wanted = Array.from({ length: channels }, (_, index) => join(folder, `rec-${recordingId}-${index + 1}.wav`));
    try {
      await splitWav(this.#file(recordingId), wanted);
      return wanted;
    } catch (error) {
      if (isNoFile(error)) return wanted.map(() => null);
      throw error;
    }
  }

  async discard(recordingId: string): Promise<void> {
    this.link.require();
    await rm(this.#file(recordingId), { force: true });
  }

  async finished(): Promise<readonly string[]> {
    this.link.require();
    const names = await readdir(this.directory).catch((error: unknown) => {
      if (isNoFile(error)) return [];
      throw error;
    });
    return names.flatMap((name) => recordingOf(name) ?? []).filter((id) => !this.#running.has(id));
  }

  /** Handles RECORD_STOP: the recording ended with its leg, reached its limit, or was stopped. */
  onEvent(event: EslEvent): void {
    const recordingId = recordingOf(event['Record-File-Path'] ?? '');
    const channelId = this.#running.get(recordingId ?? '');
    if (recordingId === null || channelId === undefined) return;
    this.#running.delete(recordingId);
    const report = (): void => this.emit({ type: 'recording.finished', recordingId, at: new Date() });
    // If this fails, the helper ends with its bridge.
    this.#removeRecorder(channelId).then(report, report);
  }

  /** Reads again which recordings run on these channels: legs and the helpers in bridges. */
  async running(channelIds: readonly string[]): Promise<readonly string[]> {
    const read = await Promise.all(
      channelIds.map(async (channelId) => (await this.#read(channelId)).map((id) => [id, channelId] as const)),
    );
    this.#running.clear();
    for (const [recordingId, channelId] of read.flat()) this.#running.set(recordingId, channelId);
    return [...this.#running.keys()];
  }

  /** @returns the recordings that run on a channel */
  async #read(channelId: string): Promise<readonly string[]> {
    try {
      const bugs = await this.link.api(`uuid_buglist ${channelId}`);
      return [...bugs.matchAll(/<target>([^<]*)<\/target>/g)].flatMap(([, target = '']) => recordingOf(target) ?? []);
    } catch (error) {
      if (isMissing(error) || (error instanceof EngineError && error.kind === 'rejected')) return [];
      throw error;
    }
  }

  #file(recordingId: string): string {
    return recordingFile(this.directory, recordingId);
  }
}

/** Whether a channel is the helper that records a bridge. */
export function isRecorder(channelId: string): boolean {
  return channelId.startsWith(RECORDER_PREFIX);
}

function isNoFile(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
