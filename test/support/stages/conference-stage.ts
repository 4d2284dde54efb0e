import type { ConferenceObject, ParticipantObject } from '../../../core/model/objects/conference.js';
import { expect } from 'chai';
import type { EventRow, ParticipantRow } from '../../../core/data/rows.js';
import type { ConferenceEventData } from '../../../core/services/call-state/presenting/conference.js';
import { PARTIES } from '../../../engine/simulator/party.js';
import type { Answer } from '../api.js';
import type { TestDatabase } from '../platform/database.js';
import { stageEach } from '../each.js';
import { TransferStage, type Parties } from './transfer-stage.js';

/** A call of one party, and the leg of that party. */
export interface Single {
  readonly callId: string;
  readonly leg: string;
}

/** The routes of conferences on a real port and database, over a simulated engine. */
export class ConferenceStage {
  private constructor(
    readonly database: TestDatabase,
    readonly calls: TransferStage,
  ) {}

  static async on(database: TestDatabase): Promise<ConferenceStage> {
    return new ConferenceStage(database, await TransferStage.start(database));
  }

  /** Waits until all consequences of the last action are processed, including those for other calls. */
  async calm(): Promise<void> {
    for (let turn = 0; turn < 4; turn += 1) await this.calls.rig.settle();
  }

  /** A call with one customer, who has answered. */
  async single(): Promise<Single> {
    const { rig } = this.calls;
    const callId = await rig.place({ type: 'idle' });
    await rig.untilStatus(callId, 'answered');
    await rig.settle();
    const [leg] = await this.calls.legs(callId);
    return { callId, leg: leg?.id ?? '' };
  }

  /** This number of single calls. */
  async singles(count: number): Promise<[Single, Single, Single, ...Single[]]> {
    const made: Single[] = [];
    for (let index = 0; index < count; index += 1) made.push(await this.single());
    return made as [Single, Single, Single, ...Single[]];
  }

  /** A call with a customer who has answered and an agent whose phone rings. */
  async ringingAgent(): Promise<Parties> {
    const { rig } = this.calls;
    rig.parties.set('agent', PARTIES.ringsForEver);
    const callId = await rig.place({ type: 'connect', to: { type: 'agent', target: '1001' } });
    await rig.until(async () => (await this.calls.legs(callId))[1]?.status === 'ringing');
    const [customer, agent] = await this.calls.legs(callId);
    return { callId, customer: customer!.id, agent: agent!.id };
  }

  ask(callId: string, json: object): Promise<Answer> {
    return this.calls.post(callId, 'conference', json);
  }

  /** Joins the conference `talk`; the request must be accepted. */
  async join({ callId }: { readonly callId: string }, json: object = {}): Promise<ConferenceObject> {
    const answer = await this.ask(callId, { name: 'talk', ...json });
    if (answer.status !== 200) throw new Error(answer.text);
    await this.calm();
    return answer.body as unknown as ConferenceObject;
  }

  post(path: string, json: object = {}): Promise<Answer> {
    return this.calls.api.request('POST', `/v1/conferences/${path}`, { key: this.calls.key, json });
  }

  async read(conferenceId: string): Promise<ConferenceObject> {
    const answer = await this.calls.api.request('GET', `/v1/conferences/${conferenceId}`, { key: this.calls.key });
    if (answer.status !== 200) throw new Error(answer.text);
    return answer.body as unknown as ConferenceObject;
  }

  /** Performs an action on a participant; the request must be accepted. */
  async act(conferenceId: string, { callId }: { readonly callId: string }, action: string): Promise<ParticipantObject> {
    const answer = await this.post(`${conferenceId}/participants/${await this.participant(callId)}/${action}`);
    if (answer.status !== 200) throw new Error(answer.text);
    await this.calm();
    return answer.body as unknown as ParticipantObject;
  }

  /** The call's first participant. */
  async participant(callId: string): Promise<string> {
    return (await this.participants(callId))[0]?.id ?? '';
  }

  participants(callId: string): Promise<ParticipantRow[]> {
    return this.database.db.query<ParticipantRow>(
      `SELECT * FROM conference_participants WHERE call_id = $1 ORDER BY id`,
      [callId],
    );
  }

  /** The events of the conference: type and participant count. */
  async events(conferenceId: string): Promise<string[]> {
    const rows = await this.database.db.query<EventRow>(
      `SELECT * FROM events WHERE type LIKE 'conference.%' AND data->>'conference_id' = $1 ORDER BY id`,
      [conferenceId],
    );
    return rows.map(
      ({ type, data }) => `${type.replace('conference.', '')} ${(data as ConferenceEventData).participant_count}`,
    );
  }

  /** The indexes of the legs that are in the conference's bridge. */
  talking(conferenceId: string, singles: readonly { readonly leg: string }[]): number[] {
    const { rig } = this.calls;
    return singles.flatMap(({ leg }, index) => (rig.look(leg)?.bridgeId === conferenceId ? [index] : []));
  }

  /** The indexes of the legs that hear hold music. */
  waiting(singles: readonly { readonly leg: string }[]): number[] {
    return singles.flatMap(({ leg }, index) => (this.calls.rig.look(leg)?.held === true ? [index] : []));
  }

  /** The indexes of the legs that have ended. */
  gone(singles: readonly Single[]): number[] {
    return singles.flatMap(({ leg }, index) => (this.calls.rig.look(leg) === null ? [index] : []));
  }

  /** The error code of the answer, or `accepted`. */
  async codeOf(answer: Promise<Answer>): Promise<string> {
    const { error_code = 'accepted' } = (await answer).body ?? {};
    return String(error_code);
  }

  async list(query = ''): Promise<ConferenceObject[]> {
    const { api, key } = this.calls;
    const answer = await api.request('GET', `/v1/conferences${query}`, { key });
    if (answer.status !== 200) throw new Error(answer.text);
    return answer.body?.data as ConferenceObject[];
  }

  /** Runs `happen` while the engine is disconnected, so that no event reports it. */
  async silently(happen: () => void): Promise<void> {
    const { rig } = this.calls;
    rig.engine.disconnect('test');
    happen();
    rig.engine.reconnect();
    await rig.settle();
  }
}

/**
 * For a `describe`: a new stage for each test, on one database for all tests. No call may make an illegal move, and all
 * responses must match the route definitions.
 */
export function conferenceEach(use: (stage: ConferenceStage) => void): void {
  stageEach(
    (database) => ConferenceStage.on(database),
    use,
    async ({ calls }) => {
      await calls.close();
      expect(calls.rig.illegalMoves).to.deep.equal([]);
      expect(calls.api.faults).to.deep.equal([]);
    },
  );
}
