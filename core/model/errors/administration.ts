import type { ErrorFamily } from './row.js';

export const ADMINISTRATION_ERRORS = {
  ENGINE_UNAUTHORIZED: {
    status: 401,
    message: 'The request to the engine interface does not carry the secret of a known voice engine.',
    message_ar: 'لا يحمل الطلب الموجّه إلى واجهة المحرّكات المفتاح السري لمحرّك صوت معروف.',
    hint: 'Check the engine secret in the settings of the voice engine.',
    hint_ar: 'تحقق من المفتاح السري للمحرّك في إعدادات محرّك الصوت.',
  },
} as const satisfies ErrorFamily;
