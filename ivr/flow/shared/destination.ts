import { isExtension, type Destination } from '../../../core/model/call/destinations.js';
import { parseNumber } from '../../../core/model/phone-numbers.js';
import { formatSipUri, parseSipUri } from '../../../core/model/sip-uri.js';

/** The destination that the text names; null if it is malformed or an emergency number, which only people may dial. */
export function destinationOf(type: 'number' | 'agent' | 'sip', text: string): Destination | null {
  switch (type) {
    case 'number': {
      const number = parseNumber(text, { allowForeign: true });
      return number === null || number.kind === 'emergency' ? null : { type, target: number.e164 };
    }
    case 'agent':
      return isExtension(text) ? { type, target: text } : null;
    case 'sip': {
      const uri = parseSipUri(text);
      return uri === null ? null : { type, target: formatSipUri(uri) };
    }
  }
}
