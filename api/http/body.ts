import express, { type Request, type RequestHandler, type Response } from 'express';
import multer, { MulterError } from 'multer';
import { rm } from 'node:fs/promises';
import type { HatifError } from '../../core/model/errors/index.js';
import { invalidField, type Phrase } from '../../core/model/errors/index.js';
import { isKeepable } from '../../core/model/keepable-text.js';
import { asHatifError, tooLarge } from './failures.js';
import { BAD_TEXT, canonicalJson, findJsonFault, type JsonFault } from './request/json.js';
import type { Route, UploadedFile, UploadSpec } from './route.js';
import { digestOf, spoolIn } from './spool.js';

export const JSON_MAX_BYTES = 1024 * 1024;
export const UPLOAD_MAX_BYTES = 12 * 1024 * 1024;

/** A request's body: a fingerprint that detects a different body under the same idempotency key, and the value. */
export interface ReadBody {
  readonly fingerprint: () => string;
  readonly file: UploadedFile | null;
  /** The raw body; null for a form. */
  readonly bytes: Buffer | null;
  /** @throws HatifError VALIDATION_ERROR for a body that the route does not accept. */
  readonly value: () => unknown;
  /** Deletes the uploaded file. */
  readonly discard: () => Promise<void>;
}

const nothingToDiscard = (): Promise<void> => Promise.resolve();

const PHRASES = {
  json: { en: 'is not valid JSON', ar: 'ليس بصيغة JSON صالحة' },
  object: { en: 'must be a JSON object', ar: 'يجب أن يكون كائن JSON' },
  utf8: { en: 'is not valid UTF-8', ar: 'ليس بترميز UTF-8 صالح' },
  mediaType: { en: 'must be application/json in UTF-8', ar: 'يجب أن يكون `application/json` بترميز UTF-8' },
  multipart: { en: 'must be multipart/form-data', ar: 'يجب أن يكون `multipart/form-data`' },
  brokenForm: { en: 'is not a valid multipart form', ar: 'ليس نموذج multipart صالحًا' },
  unknownFile: { en: 'is not a file that this route accepts', ar: 'ليس ملفًا يقبله هذا المسار' },
  noFile: { en: 'is required', ar: 'هذا الحقل مطلوب' },
  too_deep: { en: 'is nested more than 64 levels deep', ar: 'متداخل بأكثر من 64 مستوى' },
  bad_text: BAD_TEXT,
  bad_name: { en: 'has a member with a name that is not allowed', ar: 'يحتوي على حقل باسم غير مسموح به' },
} as const satisfies Record<string, Phrase>;

/** By the largest body. */
const readers = new Map<number, RequestHandler>();

/** The reader of bodies of a route. */
function readerOf({ maxBodyBytes = JSON_MAX_BYTES }: Route): RequestHandler {
  const known = readers.get(maxBodyBytes) ?? express.raw({ type: () => true, limit: maxBodyBytes });
  readers.set(maxBodyBytes, known);
  return known;
}

/**
 * Reads the body if the route has one.
 * @param spool the folder in which an uploaded file waits
 * @throws HatifError PAYLOAD_TOO_LARGE, or VALIDATION_ERROR for a broken transfer.
 */
export async function readBody(route: Route, req: Request, res: Response, spool: string): Promise<ReadBody> {
  const none = { fingerprint: () => '', file: null, bytes: null, value: () => ({}), discard: nothingToDiscard };
  if (route.method === 'GET') return none;
  if (route.upload !== undefined) return readForm(route.upload, req, res, spool);
  await run(readerOf(route), req, res);
  const bytes: unknown = req.body;
  const raw = Buffer.isBuffer(bytes) ? bytes : Buffer.alloc(0);
  if (raw.length === 0 || route.readsRaw) return { ...none, bytes: raw };
  const parsed = attempt(() =>
    parse(req.headers['content-type'], raw, route.keyKind === 'scim' ? SCIM_TYPE : JSON_TYPE),
  );
  const fingerprint = (): string => ('value' in parsed ? canonicalJson(parsed.value) : raw.toString('latin1'));
  return { ...none, fingerprint, bytes: raw, value: () => unwrap(parsed) };
}

/** Reads the one file and the text fields of a form. */
async function readForm(upload: UploadSpec, req: Request, res: Response, spool: string): Promise<ReadBody> {
  const maxBytes = upload.maxBytes ?? UPLOAD_MAX_BYTES;
  if (!/^multipart\/form-data\s*;/i.test(req.headers['content-type'] ?? '')) {
    throw invalidField('Content-Type', PHRASES.multipart);
  }
  // Leaves room for the form's own lines.
  if (Number(req.headers['content-length'] ?? 0) > maxBytes + JSON_MAX_BYTES) throw tooLarge(maxBytes);
  const reader = multer({
    storage: spoolIn(spool),
    // RFC 7578 §4.2: file names are UTF-8.
    defParamCharset: 'utf8',
    limits: { fileSize: maxBytes, files: 1, fields: 20, fieldSize: 64 * 1024, fieldNameSize: 64, parts: 21 },
  }).single(upload.field);
  try {
    await run(reader, req, res);
  } catch (error) {
    throw formFault(error, maxBytes);
  }
  const fields: Record<string, unknown> = { ...(req.body as object | undefined) };
  const { file } = req;
  const taken = file && { path: file.path, size: file.size, name: file.originalname, mediaType: file.mimetype };
  const discard = async (): Promise<void> => {
    if (file) await rm(file.path, { force: true });
  };
  const digest = file && (await digestOf(file.path));
  return {
    fingerprint: () => `${canonicalJson(fields)}\n${digest ?? ''}`,
    file: taken ?? null,
    bytes: null,
    discard,
    value() {
      if (!taken) throw invalidField(upload.field, PHRASES.noFile);
      if (!isKeepable(taken.name)) throw invalidField(upload.field, PHRASES.bad_text);
      return checked(fields);
    },
  };
}

function formFault(error: unknown, maxBytes: number): HatifError {
  if (error instanceof MulterError) {
    if (error.code === 'LIMIT_FILE_SIZE') return tooLarge(maxBytes);
    if (error.code === 'LIMIT_UNEXPECTED_FILE') return invalidField(error.field ?? 'body', PHRASES.unknownFile);
  }
  const known = asHatifError(error);
  // busboy reports a malformed form with plain errors.
  return known.code === 'INTERNAL_ERROR' ? invalidField('body', PHRASES.brokenForm) : known;
}

const JSON_TYPE = /^application\/json\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$/i;
/** RFC 7644 §3.1; some directories say plain JSON. */
const SCIM_TYPE = /^application\/(?:scim\+)?json\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$/i;

function parse(contentType: string | undefined, raw: Buffer, expected: RegExp): unknown {
  if (!expected.test(contentType?.trim() ?? '')) {
    throw invalidField('Content-Type', PHRASES.mediaType);
  }
  const text = attempt(() => new TextDecoder('utf-8', { fatal: true }).decode(raw));
  if (!('value' in text)) throw invalidField('body', PHRASES.utf8);
  const parsed = attempt(() => JSON.parse(text.value) as unknown);
  if (!('value' in parsed)) throw invalidField('body', PHRASES.json);
  const { value } = parsed;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalidField('body', PHRASES.object);
  return checked(value);
}

function checked<T>(value: T): T {
  const fault = findJsonFault(value);
  if (fault) throw invalidField(placeOf(fault), PHRASES[fault.fault]);
  return value;
}

function placeOf({ path }: JsonFault): string {
  return path.length === 0 ? 'body' : path.join('.');
}

type Attempt<T> = { readonly value: T } | { readonly error: unknown };

function attempt<T>(work: () => T): Attempt<T> {
  try {
    return { value: work() };
  } catch (error) {
    return { error };
  }
}

function unwrap<T>(attempted: Attempt<T>): T {
  if ('value' in attempted) return attempted.value;
  throw attempted.error;
}

/** Runs a piece of Express middleware as a promise. */
function run(middleware: RequestHandler, req: Request, res: Response): Promise<void> {
  return new Promise((resolve, reject) => {
    const done = (error?: unknown): void => {
      if (error === undefined || error === null) resolve();
      else reject(error instanceof Error ? error : new Error('the body could not be read', { cause: error }));
    };
    void middleware(req, res, done);
  });
}
