import { randomBytes } from 'node:crypto';
import type { AgentRow } from '../../data/rows.js';
import { randomBase62 } from '../../model/access/base62.js';
import type { Cipher } from '../../model/access/cipher.js';
import { newId } from '../../model/ids.js';
import { NO_FORWARDING } from '../../model/call/forwarding.js';
import { DEFAULT_DESTINATION_CLASSES } from '../../model/number/destination-class.js';
import { NO_SKILLS } from '../../model/queue/skills.js';

/** The project of an agent. */
export interface AgentOwner {
  readonly id: string;
  readonly organization_id: string;
}

/** 18 base-62 characters hold more than 100 bits. */
const PASSWORD_LENGTH = 18;
const PASSWORD_BITS_IN_BYTES = 13;
/** The middle of the range 1 to 9. */
export const DEFAULT_PRIORITY = 5;

/** A new agent with the settings that every one starts with. The SIP user name (`aor`) is the extension. */
export function newAgentRow(
  owner: AgentOwner,
  extension: string,
  displayName: string,
  cipher: Cipher,
  at: Date,
): { readonly row: AgentRow; readonly sipPassword: string } {
  const sipPassword = newPassword();
  const row: AgentRow = {
    id: newId(),
    project_id: owner.id,
    organization_id: owner.organization_id,
    agent: extension,
    aor: extension,
    display_name: displayName,
    sip_password: cipher.seal(sipPassword),
    may_call_out: true,
    fraud_limits: null,
    destination_classes: DEFAULT_DESTINATION_CLASSES,
    record_calls: false,
    caller_id_number: null,
    priority: DEFAULT_PRIORITY,
    skills: NO_SKILLS,
    forwarding: NO_FORWARDING,
    created_at: at,
  };
  return { row, sipPassword };
}

export function newPassword(): string {
  return randomBase62(PASSWORD_BITS_IN_BYTES, PASSWORD_LENGTH);
}

/** A SIP user name that no other agent of the installation has. @param bytes of chance in it */
export function uniqueAor(extension: string, bytes = 3): string {
  return `${extension}-${randomBytes(bytes).toString('hex')}`;
}
