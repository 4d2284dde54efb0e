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
] as const;
export type Scope = (typeof SCOPES)[number];

const scopes: ReadonlySet<string> = new Set(SCOPES);

export function isScope(text: string): text is Scope {
  return scopes.has(text);
}
