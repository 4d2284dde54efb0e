import type { DeliveryReceipt } from '../../../../core/ports/messaging/message-channel.js';
import type { FailureReason } from '../../../../core/model/messaging/failure.js';
import type { SmppPdu } from './session.js';

/** esm_class, bits 5 to 2: the deliver_sm holds a delivery receipt (SMPP 3.4 §5.2.12). */
const TYPE = 0x3c;
const RECEIPT = 0x04;

const FINAL: Readonly<Record<string, 'delivered' | FailureReason>> = {
  DELIVRD: 'delivered',
  EXPIRED: 'expired',
  DELETED: 'provider_fault',
  UNDELIV: 'unreachable',
  REJECTD: 'blocked',
  UNKNOWN: 'outcome_unknown',
};
/** message_state (SMPP 3.4 §5.2.28). */
const STATES = ['', 'ENROUTE', 'DELIVRD', 'EXPIRED', 'DELETED', 'UNDELIV', 'ACCEPTD', 'UNKNOWN', 'REJECTD'] as const;

/** The members of a receipt's text that are read. */
const VALUES = {
  id: /(?:^|\s)id:\s*(\S+)/i,
  stat: /(?:^|\s)stat:\s*(\S+)/i,
  err: /(?:^|\s)err:\s*(\S+)/i,
} as const;

export function isReceipt({ esm_class = 0 }: SmppPdu): boolean {
  return (esm_class & TYPE) === RECEIPT;
}

/**
 * Reads a delivery receipt: optional members first, otherwise the text that SMPP 3.4 appendix B describes, which each
 * SMSC writes in its own way. @returns null if it names no message, or no final state
 */
export function readReceipt(pdu: SmppPdu, provider: string): DeliveryReceipt | null {
  const text = Buffer.from(pdu.short_message ?? pdu.message_payload ?? []).toString('latin1');
  const providerId = pdu.receipted_message_id ?? valueIn(text, 'id');
  const named = STATES[pdu.message_state ?? 0];
  const state = named === undefined || named === '' ? valueIn(text, 'stat')?.toUpperCase() : named;
  const final = state === undefined ? undefined : FINAL[state];
  if (providerId === undefined || final === undefined) return null;
  const code = valueIn(text, 'err');
  return {
    provider,
    providerId,
    state: final === 'delivered' ? 'delivered' : 'failed',
    failure: final === 'delivered' ? null : { reason: final, providerCode: code ?? state ?? null },
    recipient: pdu.source_addr ?? null,
    sender: pdu.destination_addr ?? null,
  };
}

function valueIn(text: string, name: keyof typeof VALUES): string | undefined {
  return VALUES[name].exec(text)?.[1];
}
