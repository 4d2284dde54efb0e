import { DatabaseUnavailable } from '../../core/data/errors.js';
import {
  databaseUnavailable,
  HatifError,
  internalError,
  invalidField,
  type Phrase,
} from '../../core/model/errors/index.js';

/** Members of the errors that Express, body-parser and Node's HTTP raise. */
interface HttpLike {
  readonly status?: unknown;
  readonly type?: unknown;
  readonly limit?: unknown;
}

const PHRASES = {
  encoding: {
    en: 'has a Content-Encoding that is not supported; use none, gzip, deflate or br',
    ar: 'ترميز Content-Encoding غير مدعوم؛ أرسل بلا ترميز، أو استخدم gzip أو deflate أو br',
  },
  aborted: { en: 'ended before the announced Content-Length', ar: 'انتهى قبل الطول المعلن في Content-Length' },
  unreadable: { en: 'could not be read', ar: 'تعذّرت قراءته' },
  path: { en: 'is not validly percent-encoded', ar: 'ترميز النسبة المئوية في المسار غير صالح' },
} as const satisfies Record<string, Phrase>;

/** Converts a thrown value to the error that the API returns. An unknown error is kept as `cause` for the log. */
export function asHatifError(error: unknown): HatifError {
  if (error instanceof HatifError) return error as HatifError;
  if (error instanceof DatabaseUnavailable) return databaseUnavailable(error);
  if (error instanceof URIError) return invalidField('path', PHRASES.path);
  if (error instanceof Error) return fromHttp(error);
  return internalError(error);
}

/** The body is larger than `max` bytes. */
export function tooLarge(max: number): HatifError {
  return new HatifError('PAYLOAD_TOO_LARGE', { max });
}

function fromHttp(error: Error & HttpLike): HatifError {
  if (error.type === 'entity.too.large') return tooLarge(typeof error.limit === 'number' ? error.limit : 0);
  if (error.type === 'encoding.unsupported') return invalidField('body', PHRASES.encoding);
  if (error.type === 'request.aborted' || error.type === 'request.size.invalid') {
    return invalidField('body', PHRASES.aborted);
  }
  const { status } = error;
  const clients = typeof status === 'number' && status >= 400 && status < 500;
  return clients ? invalidField('request', PHRASES.unreadable) : internalError(error);
}
