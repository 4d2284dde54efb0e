import type { Answer } from '../api.js';

/** The status of an answer and its error code; without an error, the status of the resource: `409 CALL_NOT_ACTIVE`. */
export function outcome({ status, body }: Answer): string {
  return `${status} ${String(body?.error_code ?? body?.status)}`;
}

/** The status of an answer and its error code; without an error, the status alone: `403 INSUFFICIENT_ROLE`, `200`. */
export function codeOf({ status, body }: Answer): string {
  const code = body?.error_code;
  return typeof code === 'string' ? `${status} ${code}` : String(status);
}

/** The invalid fields that an error names. */
export function detailsOf({ body }: Answer): { path: string; message: string; message_ar: string }[] {
  return (body?.details ?? []) as { path: string; message: string; message_ar: string }[];
}
