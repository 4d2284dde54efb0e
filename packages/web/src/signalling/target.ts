import { ownError } from '../errors/error.js';

/** What a call rings: a number (`+966112345678`), or an agent, a queue or a call flow of the project. */
export type Target =
  | string
  | { readonly number: string }
  | { readonly agent: string }
  | { readonly queue: string }
  | { readonly callflow: string };

/** The user part of the SIP address. @throws HatifError INVALID_TARGET */
export function dialled(target: Target): string {
  if (typeof target === 'string') return checked(compact(target));
  if ('number' in target) return checked(compact(target.number));
  if ('agent' in target) return checked(`agent.${target.agent}`);
  if ('queue' in target) return checked(`queue.${target.queue}`);
  return checked(`callflow.${target.callflow}`);
}

/** A number as people write it: with spaces, dashes, brackets, and digits of any script. */
function compact(text: string): string {
  const ascii = text.trim().replace(/[٠-٩۰-۹]/g, (digit) => String(digit.charCodeAt(0) & 0xf));
  return /^[+\d][\d\s().-]*$/.test(ascii) ? ascii.replace(/[\s().-]/g, '') : ascii;
}

function checked(user: string): string {
  if (!/^[^\s@<>"]{1,128}$/u.test(user)) throw ownError('INVALID_TARGET');
  return user;
}

/** The address at the platform. Characters that a SIP address cannot hold are escaped. */
export function addressOf(target: Target): string {
  return `sip:${encodeURIComponent(dialled(target)).replaceAll('%2B', '+')}@web`;
}

/** Headers that reach call flows and events: `orderId` is `X-Hatif-Order-Id`, and there `web_order_id`. */
export function headersOf(variables: Readonly<Record<string, string>>): string[] {
  return Object.entries(variables).map(([name, value]) => {
    const words = name.replace(/([a-z\d])([A-Z])/g, '$1-$2').replace(/[^A-Za-z\d]+/g, '-');
    return `X-Hatif-${words.replace(/(^|-)[a-z]/g, (letter) => letter.toUpperCase())}: ${value.replace(/[\r\n]+/g, ' ')}`;
  });
}
