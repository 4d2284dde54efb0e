import { DatabaseUnavailable } from '../../data/errors.js';
import type { MessageRow } from '../../data/rows.js';
import type {
  ClaimedMessage,
  MessageChange,
  Submissions,
  SubmittedPart,
  Released,
} from '../../data/repositories/messaging/submissions.js';
import type { Cipher } from '../../model/access/cipher.js';
import type { Channel } from '../../model/messaging/channels.js';
import { pause, type Clock } from '../../ports/clock.js';
import type { Logger } from '../../ports/logger.js';
import type { MessageChannel, OutgoingMessage } from '../../ports/messaging/message-channel.js';
import { Batcher } from '../runtime/batcher.js';
import type { MessageProgress } from './progress.js';
import type { Recheck } from './recheck.js';
import type { TakeReceipts } from './receipts.js';
import type { UnsubscribeLinks } from './unsubscribe-links.js';

export interface MessageDispatcherOptions {
  readonly channel: MessageChannel;
  /** The messages that it submits: live ones of a channel, or those of the sandbox. */
  readonly of: Channel | 'sandbox';
  readonly submissions: Submissions;
  readonly progress: MessageProgress;
  readonly receipts: Pick<TakeReceipts, 'match'>;
  /** What became true since a message was accepted. */
  readonly recheck: (row: MessageRow) => Promise<Recheck>;
  readonly links: Pick<UnsubscribeLinks, 'urlFor'>;
  /** Opens the texts of messages of the platform itself. */
  readonly cipher: Pick<Cipher, 'open'>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly wake: (lanes: readonly string[]) => void;
}

/** What happened when a message was submitted. */
interface Submitted {
  readonly parts: readonly SubmittedPart[];
  readonly change: MessageChange | null;
  /** Set if nothing more reached the provider: the message is due again, at this time. */
  readonly released: Released | null;
}

const POLL_MS = 500;
const RETRY_MS = 1_000;
/** How long room may gather before a few messages are claimed. */
const GATHER_MS = 20;
const MOST_AT_ONCE = 200;
/** For a fault of a statement, such as two transactions that wait for each other. */
const MOST_ATTEMPTS = 5;
/** Messages that are submitted, or whose results are not stored yet. */
const MOST_UNDER_WAY = 2_000;

/**
 * Submits the messages that are due to one provider. A message is claimed before it is submitted, and only put back if
 * nothing reached the provider: so none is submitted twice, whenever a process dies.
 */
export class MessageDispatcher {
  readonly #parts: Batcher<readonly SubmittedPart[]>;
  readonly #results: Batcher<Submitted>;
  readonly #underWay = new Set<Promise<void>>();
  /** Messages that were claimed and whose outcome is not stored: those that a process loses when it dies. */
  #open = 0;
  #claimedAtMs = -Infinity;
  #isStopped = false;
  #running: Promise<void> | null = null;
  #signal: (() => void) | null = null;
  #isSignalled = false;

  constructor(private readonly options: MessageDispatcherOptions) {
    this.#parts = new Batcher(
      async (groups): Promise<undefined> => {
        await options.submissions.addParts(groups.flat());
      },
      { maxItems: MOST_AT_ONCE },
    );
    this.#results = new Batcher((results) => this.#store(results), { maxItems: MOST_AT_ONCE });
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** A message is due, or the channel has room. */
  signal(): void {
    this.#isSignalled = true;
    this.#signal?.();
  }

  /** Claims nothing more. Resolves when the results of what was claimed are stored. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.signal();
    await this.#running;
    await Promise.all(this.#underWay);
  }

  /** Submits what is due now, as far as the channel has room. @returns the number of messages */
  async dispatch(): Promise<number> {
    const { channel, of, submissions, clock, log } = this.options;
    // What was answered and is not stored takes its place in the window, too.
    const window = channel.window?.() ?? Infinity;
    const most = Math.min(window, MOST_UNDER_WAY) - this.#open;
    const room = Math.min(MOST_AT_ONCE, channel.free(), most, MOST_UNDER_WAY - this.#underWay.size);
    if (room <= 0) return 0;
    // A statement for half of the window costs as much as one for a single message; each that ends gives a signal.
    const isEarly = clock.monotonicMs() - this.#claimedAtMs < GATHER_MS;
    if (isEarly && this.#open > 0 && Number.isFinite(window) && room < window / 2) return 0;
    this.#claimedAtMs = clock.monotonicMs();
    const rows = await submissions.claim(of, clock.now(), room);
    if (rows.length === 0) return 0;
    this.#open += rows.length;
    for (const row of rows) {
      const work = this.#submit(row)
        .catch((err: unknown) => log.error({ err, message: row.id }, 'a message could not be submitted'))
        .finally(() => this.#underWay.delete(work));
      this.#underWay.add(work);
    }
    return rows.length;
  }

  async #run(): Promise<void> {
    const { clock, log } = this.options;
    while (!this.#isStopped) {
      const count = await this.dispatch().catch((err: unknown) => {
        log.warn({ err }, 'messages that are due could not be read; they are read again');
        return 0;
      });
      if (count > 0 || this.#takeSignal()) continue;
      await pause(clock, POLL_MS, (end) => (this.#signal = end));
      this.#signal = null;
    }
  }

  #takeSignal(): boolean {
    const isSignalled = this.#isSignalled;
    this.#isSignalled = false;
    return isSignalled;
  }

  async #submit(row: ClaimedMessage): Promise<void> {
    const result = await this.#outcome(row).catch((error: unknown) => {
      this.#open--;
      throw error;
    });
    await this.#keep(result);
  }

  async #outcome(row: ClaimedMessage): Promise<Submitted> {
    const { clock, links, recheck, cipher } = this.options;
    if (row.valid_until !== null && row.valid_until <= clock.now()) {
      return { parts: [], change: failed(row.id, 'expired', null), released: null };
    }
    const { id, project_id, recipient, sender, subject, valid_until } = row;
    const checked = await this.#untilDone(() => recheck(row));
    if (checked.kind === 'opted_out') return { parts: [], change: failed(id, 'opted_out', null), released: null };
    if (checked.kind === 'later') return { parts: [], change: null, released: { id, dueAt: checked.until } };
    const { template_name: name, template_language: language } = row;
    const { text, content } = wordsOf(row, cipher);
    const message: OutgoingMessage = {
      ...{ id, projectId: project_id, to: recipient, from: sender, subject, text, validUntil: valid_until },
      ...{ content, template: name === null || language === null ? null : { name, language } },
      unsubscribeUrl: links.urlFor(row),
    };
    const parts: SubmittedPart[] = [];
    for (let number = 1; number <= row.parts; number++) {
      if (row.submitted.includes(number)) continue;
      const outcome = await this.options.channel.submit(message, number);
      const part = { message_id: id, part: number };
      switch (outcome.kind) {
        case 'accepted':
          parts.push({ ...part, state: 'sent', provider: outcome.provider, provider_id: outcome.providerId || null });
          break;
        case 'unknown':
          return {
            parts: [
              ...parts,
              { ...part, state: 'unknown', provider: outcome.provider, provider_id: outcome.providerId },
            ],
            ...{ change: null, released: null },
          };
        case 'not_submitted':
          return { parts, change: null, released: { id, dueAt: new Date(clock.now().getTime() + RETRY_MS) } };
        case 'refused':
          return { parts, change: failed(id, outcome.reason, outcome.providerCode), released: null };
      }
    }
    return {
      parts,
      change: { id, status: 'sent', reason: null, provider_code: null },
      released: null,
    };
  }

  /** Stores a result, however long the database is away: first what the provider has, which is all that cannot be repeated. */
  async #keep(result: Submitted): Promise<void> {
    try {
      if (result.parts.length > 0) await this.#untilDone(() => this.#parts.add(result.parts));
      // From the parts alone, the upkeep finds that a message was sent.
      if (result.change?.status !== 'sent') await this.#untilDone(() => this.#results.add(result));
    } finally {
      this.#open--;
      this.signal();
    }
    if (result.change?.status === 'sent') await this.#untilDone(() => this.#results.add(result));
  }

  async #untilDone<T>(work: () => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await work();
      } catch (error) {
        if (!(error instanceof DatabaseUnavailable) && attempt >= MOST_ATTEMPTS) throw error;
        await pause(this.options.clock, RETRY_MS);
      }
    }
  }

  async #store(results: readonly Submitted[]): Promise<undefined> {
    const { submissions, progress, receipts, log, wake } = this.options;
    const parts = results.flatMap((result) => result.parts);
    const lanes = await submissions.transaction(async (tx) => {
      await submissions.lock(tx, idsOf(results));
      await submissions.release(
        tx,
        results.flatMap(({ released }) => released ?? []),
      );
      return progress.apply(
        tx,
        results.flatMap(({ change }) => change ?? []),
      );
    });
    wake(lanes);
    const ids = parts.flatMap(({ provider_id }) => provider_id ?? []);
    // The receipts stay if this fails: the upkeep finds them.
    await receipts.match(ids).catch((err: unknown) => log.warn({ err }, 'receipts could not be matched'));
  }
}

/** Of a code that a provider fills into a template, only the code is kept. */
function wordsOf(
  { body, content, is_system }: MessageRow,
  cipher: Pick<Cipher, 'open'>,
): Pick<OutgoingMessage, 'text' | 'content'> {
  if (is_system !== true || body === null) return { text: body ?? '', content };
  const text = cipher.open(body);
  const template = content?.template;
  return { text, content: content && template ? { ...content, template: { ...template, body: [text] } } : content };
}

function idsOf(results: readonly Submitted[]): readonly string[] {
  return results.flatMap(({ parts, change, released }) => {
    return change?.id ?? released?.id ?? parts[0]?.message_id ?? [];
  });
}

function failed(id: string, reason: MessageChange['reason'], provider_code: string | null): MessageChange {
  return { id, status: 'failed', reason, provider_code };
}
