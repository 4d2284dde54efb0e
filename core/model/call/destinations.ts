/** Where a call can be sent: one shape for connect, transfer, overflow and number bindings. */
export const DESTINATION_TYPES = [
  'agent',
  'number',
  'sip',
  'queue',
  'callflow',
  'voicemail',
  'hangup',
  'echo',
] as const;
export type DestinationType = (typeof DESTINATION_TYPES)[number];

/**
 * A destination and its target, already checked and normalised:
 *
 * - `agent` an extension, `number` E.164, `sip` a SIP URI, `queue` and `callflow` an id
 * - `voicemail` the number whose box takes the message, null for the box of the called line
 * - `hangup` ends the call, `echo` is the built-in echo service
 */
export type Destination =
  | { readonly type: 'agent' | 'number' | 'sip' | 'queue' | 'callflow'; readonly target: string }
  | { readonly type: 'voicemail'; readonly target: string | null }
  | { readonly type: 'hangup' | 'echo'; readonly target: null };

const EXTENSION = /^[0-9A-Za-z._-]{2,32}$/;

/** Whether the text is a valid extension: the user name of a softphone, 2 to 32 characters. */
export function isExtension(text: string): boolean {
  return EXTENSION.test(text);
}
