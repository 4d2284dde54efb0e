import { isExtension } from '../../call/destinations.js';
import { parseNumber } from '../../phone-numbers.js';
import { parseSipUri } from '../../sip-uri.js';
import type { NodeChecker } from './descriptor.js';
import { hasPlaceholders } from './template.js';

interface Target {
  readonly type: 'number' | 'agent' | 'sip' | 'queue' | 'callflow' | 'voicemail';
  readonly target?: string | null | undefined;
}

/** Reports a `to` that no call can be sent to. Emergency numbers are refused. */
export function checkTarget(to: Target, checker: NodeChecker): void {
  if (!isTarget(to)) checker.fault('bad_target', 'to.target', to.target ?? to.type);
}

function isTarget({ type, target }: Target): boolean {
  if (target == null) return type === 'voicemail';
  if (hasPlaceholders(target)) return type === 'number' || type === 'agent';
  switch (type) {
    case 'number':
    case 'voicemail': {
      const number = parseNumber(target, { allowForeign: true });
      return number !== null && number.kind !== 'emergency';
    }
    case 'agent':
      return isExtension(target);
    case 'sip':
      return parseSipUri(target) !== null;
    default:
      return true;
  }
}
