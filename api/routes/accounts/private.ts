import { invalidField } from '../../../core/model/errors/index.js';

const NOT_PRIVATE = {
  en: 'is not encrypted, so others could read the password; use HTTPS (see TRUST_PROXY for a proxy that serves it), or sign in on the machine itself',
  ar: 'غير مشفّر، فقد تُقرأ كلمة المرور في الطريق؛ استخدم HTTPS (راجع `TRUST_PROXY` إن كان يقدّمه خادم وسيط) أو سجّل الدخول من الجهاز نفسه',
};

/**
 * Refuses passwords that others on the way can read.
 * @throws HatifError VALIDATION_ERROR
 */
export function assertPrivate({ isPrivate }: { readonly isPrivate: boolean }): void {
  if (!isPrivate) throw invalidField('connection', NOT_PRIVATE);
}
