import type { AccountKind, OrganizationRow, ProjectRow } from '../../data/rows.js';
import type { Cipher } from '../../model/access/cipher.js';
import { newId } from '../../model/ids.js';
import { DEFAULT_DESTINATION_CLASSES } from '../../model/number/destination-class.js';
import { DEFAULT_MAX_CALLS } from '../dialling/project-limits.js';
import { newSigningSecret } from '../webhooks/secret.js';

/** A new organization with the settings that every one starts with. */
export function newOrganizationRow(
  name: string,
  accountKind: AccountKind,
  flags: OrganizationRow['flags'],
  at: Date,
): OrganizationRow {
  return {
    id: newId(),
    name,
    account_kind: accountKind,
    flags,
    contact_email: null,
    suspended_at: null,
    ended_at: null,
    session_idle_minutes: 720,
    second_factor_required: false,
    key_reveal: false,
    created_at: at,
  };
}

/** A new project with the settings that every one starts with. */
export function newProjectRow(organizationId: string, name: string, cipher: Cipher, at: Date): ProjectRow {
  return {
    id: newId(),
    organization_id: organizationId,
    name,
    main_number: null,
    default_destination: null,
    signing_secret: cipher.seal(newSigningSecret()),
    recording_retention_days: null,
    recording_announcement: 'off',
    destination_classes: DEFAULT_DESTINATION_CLASSES,
    max_calls: DEFAULT_MAX_CALLS,
    fraud_limits: null,
    allowed_origins: [],
    created_at: at,
  };
}
