import {
  errorRow,
  HatifError,
  internalError,
  renderError,
  validationError,
  type ErrorCode,
  type ErrorEnvelope,
  type SlotValue,
} from '../../core/model/errors/index.js';
import { renderScimError, type ScimErrorBody } from '../../core/model/scim/error.js';

const DOCS = 'https://hatif.example.com/docs';
const ID = '0197f3a0-5c00-7000-8000-000000000001';
const NUMBER = '+966112345678';

/** A value of each slot of the messages. */
const SLOTS: Readonly<Record<string, SlotValue>> = {
  action: 'hold',
  agent: '1001',
  assurance: 'voice_print',
  attempts_left: 3,
  available_sar: 12.5,
  brand_id: ID,
  callback_id: ID,
  call_id: ID,
  cap_sar: 1000,
  challenge_id: ID,
  channel: 'sms',
  conference_id: ID,
  current_version: 3,
  domain: 'example.com',
  event_id: 'evt-1042',
  expected_sar: 115,
  expired_at: '2026-01-31T06:00:00.000Z',
  field: 'to',
  id: ID,
  idempotency_key: 'order-4711',
  kind: 'callback',
  length: 6,
  limit: 60,
  max: 5,
  minutes: 100,
  name: 'Sundus',
  number: NUMBER,
  origin: 'https://www.shop.example',
  paid_sar: 100,
  permission: 'calls:write',
  problem: { en: 'the Authorization header is missing', ar: 'ترويسة `Authorization` غير موجودة' },
  project_id: ID,
  quota_mb: 500,
  rate_plan: 'standard',
  reason: { en: 'the other side refused it', ar: 'رفضه الطرف الآخر' },
  retry_after_seconds: 30,
  scim_type: 'invalidValue',
  sent_version: 2,
  status: 'ended',
  target: '1002',
  verification_id: ID,
  wanted: '+96611',
  what: 'POST /v1/unknown',
  who: { en: 'this project', ar: 'هذا المشروع' },
  window_seconds: 60,
};

/** Where the reason of a failure is a phrase of its own. */
const REASONS: Partial<Readonly<Record<ErrorCode, SlotValue>>> = {
  IDEMPOTENCY_KEY_CONFLICT: { en: 'it was used with another body', ar: 'استُخدم مع محتوى آخر' },
  INVALID_PLAY_URL: { en: 'the server answered 404', ar: 'أرجع الخادم الحالة 404' },
  OUTBOUND_BLOCKED: 'calls_per_hour',
  VOICEMAIL_GREETING_INVALID: { en: 'it contains no speech', ar: 'لا كلام فيها' },
  WEBHOOK_PAYLOAD_INVALID: { en: 'the signature is not valid', ar: 'التوقيع غير صالح' },
  WEBHOOK_UNREACHABLE: { en: 'it did not answer in time', ar: 'لم يستجب في الوقت المحدد' },
  WEBHOOK_URL_INVALID: { en: 'it does not begin with https', ar: 'لا يبدأ بـ `https`' },
};

/** An answer with the code, in the form that clients get. */
export function errorExample(code: ErrorCode): ErrorEnvelope {
  return renderError(errorOf(code), ID, DOCS);
}

/** The same in the form of SCIM. */
export function scimErrorExample(code: ErrorCode): ScimErrorBody {
  return renderScimError(errorOf(code));
}

function errorOf(code: ErrorCode): HatifError {
  if (code === 'INTERNAL_ERROR') return internalError(null);
  if (code === 'VALIDATION_ERROR')
    return validationError([{ path: 'to', message: 'is required', message_ar: 'هذا الحقل مطلوب' }]);
  const names = Array.from(errorRow(code).message.matchAll(/\{(\w+)/g), ([, name = '']) => name);
  const slots = names.map((name) => [name, (name === 'reason' ? REASONS[code] : undefined) ?? SLOTS[name] ?? name]);
  // The slots of a code are known only when its message is read.
  return new HatifError<ErrorCode>(code, Object.fromEntries(slots) as never);
}
