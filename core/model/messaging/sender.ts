import { z } from 'zod';
import type { MessageClass } from './message.js';

export const SENDER_STATUSES = ['pending', 'approved', 'rejected'] as const;
export type SenderStatus = (typeof SENDER_STATUSES)[number];

/** A name that telephones show in place of a number: at most 11 characters, with a letter (3GPP TS 23.040 §9.1.2.5). */
const NAME = /^(?=.*[A-Za-z])[A-Za-z0-9][A-Za-z0-9 ._-]{0,10}$/;
/** The regulator of Saudi Arabia wants it at the end of names that advertise. It counts within the 11 characters. */
const PROMOTIONAL = '-AD';

export function isSenderName(text: string): boolean {
  return NAME.test(text);
}

/** Whether messages of the class may be sent under the name: `-AD` is for promotional ones, and they need it. */
export function fitsClass(sender: string, of: MessageClass): boolean {
  return isSenderName(sender) ? sender.endsWith(PROMOTIONAL) === (of === 'promotional') : of !== 'promotional';
}

/** Picks one sender of a pool. The same recipient always gets the same one, as long as the pool does not change. */
export function pickSender(pool: readonly string[], recipient: string): string | null {
  let sum = 0;
  for (const character of recipient) sum = (sum * 31 + character.charCodeAt(0)) % 1_000_003;
  return [...pool].sort()[sum % pool.length] ?? null;
}

const ADDRESS = /^(?:[^<>"@\r\n,;:]{1,64} <([^<>\s@]+@[^<>\s@]+)>|([^<>\s@]+@[^<>\s@]+))$/;
const PLAIN = z.email();

/** Whether mail can be sent under it: an address, or a name and an address. */
export function isSenderAddress(text: string): boolean {
  const [, named, alone] = ADDRESS.exec(text) ?? [];
  return PLAIN.safeParse(named ?? alone).success;
}
