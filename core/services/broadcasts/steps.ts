import type { Queryable } from '../../data/database.js';
import { recordEvent } from '../../data/outbox.js';
import type { BroadcastMessages } from '../../data/repositories/messaging/broadcast-messages.js';
import type { BroadcastRecipients } from '../../data/repositories/messaging/broadcast-recipients.js';
import type { BroadcastChange, Broadcasts } from '../../data/repositories/messaging/broadcasts.js';
import type { BroadcastRow, OrganizationRow } from '../../data/rows.js';
import { HatifError } from '../../model/errors/index.js';
import type { BroadcastProblem } from '../../model/broadcasts/broadcast.js';
import type { Channel } from '../../model/messaging/channels.js';
import type { Clock } from '../../ports/clock.js';
import type { MessageVelocity } from '../messaging/velocity.js';
import type { AcceptRecipients } from './accept.js';
import { broadcastEvent, type BroadcastEventName } from './broadcast-event.js';
import { countsOf } from './counts.js';
import { paceOf } from './pace.js';
import type { PrepareRecipients } from './prepare.js';

export interface BroadcastStepsOptions {
  readonly broadcasts: Broadcasts;
  readonly recipients: BroadcastRecipients;
  readonly messages: BroadcastMessages;
  readonly prepare: PrepareRecipients;
  readonly accept: AcceptRecipients;
  readonly velocity: Pick<MessageVelocity, 'room'>;
  readonly isConfigured: (channel: Channel, projectId: string) => Promise<boolean>;
  readonly organization: (id: string) => Promise<OrganizationRow | null>;
  readonly clock: Clock;
}

/** What a step did to a broadcast. */
export interface StepOutcome {
  readonly broadcastId: string;
  readonly lanes: readonly string[];
  /** Messages are due. */
  readonly hasMessages: boolean;
  /** When the broadcast is due again; null: never. */
  readonly dueAt: Date | null;
}

/** Messages that are accepted at a time. */
const BATCH_SIZE = 500;
/** Accepted messages without an outcome: enough to keep a channel busy, few enough to stop soon. */
const MOST_QUEUED = 1_500;
/** When a broadcast is looked at again whose queue is full. */
const FULL_MS = 100;
/** How long it waits for the room of a whole batch. */
const BATCH_WAIT_MS = 1_000;
/** While outcomes are missing: ever less often, in proportion to the wait. */
const [SHORTEST_WAIT_MS, LONGEST_WAIT_MS, WAIT_SHARE] = [200, 30_000, 10];
const REPORT_MS = 5_000;

/** A step fails, and the broadcast is paused for it. */
export class StepRefused extends Error {
  override readonly name = 'StepRefused';
  constructor(
    readonly broadcastId: string,
    readonly problem: BroadcastProblem,
  ) {
    super(`the broadcast ${broadcastId} cannot continue: ${problem}`);
  }
}

/** What moves broadcasts on. Each step is one transaction with a lock on the broadcast. */
export class BroadcastSteps {
  constructor(private readonly options: BroadcastStepsOptions) {}

  /**
   * Does the next step of a broadcast.
   * @param most messages to accept
   * @throws StepRefused; what the database throws
   */
  async step(tx: Queryable, row: BroadcastRow, most = BATCH_SIZE): Promise<StepOutcome> {
    const { messages, accept, velocity, clock, organization } = this.options;
    const now = clock.now();
    const payer = await organization(row.organization_id);
    if (payer?.suspended_at !== null || payer.ended_at !== null) {
      // It continues once the suspension is lifted.
      const dueAt = new Date(now.getTime() + LONGEST_WAIT_MS);
      return this.#finish(tx, row, { due_at: dueAt }, [], false);
    }
    if (row.status === 'scheduled') return this.#begin(tx, row);
    if (row.prepared_at === null) return this.#prepare(tx, row);
    const queued = await messages.queued(tx, row.id, MOST_QUEUED);
    const pace = paceOf(row.rate_per_minute, row.paced_until, now);
    const allowed = await velocity.room(tx, { projectId: row.project_id, sandbox: row.sandbox });
    const room = Math.min(most, MOST_QUEUED - queued, pace.most, allowed.most);
    if (room <= 0 || isWaitingForRoom(row, queued, now)) {
      if (allowed.most === 0) return this.#wait(tx, row, queued);
      const dueAt = pace.most === 0 ? pace.lookAt : new Date(now.getTime() + FULL_MS);
      return this.#finish(tx, row, { due_at: dueAt }, [], false);
    }
    await this.#assertChannel(row);
    const done = await accept
      .accept(tx, { broadcast: row, organization: payer }, room, pace.at)
      .catch((error: unknown) => {
        throw refusedBy(row, error);
      });
    if (done.recipients === 0) return this.#wait(tx, row, queued);
    const change = {
      ...{ due_at: now, attempts: 0 },
      ...(done.messages > 0 && { accepted_at: now, paced_until: pace.next(done.messages) }),
    };
    return this.#finish(tx, row, change, done.lanes, done.messages > 0);
  }

  /** Pauses a broadcast that cannot continue. */
  async pause(tx: Queryable, row: BroadcastRow, problem: BroadcastProblem): Promise<StepOutcome> {
    return this.#change(tx, row, { status: 'paused', problem, due_at: null }, 'paused');
  }

  async #begin(tx: Queryable, row: BroadcastRow): Promise<StepOutcome> {
    const now = this.options.clock.now();
    return this.#change(tx, row, { status: 'running', started_at: now, due_at: now }, 'started');
  }

  async #prepare(tx: Queryable, row: BroadcastRow): Promise<StepOutcome> {
    const now = this.options.clock.now();
    const change = await this.options.prepare.step(tx, row, now);
    if (change) return this.#finish(tx, row, { ...change, due_at: now }, [], false);
    const cancelled = { status: 'cancelled', problem: 'group_deleted', due_at: null, finished_at: now } as const;
    return this.#change(tx, row, cancelled, 'cancelled');
  }

  /** Nobody is due, or may get a message, now: either somebody is later, or outcomes are missing, or all is done. */
  async #wait(tx: Queryable, row: BroadcastRow, queued: number): Promise<StepOutcome> {
    const { recipients, clock } = this.options;
    const now = clock.now();
    const next = await recipients.nextDue(tx, row.id);
    if (next === null && queued === 0) {
      return this.#change(tx, row, { status: 'completed', due_at: null, finished_at: now }, 'completed');
    }
    const sinceMs = now.getTime() - (row.accepted_at ?? row.started_at ?? now).getTime();
    const waitMs = Math.min(LONGEST_WAIT_MS, Math.max(SHORTEST_WAIT_MS, sinceMs / WAIT_SHARE));
    const later = new Date(now.getTime() + waitMs);
    const isEarlier = next !== null && next > now && next < later;
    return this.#finish(tx, row, { due_at: isEarlier ? next : later }, [], false);
  }

  /** Ends a step, with the event of the progress if it is time for it. */
  async #finish(
    tx: Queryable,
    row: BroadcastRow,
    change: BroadcastChange,
    lanes: readonly string[],
    hasMessages: boolean,
  ): Promise<StepOutcome> {
    const { broadcasts, messages, clock } = this.options;
    const now = clock.now();
    const outcome = { broadcastId: row.id, hasMessages, dueAt: change.due_at ?? null };
    const reportedAt = row.reported_at ?? row.started_at ?? now;
    if (now.getTime() - reportedAt.getTime() < REPORT_MS) {
      await broadcasts.change(tx, row.id, change);
      return { ...outcome, lanes };
    }
    const counted = await messages.counts(row.id, tx);
    const after = { ...row, ...change };
    const reported = JSON.stringify(countsOf(after, counted));
    await broadcasts.change(tx, row.id, { ...change, reported_at: now, reported });
    if (reported === row.reported) return { ...outcome, lanes };
    const more = await recordEvent(tx, broadcastEvent('progress', after, counted, now));
    return { ...outcome, lanes: [...lanes, ...more] };
  }

  async #change(
    tx: Queryable,
    row: BroadcastRow,
    change: BroadcastChange,
    event: BroadcastEventName,
  ): Promise<StepOutcome> {
    const { broadcasts, messages, clock } = this.options;
    await broadcasts.change(tx, row.id, change);
    const counted = await messages.counts(row.id, tx);
    const lanes = await recordEvent(tx, broadcastEvent(event, { ...row, ...change }, counted, clock.now()));
    return { broadcastId: row.id, lanes, hasMessages: false, dueAt: change.due_at ?? null };
  }

  async #assertChannel({ id, channel, project_id, sandbox }: BroadcastRow): Promise<void> {
    if (!sandbox && !(await this.options.isConfigured(channel, project_id))) throw new StepRefused(id, 'channel');
  }
}

/** A step for a few messages costs as much as one for a batch. A channel that is slow does not wait for it long. */
function isWaitingForRoom({ accepted_at }: BroadcastRow, queued: number, now: Date): boolean {
  if (MOST_QUEUED - queued >= BATCH_SIZE || accepted_at === null) return false;
  return now.getTime() - accepted_at.getTime() < BATCH_WAIT_MS;
}

/** What pauses the broadcast, if the error says so; otherwise the error. */
function refusedBy({ id }: BroadcastRow, error: unknown): unknown {
  if (!(error instanceof HatifError)) return error;
  switch (error.code) {
    case 'INSUFFICIENT_CREDITS':
      return new StepRefused(id, 'insufficient_credits');
    case 'SPEND_CAP_EXCEEDED':
      return new StepRefused(id, 'spend_cap');
    case 'VALIDATION_ERROR':
      return new StepRefused(id, 'no_sender');
    default:
      return error;
  }
}
