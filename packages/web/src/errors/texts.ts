/** What a person reads, in both languages. */
export interface Text {
  readonly message: string;
  readonly messageAr: string;
  /** What to do. */
  readonly hint: string;
  readonly hintAr: string;
}

export type OwnCode =
  | 'NOT_SUPPORTED'
  | 'INSECURE_PAGE'
  | 'MICROPHONE_DENIED'
  | 'MICROPHONE_NOT_FOUND'
  | 'MICROPHONE_BUSY'
  | 'AUDIO_DEVICE_NOT_FOUND'
  | 'OUTPUT_NOT_SUPPORTED'
  | 'UNREACHABLE'
  | 'REGISTRATION_REFUSED'
  | 'SESSION_IN_ANOTHER_TAB'
  | 'TOKEN_OF_OTHER_SESSION'
  | 'NOT_REGISTERED'
  | 'DESTROYED'
  | 'INVALID_STATE'
  | 'INVALID_TARGET'
  | 'INVALID_DIGITS'
  | 'TRANSFER_FAILED'
  | 'FEEDBACK_REFUSED';

/** The package's own errors. The platform's errors bring their texts along. */
export const ERRORS: Readonly<Record<OwnCode, Text>> = {
  NOT_SUPPORTED: {
    message: 'This browser cannot make calls.',
    messageAr: 'هذا المتصفح لا يدعم إجراء المكالمات.',
    hint: 'Use a current version of Chrome, Edge, Firefox or Safari.',
    hintAr: 'استخدم إصدارًا حديثًا من Chrome أو Edge أو Firefox أو Safari.',
  },
  INSECURE_PAGE: {
    message: 'Browsers give the microphone only to pages over HTTPS.',
    messageAr: 'لا تسمح المتصفحات باستخدام الميكروفون إلا للصفحات المفتوحة عبر HTTPS.',
    hint: 'Open the page with an address that begins with https://.',
    hintAr: 'افتح الصفحة بعنوان يبدأ بـ https://.',
  },
  MICROPHONE_DENIED: {
    message: 'The browser was not allowed to use the microphone.',
    messageAr: 'لم يُسمح للمتصفح باستخدام الميكروفون.',
    hint: 'Allow the microphone for this page in the browser, and in the privacy settings of the system.',
    hintAr: 'اسمح لهذه الصفحة باستخدام الميكروفون من إعدادات المتصفح ومن إعدادات الخصوصية في النظام.',
  },
  MICROPHONE_NOT_FOUND: {
    message: 'There is no microphone.',
    messageAr: 'لم يُعثر على ميكروفون.',
    hint: 'Connect a microphone or a headset.',
    hintAr: 'وصّل ميكروفونًا أو سماعة رأس.',
  },
  MICROPHONE_BUSY: {
    message: 'The microphone cannot be opened.',
    messageAr: 'تعذّر تشغيل الميكروفون.',
    hint: 'Close other programs that use it, or choose another microphone.',
    hintAr: 'أغلق البرامج الأخرى التي تستخدمه، أو اختر ميكروفونًا آخر.',
  },
  AUDIO_DEVICE_NOT_FOUND: {
    message: 'This audio device is not connected.',
    messageAr: 'جهاز الصوت هذا غير موصول.',
    hint: 'Choose one of the devices that are listed.',
    hintAr: 'اختر أحد الأجهزة المعروضة.',
  },
  OUTPUT_NOT_SUPPORTED: {
    message: 'This browser cannot choose the loudspeaker.',
    messageAr: 'لا يتيح هذا المتصفح اختيار مكبّر الصوت.',
    hint: 'Choose the loudspeaker in the settings of the system.',
    hintAr: 'اختر مكبّر الصوت من إعدادات النظام.',
  },
  UNREACHABLE: {
    message: 'The platform cannot be reached.',
    messageAr: 'تعذّر الوصول إلى المنصة.',
    hint: 'Check the network, and the address of the platform.',
    hintAr: 'تحقق من الشبكة ومن عنوان المنصة.',
  },
  REGISTRATION_REFUSED: {
    message: 'The platform refused the registration.',
    messageAr: 'رفضت المنصة تسجيل هذا المتصفح.',
    hint: 'The session is over. Get a new token from your server.',
    hintAr: 'انتهت الجلسة. احصل على رمز جديد من خادمك.',
  },
  SESSION_IN_ANOTHER_TAB: {
    message: 'Another tab of this browser uses the session.',
    messageAr: 'الجلسة مستخدمة في علامة تبويب أخرى من هذا المتصفح.',
    hint: 'Use the other tab, or get a token of a session for this one.',
    hintAr: 'استخدم علامة التبويب الأخرى، أو احصل على رمز جلسة جديدة لهذه.',
  },
  TOKEN_OF_OTHER_SESSION: {
    message: 'The token belongs to another session.',
    messageAr: 'الرمز يخص جلسة أخرى.',
    hint: 'Refresh the session of this device, and use that token.',
    hintAr: 'مدّد جلسة هذا الجهاز واستخدم الرمز الناتج.',
  },
  NOT_REGISTERED: {
    message: 'The device is not registered.',
    messageAr: 'لم يُسجَّل الجهاز بعد.',
    hint: 'Call register() first, and wait for it.',
    hintAr: 'استدعِ register() أولًا وانتظر انتهاءها.',
  },
  DESTROYED: {
    message: 'The device was destroyed.',
    messageAr: 'أُوقف هذا الجهاز نهائيًّا.',
    hint: 'Make another device.',
    hintAr: 'أنشئ جهازًا آخر.',
  },
  INVALID_STATE: {
    message: 'The call does not allow this now.',
    messageAr: 'لا تسمح حالة المكالمة بهذا الإجراء الآن.',
    hint: 'Look at the state of the call first.',
    hintAr: 'تحقق من حالة المكالمة أولًا.',
  },
  INVALID_TARGET: {
    message: 'This cannot be called.',
    messageAr: 'لا يمكن الاتصال بهذه الوجهة.',
    hint: 'Call a number, an agent, a queue or a call flow.',
    hintAr: 'اتصل برقم أو موظف أو قائمة انتظار أو مسار مكالمات.',
  },
  INVALID_DIGITS: {
    message: 'Only the digits 0-9, *, #, A-D and pauses (,) can be sent.',
    messageAr: 'لا يمكن إرسال غير الأرقام 0-9 والرموز * و# وA-D والفاصلة للتوقف.',
    hint: 'Remove the other characters.',
    hintAr: 'احذف الرموز الأخرى.',
  },
  TRANSFER_FAILED: {
    message: 'The call was not transferred.',
    messageAr: 'لم تُحوَّل المكالمة.',
    hint: 'The target did not answer, or the transfer is not allowed. The call continues.',
    hintAr: 'لم ترد الوجهة، أو لا يُسمح بهذا التحويل. المكالمة مستمرة.',
  },
  FEEDBACK_REFUSED: {
    message: 'The platform did not take the feedback.',
    messageAr: 'لم تقبل المنصة التقييم.',
    hint: 'Send it while the session is open, once for each call.',
    hintAr: 'أرسل التقييم والجلسة مفتوحة، ومرة واحدة لكل مكالمة.',
  },
};
