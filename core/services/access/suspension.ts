import type { OrganizationRow } from '../../data/rows.js';
import { HatifError } from '../../model/errors/index.js';

const ACTIVE = { en: 'an active organization (yours is suspended)', ar: 'مؤسسة نشطة (مؤسستك موقوفة)' };

/** Refuses the keys and sessions of a suspended organization. @throws HatifError INSUFFICIENT_PERMISSIONS */
export function assertActive({ suspended_at }: Pick<OrganizationRow, 'suspended_at'>): void {
  if (suspended_at !== null) throw new HatifError('INSUFFICIENT_PERMISSIONS', { permission: ACTIVE });
}
