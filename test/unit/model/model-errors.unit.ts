import { expect } from 'chai';
import {
  ERROR_CODES,
  HatifError,
  databaseUnavailable,
  docsUrl,
  errorRow,
  internalError,
  invalidField,
  isErrorCode,
  messagingProviderFailed,
  renderError,
  validationError,
  type SlotName,
  type SlotsOf,
} from '../../../core/model/errors/index.js';

/** The published table of codes by status. */
const CODES_BY_STATUS: Record<number, string> = {
  400: `VALIDATION_ERROR INVALID_SCOPE INVALID_PHONE_NUMBER OTP_INVALID INVALID_PLAY_URL VERIFY_INVALID_CODE
    CAPTCHA_FAILED VOICEMAIL_GREETING_INVALID WEBHOOK_PAYLOAD_INVALID WEBHOOK_URL_INVALID SANDBOX_INVALID_QUEUE
    SIGNUP_VALIDATION_FAILED INVALID_IDENTITY PROFILE_VALIDATION_FAILED PASSWORD_VALIDATION_FAILED
    INVALID_CURRENT_PASSWORD INVALID_NATIONAL_ID OWN_DID_NUMBER_REQUIRED INVITE_ROLE_INVALID
    INVITE_ACCOUNT_DETAILS_REQUIRED SSO_STATE_INVALID SCIM_REQUEST_INVALID`,
  401: `INVALID_API_KEY EXPIRED_API_KEY REVOKED_API_KEY WEBHOOK_UNAUTHORIZED INVALID_CREDENTIALS
    INVALID_ACCESS_TOKEN EXPIRED_ACCESS_TOKEN INVALID_REFRESH_TOKEN EXPIRED_REFRESH_TOKEN REFRESH_REUSE_DETECTED
    SESSION_IDLE_TIMEOUT WCS_EXPIRED WCS_REVOKED WCS_REUSE_DETECTED WCS_NOT_ALLOWED_AS_BEARER ADMIN_UNAUTHORIZED
    ADMIN_INVALID_CREDENTIALS ENGINE_UNAUTHORIZED NATIONALID_INVALID_WEBHOOK SSO_ANSWER_INVALID SCIM_UNAUTHORIZED`,
  402: `INSUFFICIENT_CREDITS SPEND_CAP_EXCEEDED PAYMENT_FAILED INSUFFICIENT_PROJECT_BALANCE INSUFFICIENT_POOL_BALANCE`,
  403: `INSUFFICIENT_PERMISSIONS OUTBOUND_BLOCKED SANDBOX_KEY_NOT_ALLOWED API_KEY_REVEAL_FORBIDDEN SANDBOX_EXPIRED
    SANDBOX_DESTINATION_NOT_ALLOWED SANDBOX_MINUTES_EXCEEDED CLI_NOT_OWNED VOICE_AUTH_BLOCKED
    VOICE_AUTH_BRAND_NOT_APPROVED VERIFY_BLOCKED RECIPIENT_OPTED_OUT WIDGET_ORIGIN_NOT_ALLOWED ORIGIN_NOT_ALLOWED
    PRODUCTION_TIER_REQUIRED INSUFFICIENT_ROLE EMAIL_NOT_CONFIRMED SESSION_REQUIRED
    PASSWORD_SSO_ONLY NATIONALID_NOT_VERIFIED NATIONALID_REJECTED
    NATIONALID_REQUIRED OWN_DID_NUMBER_NOT_AUTHORIZED SSO_NOT_ADMITTED`,
  404: `NOT_FOUND API_KEY_NOT_FOUND CALLBACK_NOT_FOUND CALL_NOT_FOUND CONFERENCE_NOT_FOUND RECORDING_NOT_FOUND
    CALLFLOW_TENANT_NOT_FOUND VOICE_AUTH_NOT_FOUND VOICE_AUTH_BRAND_NOT_FOUND VERIFY_NOT_FOUND VOICEMAIL_NOT_FOUND
    VOICEMAIL_RECORDING_NOT_FOUND PROJECT_NOT_FOUND WEBHOOK_NOT_FOUND PRODUCTION_REQUEST_NOT_FOUND WCS_NOT_FOUND
    ADMIN_USER_NOT_FOUND NUMBER_NOT_FOUND PORTING_NOT_FOUND RATE_PLAN_NOT_FOUND INVOICE_NOT_FOUND PAYMENT_NOT_FOUND
    PROJECT_NOT_FOUND_FOR_ALLOCATION INVITE_NOT_FOUND RECORDING_URL_INVALID SSO_NOT_CONFIGURED`,
  409: `IDEMPOTENCY_KEY_CONFLICT CALLBACK_ALREADY_CANCELLED CALLBACK_NOT_CANCELLABLE CALL_NOT_CONTROLLABLE
    CALL_NOT_ACTIVE CALL_NOT_ANSWERED AGENT_LEG_NOT_CONNECTED AGENT_ON_CALL TRANSFER_IN_PROGRESS
    TRANSFER_LIMIT_REACHED CONFERENCE_FULL CALL_ALREADY_IN_CONFERENCE CONFERENCE_ENDED CALLFLOW_VERSION_CONFLICT
    VOICE_AUTH_BRAND_INVALID_STATE VOICE_AUTH_BRAND_DUPLICATE QUIET_HOURS_ACTIVE CONSENT_LOCKED_BY_END_USER
    WEBHOOK_LIMIT_EXCEEDED WEBHOOK_URL_DUPLICATE SIGNUP_EMAIL_TAKEN PRODUCTION_ACCESS_ALREADY_REQUESTED
    PRODUCTION_REQUEST_EXISTS PRODUCTION_REQUEST_INVALID_STATE REFRESH_ROTATION_RACE IDENTITY_CONFLICT
    SETUP_ALREADY_COMPLETE LAST_OWNER PROJECT_IN_USE NATIONALID_ALREADY_REGISTERED NATIONALID_ALREADY_VERIFIED
    ADMIN_ORG_OWNER_EMAIL_TAKEN NUMBER_NOT_AVAILABLE NUMBER_ALREADY_ASSIGNED PORTING_INVALID_STATE
    OWN_DID_NUMBER_UNAVAILABLE DUPLICATE_USAGE_EVENT OTP_TOO_MANY_ATTEMPTS VERIFY_MAX_ATTEMPTS INVITE_NOT_PENDING
    INVITE_ALREADY_MEMBER INVITE_EMAIL_OTHER_ORG AUDIO_QUOTA_EXCEEDED
    CONTACT_DUPLICATE CONTACT_LIMIT_EXCEEDED
    BLOCKED_CALLER_LIMIT_EXCEEDED ALLOWED_CALLER_LIMIT_EXCEEDED INVOICE_SELLER_MISSING SSO_DOMAIN_TAKEN SCIM_CONFLICT
    PRIVACY_REQUEST_LIMIT_EXCEEDED MESSAGE_NOT_CANCELLABLE CHAT_NOT_OFFERED BROADCAST_INVALID_STATE
    BROADCAST_LIMIT_EXCEEDED ARCHIVE_NOT_READY ORGANIZATION_ENDED`,
  410: `API_KEY_REVEAL_UNAVAILABLE RECORDING_URL_EXPIRED OTP_EXPIRED VERIFY_EXPIRED NATIONALID_EXPIRED INVITE_EXPIRED
    ARCHIVE_EXPIRED`,
  413: `PAYLOAD_TOO_LARGE`,
  422: `SIP_EDGE_UNSUPPORTED CALL_CONTROL_UNSUPPORTED TRANSFER_TARGET_INVALID VOICE_AUTH_ASSURANCE_UNSUPPORTED CHANNEL_VERB_UNSUPPORTED
    CHANNEL_NOT_CONFIGURED WEBHOOK_UNREACHABLE WEBHOOK_VERIFICATION_FAILED PAYMENT_AMOUNT_MISMATCH
    SSO_DOMAIN_NOT_VERIFIED`,
  429: `MESSAGE_VELOCITY_EXCEEDED RATE_LIMIT_EXCEEDED CALL_VELOCITY_EXCEEDED OTP_RESEND_TOO_SOON VOICE_AUTH_RATE_LIMITED VERIFY_RATE_LIMITED
    WEBRTC_CONCURRENCY_LIMIT EVENT_STREAM_LIMIT_EXCEEDED`,
  500: `INTERNAL_ERROR SANDBOX_SIMULATED_SERVER_ERROR SIGNUP_FAILED`,
  502: `CALL_FAILED CALL_CONTROL_FAILED QUEUE_CONTROL_FAILED OTP_SEND_FAILED VERIFY_SEND_FAILED PBX_PROVISIONING_FAILED
    WEBRTC_PROVISIONING_FAILED NATIONALID_INITIATE_FAILED NUMBER_PROVIDER_ERROR SSO_PROVIDER_UNAVAILABLE`,
  503: `SANDBOX_QUEUE_UNAVAILABLE CALL_CONTROL_DISABLED QUEUE_SERVICE_UNAVAILABLE RECORDING_SERVICE_UNAVAILABLE
    CALLFLOW_AUDIO_SERVICE_UNAVAILABLE IVR_DISABLED VOICE_AUTH_DISABLED VERIFY_DISABLED VOICEMAIL_DISABLED
    VOICEMAIL_SERVICE_UNAVAILABLE DLQ_REPLAY_DISABLED DLQ_REPLAY_BROKER_UNAVAILABLE MESSAGES_DISABLED
    WEB_CALLING_DISABLED TURN_UNAVAILABLE`,
};

const slotsIn = (text: string): string[] => [...new Set(text.match(/\{[^}]*\}/g) ?? [])].sort();

describe('the error catalogue', () => {
  it('has exactly the 209 published codes, each with its status', () => {
    const published = Object.entries(CODES_BY_STATUS).flatMap(([status, codes]) =>
      codes.split(/\s+/).map((code) => `${code} ${status}`),
    );
    expect(published).to.have.length(209);
    expect(ERROR_CODES.map((code) => `${code} ${errorRow(code).status}`)).to.have.members(published);
  });

  for (const code of ERROR_CODES) {
    it(`has texts for ${code} in English and in Arabic`, () => {
      const row = errorRow(code);
      expect(slotsIn(row.message_ar)).to.deep.equal(slotsIn(row.message));
      for (const slot of slotsIn(row.message))
        expect(slot).to.match(/^\{[a-z]+(_[a-z]+)*(?::(second|minute|digit))?\}$/);
      expect(slotsIn(row.hint_ar.replace(/`[^`]*`/g, ''))).to.deep.equal([]);
      for (const english of [row.message, row.hint]) {
        expect(english)
          .to.match(/^[A-Z{]/)
          .and.to.not.match(/[\u0600-\u06ff]/);
        expect(english.length).to.be.greaterThan(10);
      }
      for (const arabic of [row.message_ar, row.hint_ar]) {
        expect(arabic).to.match(/^[\u0621-\u064a]/);
        const letters = arabic.replace(/\{[\w:]+\}/g, '').match(/[\u0621-\u064a]/g) ?? [];
        expect(letters.length).to.be.greaterThan(10);
        // Arabic has its own commas and question marks.
        expect(arabic).to.not.match(/[\u0600-\u06ff],|[\u0600-\u06ff]\?|[\u0600-\u06ff];/);
      }
    });
  }

  it('has no duplicate messages', () => {
    const rows = ERROR_CODES.map(errorRow);
    for (const field of ['message', 'message_ar'] as const) {
      const texts = rows.map((row) => row[field]);
      const repeated = texts.filter((text, index) => texts.indexOf(text) !== index);
      expect(repeated).to.deep.equal([]);
    }
  });

  it('recognises its codes', () => {
    expect(isErrorCode('CALL_NOT_FOUND')).to.equal(true);
    for (const text of ['call_not_found', 'toString', '__proto__', '']) expect(isErrorCode(text)).to.equal(false);
  });
});

describe('an error', () => {
  it('requires the slots of its message at compile time', () => {
    type Same<A, B> = [A, B] extends [B, A] ? true : false;
    const rateLimit: Same<SlotName<'RATE_LIMIT_EXCEEDED'>, 'limit' | 'window_seconds' | 'retry_after_seconds'> = true;
    const none: Same<SlotName<'CAPTCHA_FAILED'>, never> = true;
    const withoutId: Partial<SlotsOf<'CALL_NOT_FOUND'>> extends SlotsOf<'CALL_NOT_FOUND'> ? true : false = false;
    expect([rateLimit, none, withoutId]).to.deep.equal([true, true, false]);
  });

  it('fills its slots in both languages', () => {
    const phrase = { en: 'no trunk is reachable', ar: 'لا يمكن الوصول إلى أي خط ربط' };
    const error = new HatifError('CALL_FAILED', { reason: phrase });
    expect(error.message).to.equal('The call could not be placed: no trunk is reachable.');
    expect(error.messageAr).to.equal('تعذّر إجراء المكالمة: لا يمكن الوصول إلى أي خط ربط.');
    expect(error).to.include({ code: 'CALL_FAILED', status: 502, retryAfterSeconds: null, details: null });
    expect(error).to.be.instanceOf(Error);
  });

  it('does not expand slots inside slot values', () => {
    const error = new HatifError('CALL_CONTROL_UNSUPPORTED', { action: '{kind}', kind: '$& {action}' });
    expect(error.message).to.equal('{kind} is not available for calls of the kind $& {action}.');
  });

  it('truncates a hostile value', () => {
    expect(new HatifError('INVALID_SCOPE', { scope: 'x'.repeat(1e6) }).message.length).to.be.lessThan(400);
  });

  it('takes Retry-After from its slot', () => {
    expect(new HatifError('OTP_RESEND_TOO_SOON', { retry_after_seconds: 30 }).retryAfterSeconds).to.equal(30);
    expect(new HatifError('WEBRTC_CONCURRENCY_LIMIT', { owner: 'This project', max: 5 }).retryAfterSeconds).to.equal(
      null,
    );
  });

  it('is rendered as the envelope, without its cause', () => {
    const cause = new Error('password=hunter2');
    const error = new HatifError('CALL_NOT_FOUND', { call_id: 'abc' }, { cause });
    expect(error.cause).to.equal(cause);
    expect(renderError(error, 'req-1', 'http://127.0.0.1:8080/docs/')).to.deep.equal({
      error_code: 'CALL_NOT_FOUND',
      message: 'No call with the id abc exists in this project.',
      message_ar: 'لا توجد في هذا المشروع مكالمة بالمعرّف \u2068abc\u2069.',
      request_id: 'req-1',
      docs_url: 'http://127.0.0.1:8080/docs/errors/CALL_NOT_FOUND',
    });
    expect(docsUrl('NOT_FOUND', 'https://x.test')).to.equal('https://x.test/errors/NOT_FOUND');
  });

  it('for validation names each field, the first one also in its message', () => {
    const details = [
      { path: 'to', message: 'is required', message_ar: 'مطلوب' },
      { path: 'connect.target', message: 'is unknown' },
    ] as const;
    const error = validationError(details);
    expect(error.message).to.equal('The request is not valid: to: is required');
    expect(error.messageAr).to.equal('الطلب غير صالح: \u2068to\u2069: مطلوب');
    expect(renderError(error, 'r', '').details).to.deep.equal(details);
    expect(invalidField('').message).to.equal('The request is not valid: request: the value is not valid');
    expect(invalidField('').messageAr).to.equal('الطلب غير صالح: الطلب: القيمة غير صالحة');
  });

  it('is 500 for internal failures, 503 without the database and 502 from a messaging provider, the last two with Retry-After', () => {
    expect(internalError(new Error('secret'))).to.include({
      code: 'INTERNAL_ERROR',
      status: 500,
      retryAfterSeconds: null,
    });
    expect(internalError(new Error('secret')).message).to.not.include('secret');
    expect(databaseUnavailable(new Error('secret'))).to.include({
      code: 'INTERNAL_ERROR',
      status: 503,
      retryAfterSeconds: 5,
    });
    expect(messagingProviderFailed(20)).to.include({ code: 'INTERNAL_ERROR', status: 502, retryAfterSeconds: 20 });
  });
});
