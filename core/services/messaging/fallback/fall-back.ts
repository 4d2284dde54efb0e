import { violatedUnique } from '../../../data/errors.js';
import type { FallbackDue, Fallbacks } from '../../../data/repositories/messaging/fallbacks.js';
import type { OrganizationRow } from '../../../data/rows.js';
import { newId } from '../../../model/ids.js';
import { HatifError } from '../../../model/errors/index.js';
import type { FallbackChannel, StoredFallback } from '../../../model/messaging/fallback.js';
import type { Clock } from '../../../ports/clock.js';
import type { Logger } from '../../../ports/logger.js';
import { inBatches } from '../../runtime/batches.js';
import type { IsStopping, PeriodicTask } from '../../runtime/periodic-task.js';
import type { SendMessage } from '../send.js';
import type { SpeakMessage } from './speak.js';

export interface FallBackOptions {
  readonly fallbacks: Fallbacks;
  readonly send: Pick<SendMessage, 'send'>;
  readonly speak: SpeakMessage;
  readonly organization: (id: string) => Promise<OrganizationRow | null>;
  readonly clock: Clock;
  readonly log: Logger;
}

const INTERVAL_MS = 1_000;
const BATCH_SIZE = 50;
/** After this time another process takes over. */
const LEASE_MS = 60_000;

/**
 * Tries the next channel of messages that failed, or did not arrive in time. One channel follows another as one policy:
 * a channel that refuses is passed over. However often processes die, a person gets one message on each channel, and at
 * most one call.
 */
export class FallBack implements PeriodicTask {
  readonly name = 'further channels of messages';
  readonly everyMs = INTERVAL_MS;
  readonly restFactor = 10;

  constructor(private readonly options: FallBackOptions) {}

  async run(isStopping: IsStopping = () => false): Promise<void> {
    const { fallbacks, clock, log } = this.options;
    await inBatches(
      BATCH_SIZE,
      async (size) => {
        const now = clock.now();
        const rows = await fallbacks.claim(now, new Date(now.getTime() + LEASE_MS), size);
        for (const row of rows) {
          await this.#next(row).catch((err: unknown) => {
            log.warn({ err, message: row.id }, 'the next channel of a message could not be tried; it is tried again');
          });
        }
        return rows.length;
      },
      isStopping,
    );
  }

  async #next(row: FallbackDue): Promise<void> {
    const { fallbacks, clock } = this.options;
    const [channel, ...channels] = row.fallback.channels;
    const rest: StoredFallback = { ...row.fallback, channels };
    const isLost = row.status === 'failed' || (rest.after_seconds !== null && ['queued', 'sent'].includes(row.status));
    if (channel === undefined || !isLost) {
      await fallbacks.settle(row.id, rest, null);
      return;
    }
    try {
      await (channel === 'voice' ? this.#call(row, rest) : this.#send(row, rest, channel));
    } catch (error) {
      if (!(error instanceof HatifError)) throw error;
      const { code: error_code } = error as HatifError;
      // The channel refuses: the one after it is tried at once.
      await fallbacks.settle(row.id, { ...rest, error_code }, channels.length > 0 ? clock.now() : null);
    }
  }

  async #send(row: FallbackDue, rest: StoredFallback, channel: Exclude<FallbackChannel, 'voice'>): Promise<void> {
    const { fallbacks, send, organization } = this.options;
    const owner = await organization(row.organization_id);
    if (!owner) return fallbacks.settle(row.id, rest, null);
    const first = row.fallback_of ?? row.id;
    const { channels, after_seconds: afterSeconds } = rest;
    const message = {
      ...{ channel, to: row.recipient, from: null, class: row.class, metadata: row.metadata },
      content: { text: row.body ?? '', subject: null, extra: null },
      ...{ scheduledAt: null, validUntil: null },
      fallback: { channels, afterSeconds, of: first },
    };
    const writer = {
      ...{ organization: owner, organizationId: row.organization_id, projectId: row.project_id, sandbox: row.sandbox },
      ...{ keyId: row.created_by_key, requestId: newId(), agent: row.agent },
    };
    const made = await send.send(message, writer).then(
      ({ id }) => id,
      async (error: unknown) => {
        // A process sent it and died.
        if (violatedUnique(error) !== 'messages_fallback_of') throw error;
        return fallbacks.messageOf(first, channel);
      },
    );
    await fallbacks.settle(row.id, { ...rest, channels: [], message_id: made }, null);
  }

  async #call(row: FallbackDue, rest: StoredFallback): Promise<void> {
    // Before the call: a process that dies here costs the call, and no person is called twice.
    await this.options.fallbacks.settle(row.id, { ...rest, is_called: true }, null);
    try {
      await this.options.speak(row);
    } catch (error) {
      if (error instanceof HatifError) await this.options.fallbacks.settle(row.id, rest, null);
      throw error;
    }
  }
}
