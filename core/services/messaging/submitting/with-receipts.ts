import type { MessageReceiptRow } from '../../../data/repositories/messaging/receipts.js';
import type { SubmittedPart } from '../../../data/repositories/messaging/submissions.js';

/** What a provider answered about a message. */
export interface AnsweredParts {
  readonly parts: readonly SubmittedPart[];
  /** Whether the message has no other part: then the receipt of the part is that of the message. */
  readonly isOnly: boolean;
}

/** What one statement stores. */
export interface Arrived<Answer> {
  readonly parts: readonly SubmittedPart[];
  /** Those that belong to no part of these. */
  readonly receipts: readonly MessageReceiptRow[];
  /** Answers whose message has arrived. */
  readonly delivered: ReadonlySet<Answer>;
}

/**
 * Joins answers with the receipts that came with them: the part is stored as delivered, and its receipt not at all. A
 * receipt of a failure has a reason, which parts do not keep; it is stored, and matched later.
 */
export function withReceipts<Answer extends AnsweredParts>(
  answers: readonly Answer[],
  receipts: readonly MessageReceiptRow[],
): Arrived<Answer> {
  const waiting = new Map<string, MessageReceiptRow>();
  for (const receipt of receipts) if (receipt.state === 'delivered') waiting.set(keyOf(receipt), receipt);
  const joined = new Set<MessageReceiptRow>();
  const delivered = new Set<Answer>();
  const parts = answers.flatMap((answer) =>
    answer.parts.map((part): SubmittedPart => {
      const isCertain = answer.isOnly && part.state === 'sent' && part.provider_id !== null;
      const receipt = isCertain ? waiting.get(keyOf(part)) : undefined;
      if (!receipt) return part;
      joined.add(receipt);
      delivered.add(answer);
      return { ...part, state: 'delivered' };
    }),
  );
  return { parts, receipts: receipts.filter((receipt) => !joined.has(receipt)), delivered };
}

/** Names of providers have no line break. */
function keyOf({ provider, provider_id }: Pick<SubmittedPart, 'provider' | 'provider_id'>): string {
  return `${provider ?? ''}\n${provider_id ?? ''}`;
}
