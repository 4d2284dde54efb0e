import { ERROR_MESSAGE } from '../../../core/model/scim/urns.js';
import type { Answer } from '../api.js';
import { hasPlaceholder } from './placeholders.js';

/** What is wrong with an error of SCIM (RFC 7644 §3.12). */
export function scimProblems({ status, headers, body }: Answer): string[] {
  const problems: string[] = [];
  if (body === undefined) return ['the answer is not JSON'];
  if (headers.get('content-type') !== 'application/scim+json; charset=utf-8')
    problems.push('the content type is wrong');
  if (JSON.stringify(body.schemas) !== JSON.stringify([ERROR_MESSAGE])) problems.push('schemas is wrong');
  if (body.status !== String(status)) problems.push('status is not that of the answer');
  const detail = typeof body.detail === 'string' ? body.detail : '';
  if (!/[A-Za-z]/.test(detail) || !/[\u0600-\u06ff]/.test(detail)) problems.push('detail is not in both languages');
  if (hasPlaceholder(detail)) problems.push('a placeholder is not filled');
  const others = Object.keys(body).filter((name) => !['schemas', 'status', 'scimType', 'detail'].includes(name));
  if (others.length > 0) problems.push(`the standard has no ${others.join(', ')}`);
  if (!headers.has('x-request-id')) problems.push('the header x-request-id is missing');
  return problems;
}
