/** What an API key may be allowed to do. Every route names the scope it needs. */
export const SCOPES = [
  'calls:read',
  'calls:write',
  'queues:read',
  'queues:write',
  'callflows:read',
  'callflows:write',
  'numbers:read',
  'numbers:write',
  'virtual_numbers:read',
  'virtual_numbers:write',
  'voicemail:read',
  'voicemail:write',
  'verify:read',
  'verify:write',
  'voice_auth:read',
  'voice_auth:write',
  'messages:read',
  'messages:write',
  'broadcasts:read',
  'broadcasts:write',
  'contacts:read',
  'contacts:write',
  'usage:read',
  'webhooks:read',
  'webhooks:write',
  'web_calling:write',
  'billing:read',
  'billing:write',
  'pii:read',
] as const;
export type Scope = (typeof SCOPES)[number];

/** Shows customers' full numbers beside the masked ones; each use is audited. */
export const UNMASKING_SCOPE = 'pii:read' satisfies Scope;

/** The scopes of a key for which none are named. Who is to see full numbers is decided for each key. */
export const DEFAULT_SCOPES: readonly Scope[] = SCOPES.filter((scope) => scope !== UNMASKING_SCOPE);

const scopes: ReadonlySet<string> = new Set(SCOPES);

export function isScope(text: string): text is Scope {
  return scopes.has(text);
}
