import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isId } from '../../core/model/ids.js';
import { EngineError, type EngineEvent, type RecordRequest, type Recordings } from '../../core/ports/engine.js';
import type { EslEvent } from './esl/esl-connection.js';
import type { EslLink } from './esl/esl-link.js';
import { bridgeMark } from './bridge-mark.js';
import { isMissing } from './freeswitch-legs.js';
import type { AwaitedEvents } from './awaited-events.js';
import type { LegRegistry } from './leg-registry.js';
import { attend } from './leg-locations.js';
import { recordingFile, recordingOf } from './recording-file.js';
import { splitWav } from './split-wav.js';

/** A bridge's recording is of a helper channel in it. */
const EAR = 'rec-';

/**
 * A recording is one file of one or two channels that FreeSWITCH writes, so both have the same time whatever happens. A pause masks it: silence is
 * written. A conference's own recording would end when the last leg leaves, so a bridge is heard by a helper channel, and that is recorded.
 */
export class FreeswitchRecordings implements Recordings {
  /** The channels of those that run. */
  readonly #running = new Map<string, string>();

  constructor(
    private readonly link: EslLink,
    private readonly registry: LegRegistry,
    private readonly happenings: AwaitedEvents,
    private readonly directory: string,
    private readonly emit: (event: EngineEvent) => void,
  ) {}

  async start(request: RecordRequest): Promise<void> {
    this.link.require();
    const { recordingId, channels, maxSeconds } = request;
    if (!isId(recordingId)) throw new EngineError('rejected', 'A recording is named by an id');
    const channelId = 'legId' in request ? this.registry.channelOf(request.legId) : EAR + recordingId;
    if ((await this.#read(channelId)).includes(recordingId)) return;
    if ((await this.finished()).includes(recordingId)) {
      throw new EngineError('rejected', 'The recording has ended already');
    }
    this.#running.set(recordingId, channelId);
    try {
      if ('bridgeId' in request) await this.#attend(request.bridgeId, channelId);
      const stereo = channels === 2 ? 'true' : 'false';
      // FreeSWITCH stops when its clock shows another second so often: up to one too early.
      const limit = maxSeconds + 1;
      await this.link.api(
        `uuid_record ${channelId} start ${this.#file(recordingId)} ${limit} {RECORD_STEREO=${stereo}}`,
      );
    } catch (error) {
      this.#running.delete(recordingId);
      await this.#dismiss(channelId).catch(() => undefined);
      throw error;
    }
  }

  /** A process that died before it began the recording may have left the helper there. */
  async #attend(bridgeId: string, channelId: string): Promise<void> {
    if ((await this.link.api(`global_getvar ${bridgeMark(bridgeId)}`)).trim() !== '1') {
      throw new EngineError('no_such_leg', `No such bridge: ${bridgeId}`);
    }
    await this.#dismiss(channelId);
    await attend(this.link, this.happenings, channelId, bridgeId);
  }

  /** Ends the helper; a leg is left alone. */
  async #dismiss(channelId: string): Promise<void> {
    if (!isEar(channelId)) return;
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
    if (this.#running.has(recordingId)) throw new EngineError('rejected', `The recording ${recordingId} still runs`);
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

  /** RECORD_STOP: it ended with its leg, by its limit, or because it was stopped. */
  onEvent(event: EslEvent): void {
    const recordingId = recordingOf(event['Record-File-Path'] ?? '');
    const channelId = this.#running.get(recordingId ?? '');
    if (recordingId === null || channelId === undefined) return;
    this.#running.delete(recordingId);
    const tell = (): void => this.emit({ type: 'recording.finished', recordingId, at: new Date() });
    // A helper that stays is ended with its bridge.
    this.#dismiss(channelId).then(tell, tell);
  }

  /** Reads anew what runs on these channels: legs, and whatever else is in bridges. */
  async running(channelIds: readonly string[]): Promise<readonly string[]> {
    const read = await Promise.all(
      channelIds.map(async (channelId) => (await this.#read(channelId)).map((id) => [id, channelId] as const)),
    );
    this.#running.clear();
    for (const [recordingId, channelId] of read.flat()) this.#running.set(recordingId, channelId);
    return [...this.#running.keys()];
  }

  /** @returns what is recorded of a channel now. */
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

/** Whether a channel is the helper of a bridge's recording. */
export function isEar(channelId: string): boolean {
  return channelId.startsWith(EAR);
}

function isNoFile(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
