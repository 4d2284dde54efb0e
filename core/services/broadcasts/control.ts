import type { Queryable } from '../../data/database.js';
import { recordEvent } from '../../data/outbox.js';
import type { ContactGroups } from '../../data/repositories/contacts/contact-groups.js';
import type { BroadcastMessages } from '../../data/repositories/messaging/broadcast-messages.js';
import type { BroadcastRecipients } from '../../data/repositories/messaging/broadcast-recipients.js';
import type { BroadcastChange, Broadcasts } from '../../data/repositories/messaging/broadcasts.js';
import type { ProjectKind } from '../../data/repositories/project-kind.js';
import type { BroadcastRow } from '../../data/rows.js';
import type { BroadcastStatus, BroadcastVariant } from '../../model/broadcasts/broadcast.js';
import type { Clock } from '../../ports/clock.js';
import type { ChannelAccess } from '../messaging/channel-access.js';
import type { ChooseSender } from '../messaging/choose-sender.js';
import { OTHER_COUNT, type MessageTexts } from '../messaging/content.js';
import { broadcastEvent, type BroadcastEventName } from './broadcast-event.js';
import type { BroadcastEditor } from './create.js';
import { GROUP_DELETED, invalidState, isStatus, NO_RECIPIENTS, notReady, unknownBroadcast } from './refusals.js';
import { firstMoment } from './times.js';

export interface ControlBroadcastOptions {
  readonly broadcasts: Broadcasts;
  readonly recipients: BroadcastRecipients;
  readonly messages: BroadcastMessages;
  readonly groups: Pick<ContactGroups, 'get'>;
  readonly texts: MessageTexts;
  readonly senders: ChooseSender;
  readonly access: Pick<ChannelAccess, 'assert'>;
  readonly clock: Clock;
  readonly wake: (lanes: readonly string[]) => void;
  /** Called after a commit: a broadcast has something to do. */
  readonly onDue: () => void;
}

/** What a request does to a broadcast, and the event that says so. */
interface Step {
  readonly change: BroadcastChange;
  readonly event: BroadcastEventName | null;
}

/**
 * Starts, pauses, resumes, cancels and retries broadcasts. Each request locks its broadcast: it waits for the step that a
 * process is doing, and after it no step begins in the old state. A request for a state that the broadcast has already
 * changes nothing.
 */
export class ControlBroadcast {
  constructor(private readonly options: ControlBroadcastOptions) {}

  /**
   * Keeps the texts of the templates as they are now, whatever becomes of the templates.
   * @throws HatifError NOT_FOUND, what ChannelAccess.assert throws, BROADCAST_INVALID_STATE
   */
  start(editor: BroadcastEditor, id: string): Promise<BroadcastRow> {
    return this.#step(editor, id, ['scheduled', 'running'], async (tx, row) => {
      if (row.status !== 'draft') return null;
      await this.options.access.assert(row.channel, 'broadcast', editor);
      await this.#assertRecipients(row, editor);
      const variants = await this.#keep(row, editor);
      const now = this.options.clock.now();
      const begins = row.local_time === null ? row.scheduled_at : firstMoment(row.local_time);
      const isLater = begins !== null && begins > now;
      const change: BroadcastChange = {
        ...{ variants, problem: null, due_at: isLater ? begins : now },
        ...(isLater ? { status: 'scheduled' } : { status: 'running', started_at: now }),
      };
      return { change, event: isLater ? null : 'started' };
    });
  }

  /** Messages that a process submits already go out. @throws HatifError NOT_FOUND, BROADCAST_INVALID_STATE */
  pause(kind: ProjectKind, id: string): Promise<BroadcastRow> {
    return this.#step(kind, id, ['paused'], async (tx, { status }) => {
      if (status !== 'running') return null;
      await this.options.messages.hold(tx, id);
      return { change: { status: 'paused', problem: null, due_at: null }, event: 'paused' };
    });
  }

  /** @throws HatifError NOT_FOUND, BROADCAST_INVALID_STATE */
  resume(kind: ProjectKind, id: string): Promise<BroadcastRow> {
    return this.#step(kind, id, ['running'], async (tx, { status }) => {
      if (status !== 'paused') return null;
      const now = this.options.clock.now();
      await this.options.messages.letGo(tx, id, now);
      return { change: { status: 'running', problem: null, attempts: 0, due_at: now }, event: 'resumed' };
    });
  }

  /** Messages that a process submits already go out. @throws HatifError NOT_FOUND, BROADCAST_INVALID_STATE */
  cancel(kind: ProjectKind, id: string): Promise<BroadcastRow> {
    return this.#step(kind, id, ['cancelled'], async (tx, { status }) => {
      if (status === 'completed') return null;
      await this.options.messages.cancel(tx, id);
      const change = { status: 'cancelled', due_at: null, finished_at: this.options.clock.now() } as const;
      return { change, event: 'cancelled' };
    });
  }

  /**
   * Sends again to those whose message failed. One that may have arrived is not repeated, nor one that nobody wants.
   * @throws HatifError NOT_FOUND, BROADCAST_INVALID_STATE
   */
  retry(kind: ProjectKind, id: string): Promise<BroadcastRow> {
    return this.#step(kind, id, [], async (tx, { status }) => {
      if (status !== 'running' && status !== 'paused' && status !== 'completed') return null;
      const now = this.options.clock.now();
      const count = await this.options.recipients.retryFailed(tx, id, now);
      if (count === 0 || status === 'paused') return { change: {}, event: null };
      const change = { status: 'running', finished_at: null, due_at: now } as const;
      return { change, event: status === 'completed' ? 'resumed' : null };
    });
  }

  /** @param already the statuses in which the request is done */
  async #step(
    kind: ProjectKind,
    id: string,
    already: readonly BroadcastStatus[],
    decide: (tx: Queryable, row: BroadcastRow) => Promise<Step | null>,
  ): Promise<BroadcastRow> {
    const { broadcasts, messages, clock, wake, onDue } = this.options;
    const [row, lanes] = await broadcasts.transaction(async (tx) => {
      const before = await broadcasts.lock(tx, kind, id);
      if (!before) throw unknownBroadcast(id);
      if (already.includes(before.status)) return [before, []] as const;
      const step = await decide(tx, before);
      if (!step) throw invalidState(id, isStatus(before.status));
      await broadcasts.change(tx, id, step.change);
      const after: BroadcastRow = { ...before, ...step.change };
      if (step.event === null) return [after, []] as const;
      const counted = await messages.counts(id, tx);
      return [after, await recordEvent(tx, broadcastEvent(step.event, after, counted, clock.now()))] as const;
    });
    wake(lanes);
    if (row.due_at !== null) onDue();
    return row;
  }

  async #assertRecipients(row: BroadcastRow, { projectId, sandbox }: ProjectKind): Promise<void> {
    if (row.source === 'file' && row.total === 0) throw invalidState(row.id, NO_RECIPIENTS);
    if (row.source === 'file') return;
    const group =
      row.group_id === null ? null : await this.options.groups.get({ projectId, sandboxOnly: sandbox }, row.group_id);
    if (!group) throw invalidState(row.id, GROUP_DELETED);
  }

  /** The variants with the texts of their templates. */
  async #keep(row: BroadcastRow, kind: ProjectKind): Promise<readonly BroadcastVariant[]> {
    const { texts, senders } = this.options;
    const { id, channel, sender, variants } = row;
    const kept: BroadcastVariant[] = [];
    try {
      if (sender !== null) await senders.chooser(channel, sender, row.class, kind);
      for (const [index, variant] of variants.entries()) {
        const found = await texts.template(channel, variant.template, kind, `variants[${index}].template`);
        if (found.variables.length !== variant.variables.length) {
          throw invalidState(id, { en: `variants[${index}].variables ${OTHER_COUNT.en}`, ar: OTHER_COUNT.ar });
        }
        const { header, body, footer } = found;
        kept.push({ ...variant, kept: { header, body, footer } });
      }
    } catch (error) {
      throw notReady(id, error);
    }
    return kept;
  }
}
