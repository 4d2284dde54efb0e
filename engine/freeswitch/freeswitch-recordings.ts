import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isId } from '../../core/model/ids.js';
import { EngineError, type EngineEvent, type RecordRequest, type Recordings } from '../../core/ports/engine.js';
import type { EslEvent } from './esl-connection.js';
import type { EslLink } from './esl-link.js';
import { isMissing } from './freeswitch-legs.js';
import type { LegBook } from './leg-book.js';
import { splitWav } from './split-wav.js';

/** `<recording id>.wav`, in the folder. */
const SUFFIX = '.wav';

/**
 * A recording is one file of one or two channels that FreeSWITCH writes, so both have the same time whatever happens. A pause masks it: silence is
 * written.
 */
export class FreeswitchRecordings implements Recordings {
  /** The channels of those that run. */
  readonly #running = new Map<string, string>();

  constructor(
    private readonly link: EslLink,
    private readonly book: LegBook,
    private readonly directory: string,
    private readonly emit: (event: EngineEvent) => void,
  ) {}

  async start({ recordingId, legId, channels, maxSeconds }: RecordRequest): Promise<void> {
    this.link.require();
    if (!isId(recordingId)) throw new EngineError('rejected', 'A recording is named by an id');
    const channelId = this.book.channelOf(legId);
    if ((await this.#read(channelId)).includes(recordingId)) return;
    if ((await this.finished()).includes(recordingId)) {
      throw new EngineError('rejected', 'The recording has ended already');
    }
    this.#running.set(recordingId, channelId);
    try {
      const stereo = channels === 2 ? 'true' : 'false';
      // FreeSWITCH stops when its clock shows another second so often: up to one too early.
      const limit = maxSeconds + 1;
      await this.link.api(
        `uuid_record ${channelId} start ${this.#file(recordingId)} ${limit} {RECORD_STEREO=${stereo}}`,
      );
    } catch (error) {
      this.#running.delete(recordingId);
      throw error;
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
    if (recordingId === null || !this.#running.delete(recordingId)) return;
    this.emit({ type: 'recording.finished', recordingId, at: new Date() });
  }

  /** Reads anew what runs on these channels. */
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
    return join(this.directory, `${recordingId}${SUFFIX}`);
  }
}

/** @returns null for the name of anything else. */
function recordingOf(path: string): string | null {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const id = name.slice(0, -SUFFIX.length);
  return name.endsWith(SUFFIX) && isId(id) ? id : null;
}

function isNoFile(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
