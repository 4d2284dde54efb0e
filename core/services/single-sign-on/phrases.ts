import { HatifError, type Phrase } from '../../model/errors/index.js';
import { arabic } from '../../model/wording/wording.js';
import {
  OpenIdAnswerError,
  OpenIdRefusal,
  OpenIdUnavailable,
  type OpenIdFault,
  type OpenIdOutage,
} from '../../ports/openid.js';
import type { UrlProblem } from '../../ports/outbound-http.js';
import { UNREACHABLE_REASONS, URL_PROBLEMS } from '../webhooks/url.js';

const OUTAGES: Readonly<Record<OpenIdOutage, Phrase>> = {
  ...URL_PROBLEMS,
  ...UNREACHABLE_REASONS,
  bad_status: { en: 'it answered with an error', ar: 'أرجع حالة خطأ' },
  bad_metadata: {
    en: 'it does not describe itself as a provider of OpenID Connect',
    ar: 'لا يصف نفسه كمزوّد OpenID Connect',
  },
  other_issuer: { en: 'it describes itself as another issuer', ar: 'يصف نفسه بمُصدِر (issuer) آخر' },
};

const FAULTS: Readonly<Record<OpenIdFault, Phrase>> = {
  wrong_issuer: { en: 'it comes from another issuer', ar: 'صدرت عن مُصدِر (issuer) آخر' },
  wrong_audience: { en: 'it is meant for another client', ar: 'موجّهة إلى عميل آخر' },
  wrong_nonce: { en: 'it belongs to another sign-in', ar: 'تخص عملية تسجيل دخول أخرى' },
  wrong_time: {
    en: 'its time is over or has not come, so the clocks of both sides may differ by more than a minute',
    ar: 'انتهى وقتها أو لم يحن بعد، وقد تختلف الساعة لدى الطرفين بأكثر من دقيقة',
  },
  wrong_signature: { en: 'its signature is not of a key of the provider', ar: 'توقيعها ليس بأحد مفاتيح المزوّد' },
  client_refused: {
    en: 'the provider does not accept the client id, the secret or the code',
    ar: 'لم يقبل المزوّد معرّف العميل أو قيمته السرية أو رمز التفويض',
  },
  malformed: { en: 'it is not what OpenID Connect prescribes', ar: 'لا تطابق مواصفات OpenID Connect' },
};

/** Why a person of the identity provider does not enter. */
export const NOT_ADMITTED = {
  no_email: {
    en: 'the identity provider does not say a confirmed e-mail address',
    ar: 'لا يذكر مزوّد الهوية عنوان بريد إلكتروني مؤكّدًا',
  },
  other_domain: {
    en: 'the domain of the e-mail address is not verified for the organization',
    ar: 'نطاق عنوان البريد الإلكتروني غير موثّق للمؤسسة',
  },
  other_organization: {
    en: 'the e-mail address belongs to a member of another organization',
    ar: 'عنوان البريد الإلكتروني لعضو في مؤسسة أخرى',
  },
  other_subject: {
    en: 'the e-mail address belonged to another account of the identity provider before',
    ar: 'كان عنوان البريد الإلكتروني لحساب آخر لدى مزوّد الهوية',
  },
  no_role: { en: 'none of your groups has a role', ar: 'لا دور لأي من مجموعاتك' },
  groups_elsewhere: {
    en: 'the identity provider does not list your groups because they are too many',
    ar: 'لا يذكر مزوّد الهوية مجموعاتك لأن عددها كبير جدًّا',
  },
  disabled: { en: 'your account is disabled', ar: 'حسابك معطّل' },
  owner: {
    en: 'owners may not sign in this way (admits_owners)',
    ar: 'لا يُسمح للمالكين بتسجيل الدخول بهذه الطريقة (`admits_owners`)',
  },
} as const satisfies Record<string, Phrase>;

export function notAdmitted(reason: keyof typeof NOT_ADMITTED): HatifError<'SSO_NOT_ADMITTED'> {
  return new HatifError('SSO_NOT_ADMITTED', { reason: NOT_ADMITTED[reason] });
}

/** Why an issuer is refused before it is asked. */
export function issuerProblem(problem: UrlProblem): Phrase {
  return URL_PROBLEMS[problem];
}

/** The error of the catalogue for a failure of the provider; any other error unchanged. */
export function asProviderError(error: unknown): unknown {
  const options = { cause: error };
  if (error instanceof OpenIdUnavailable) {
    return new HatifError('SSO_PROVIDER_UNAVAILABLE', { reason: OUTAGES[error.outage] }, options);
  }
  if (error instanceof OpenIdAnswerError) {
    return new HatifError('SSO_ANSWER_INVALID', { reason: FAULTS[error.fault] }, options);
  }
  if (error instanceof OpenIdRefusal) {
    const { code } = error;
    const reason = {
      en: `the identity provider did not sign you in (${code})`,
      ar: arabic`لم يسجّل مزوّد الهوية دخولك (${code})`,
    };
    return new HatifError('SSO_NOT_ADMITTED', { reason }, options);
  }
  return error;
}

/** Runs work with the provider. @throws HatifError of the catalogue for its failures */
export async function withProvider<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw asProviderError(error);
  }
}
