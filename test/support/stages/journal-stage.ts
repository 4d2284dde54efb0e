import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { FileJournalStore } from '../../../adapters/journal/journal-store.js';
import { CallWriter, type CallEffect } from '../../../core/data/call-writer.js';
import { Database } from '../../../core/data/database.js';
import { Calls } from '../../../core/data/repositories/calls/calls.js';
import { hangupCause } from '../../../core/model/call/hangup-cause.js';
import { systemClock } from '../../../core/ports/clock.js';
import type { JournalStore } from '../../../core/ports/journal.js';
import { presentChanges } from '../../../core/services/call-state/presenting/events.js';
import { CallState } from '../../../core/services/call-state/call-state.js';
import { Committer } from '../../../core/services/live-calls/journal/committer.js';
import type { SavedProgram } from '../../../core/services/call-state/program.js';
import type { TestDatabase } from '../platform/database.js';
import { stageEach } from '../each.js';
import { quiet } from '../logger.js';
import { callRow, groundIn, legRow, type Ground } from '../rows/rows.js';
import { TcpProxy } from '../peers/tcp-proxy.js';

/** The epoch of the stage's own committer. */
export const EPOCH = 1;
/** The events of a {@link JournalStage.story}. */
export const STORY_EVENTS = ['call.initiated', 'call.ringing', 'call.answered', 'call.ended'];
const MAX_BYTES = 1024 * 1024;
const JOINED: SavedProgram = { spec: { type: 'idle' }, state: { phase: 'joined' } };

interface Story {
  readonly callId: string;
  readonly effects: readonly CallEffect[];
}

/** Commits changes of calls to a real database through a proxy (cable) that can be cut, with a journal in a folder. */
export class JournalStage {
  /** Commits through the stage's journal. */
  committer: Committer;
  readonly journalStore: FileJournalStore;
  /** The reason of each refusal by the journal. */
  readonly refusals: string[] = [];
  /** The number of entries in the journal after each change. */
  readonly held: number[] = [];
  /** How often the committer reported that another process owns the engine. */
  fenced = 0;
  /** The errors that were logged. */
  readonly said: string[] = [];

  private constructor(
    /** A direct connection. */
    readonly db: Database,
    readonly cable: TcpProxy,
    /** The connection through the cable. */
    readonly reached: Database,
    readonly ground: Ground,
    readonly folder: string,
  ) {
    this.journalStore = this.journalStoreAt(folder);
    this.committer = this.committerOn(this.journalStore);
  }

  static async on({ url, db }: TestDatabase): Promise<JournalStage> {
    const through = new URL(url);
    const cable = await TcpProxy.start(through.hostname, Number(through.port));
    through.port = String(cable.port);
    through.hostname = '127.0.0.1';
    const folder = await mkdtemp(join(tmpdir(), 'hatif-journal-'));
    return new JournalStage(db, cable, Database.open(through.href), await groundIn(db), folder);
  }

  journalStoreAt(folder: string, maxBytes = MAX_BYTES): FileJournalStore {
    return new FileJournalStore({ folder, maxBytes, log: quiet });
  }

  committerOn(on: JournalStore): Committer {
    return new Committer({
      writer: new CallWriter(this.reached),
      journal: on.open(this.ground.engineId, EPOCH),
      clock: systemClock,
      log: { ...quiet, error: (_fields, message) => void this.said.push(message) },
      observer: {
        holds: (entries) => void this.held.push(entries),
        refused: (reason) => void this.refusals.push(reason),
      },
      onFenced: () => (this.fenced += 1),
    });
  }

  /** A call from start to end as the effects of its steps; one step changes only the program and the timeline. */
  story(): Story {
    const call = callRow(this.ground, { last_sequence: 0 });
    const state = new CallState(call, []);
    const leg = legRow(call.id);
    const at = (seconds: number): Date => new Date(1_700_000_000_000 + seconds * 1000);
    const steps: (() => void)[] = [
      () => {
        state.addLeg(leg);
        state.emit('call.initiated', at(0), {});
      },
      () => state.moveLeg(leg.id, 'ringing', at(1)) && state.move('ringing', at(1)),
      () => state.moveLeg(leg.id, 'answered', at(2)) && state.move('answered', at(2)),
      () => {
        state.note('legs.joined', at(3));
        state.set({ program: JOINED });
      },
      () =>
        state.endLeg(leg.id, hangupCause(16), at(12)) &&
        state.end('ended', at(12), { disposition: 'answered', cause: hangupCause(16) }),
    ];
    const effects = steps.map((step) => {
      step();
      return { fence: { engineId: this.ground.engineId, epoch: EPOCH }, ...presentChanges(state.takeChanges()!) };
    });
    return { callId: call.id, effects };
  }

  async commitAll(effects: readonly CallEffect[]): Promise<void> {
    for (const effect of effects) expect(await this.committer.commit(effect)).to.equal(true);
  }

  query<Row extends object>(sql: string, ...values: unknown[]): Promise<Row[]> {
    return this.db.query<Row>(sql, values);
  }

  /** The types of the call's stored events. */
  async eventTypes(callId: string): Promise<string[]> {
    const rows = await this.query<{ type: string }>(
      'SELECT type FROM events WHERE call_id = $1 ORDER BY sequence',
      callId,
    );
    return rows.map(({ type }) => type);
  }

  setEpoch(epoch: number): Promise<object[]> {
    return this.query('UPDATE engines SET epoch = $2 WHERE id = $1', this.ground.engineId, epoch);
  }

  /** The journal's files. */
  files(): Promise<string[]> {
    return readdir(this.folder);
  }

  /** Expects that a {@link story} is stored completely. */
  async expectWhole(callId: string): Promise<void> {
    const call = await new Calls(this.db).find(callId);
    expect(call).to.include({ status: 'ended', disposition: 'answered', last_sequence: 4 });
    expect(call?.program).to.deep.equal(JOINED);
    expect(await this.eventTypes(callId)).to.deep.equal(STORY_EVENTS);
    expect(await this.query('SELECT seconds FROM charges WHERE call_id = $1', callId)).to.deep.equal([{ seconds: 10 }]);
    expect(await this.query('SELECT type FROM call_timeline WHERE call_id = $1', callId)).to.have.length(1);
  }

  async close(): Promise<void> {
    this.cable.restore();
    await this.committer.close();
    await this.reached.close();
    await this.cable.close();
    await rm(this.folder, { recursive: true, force: true });
  }
}

/**
 * For a `describe`: a new stage for each test, on one database for all tests.
 * @param use receives the stage before each test
 */
export function journalEach(use: (stage: JournalStage) => void): void {
  stageEach(
    (database) => JournalStage.on(database),
    use,
    (stage) => stage.close(),
  );
}
