import { z } from 'zod';
import type { WebSessionRow } from '../../../core/data/rows.js';
import type { ErrorCode } from '../../../core/model/errors/index.js';
import type { AuditNote } from '../../http/route.js';
import { TAG } from './sessions.js';

/** What the routes for browsers share: no key, and pages of other origins may use them. */
export const BROWSER_ROUTE = { method: 'POST', tag: TAG, keyKind: 'none', scope: null, forPages: true } as const;

/** By its SIP account, a browser shows who it is. */
export const accountFields = {
  username: z.string().max(64).describe('The `sip.username` of the browser'),
  password: z.string().max(128).describe('Its `sip.password`'),
};

/** What is wrong with the session, or with the page that uses it. */
export const BROWSER_ERRORS = [
  'WCS_NOT_FOUND',
  'WEB_CALLING_DISABLED',
  'INSUFFICIENT_PERMISSIONS',
  'ORIGIN_NOT_ALLOWED',
  'WCS_EXPIRED',
  'WCS_REVOKED',
] as const satisfies readonly ErrorCode[];

/** Whose session a request without a key is about. */
export function auditNote({ id, organization_id, project_id }: WebSessionRow): AuditNote {
  return { organizationId: organization_id, projectId: project_id, details: { session_id: id } };
}
