import { gsmText, ucs2Text, type ReferenceBytes } from '../../../../core/model/messaging/sms-text.js';
import type { IncomingPart } from '../../../../core/ports/messaging/message-channel.js';
import type { SmppPdu } from './session.js';

/** esm_class, bit 6: the text begins with a user data header. */
export const HAS_HEADER = 0x40;

/** Data codings (SMPP 3.4 §5.2.19). */
const SMSC_DEFAULT = 0;
const ASCII = 1;
const LATIN1 = 3;
export const UCS2 = 8;

/** The header of one part of a long message (3GPP TS 23.040 §9.2.3.24.1 and .8). */
export function partHeader(bytes: ReferenceBytes, reference: number, total: number, number: number): Buffer {
  return bytes === 1
    ? Buffer.from([5, 0, 3, reference & 0xff, total, number])
    : Buffer.from([6, 8, 4, (reference >> 8) & 0xff, reference & 0xff, total, number]);
}

/** The text of a deliver_sm, and its place in a long message: by a user data header, or by members of the PDU. */
export function readText(pdu: SmppPdu): Pick<IncomingPart, 'text' | 'series'> {
  const whole = Buffer.from(pdu.message_payload?.length ? pdu.message_payload : (pdu.short_message ?? []));
  const hasHeader = ((pdu.esm_class ?? 0) & HAS_HEADER) !== 0 && whole.length > 0;
  const length = hasHeader ? (whole[0] ?? 0) + 1 : 0;
  const body = whole.subarray(Math.min(length, whole.length));
  return {
    text: textOf(body, pdu.data_coding ?? SMSC_DEFAULT),
    series: (hasHeader ? seriesIn(whole.subarray(1, length)) : null) ?? seriesOf(pdu),
  };
}

function textOf(body: Buffer, coding: number): string {
  switch (coding & 0x0f) {
    case UCS2:
      return ucs2Text(body);
    case LATIN1:
      return body.toString('latin1');
    case ASCII:
      return body.toString('ascii');
    default:
      return gsmText(body);
  }
}

function seriesIn(elements: Buffer): IncomingPart['series'] {
  for (let at = 0; at + 1 < elements.length;) {
    const [kind, length = 0] = [elements[at], elements[at + 1]];
    const data = elements.subarray(at + 2, at + 2 + length);
    if (kind === 0 && data.length === 3) return series(data[0], data[1], data[2]);
    if (kind === 8 && data.length === 4) return series(data.readUInt16BE(0), data[2], data[3]);
    at += 2 + length;
  }
  return null;
}

function seriesOf(pdu: SmppPdu): IncomingPart['series'] {
  return series(pdu.sar_msg_ref_num, pdu.sar_total_segments, pdu.sar_segment_seqnum);
}

/** Null if it is no part of several. */
function series(reference?: number, total?: number, number?: number): IncomingPart['series'] {
  if (reference === undefined || total === undefined || number === undefined) return null;
  return total > 1 && number >= 1 && number <= total ? { reference, total, number } : null;
}
