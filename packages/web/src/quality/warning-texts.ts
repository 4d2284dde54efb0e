import type { Text } from '../errors/texts.js';

/** Why no audio goes out. */
export type SilenceOut =
  'microphone_gone' | 'microphone_muted' | 'microphone_silent' | 'microphone_paused' | 'nothing_sent';
/** Why no audio comes in. */
export type SilenceIn = 'playback_blocked' | 'nothing_received' | 'silence_received';
/** What is wrong with the quality. */
export type Degradation = 'high_round_trip' | 'high_jitter' | 'high_loss' | 'low_mos';
export type WarningReason = SilenceOut | SilenceIn | Degradation;

export const WARNINGS: Readonly<Record<WarningReason, Text>> = {
  microphone_gone: {
    message: 'The other side cannot hear you: the microphone was disconnected.',
    messageAr: 'الطرف الآخر لا يسمعك: فُصل الميكروفون.',
    hint: 'Connect the microphone again, or choose another one.',
    hintAr: 'وصّل الميكروفون من جديد، أو اختر ميكروفونًا آخر.',
  },
  microphone_muted: {
    message: 'The other side cannot hear you: the system has muted the microphone.',
    messageAr: 'الطرف الآخر لا يسمعك: كتم النظام صوت الميكروفون.',
    hint: 'Unmute the microphone at the headset, or in the settings of the system.',
    hintAr: 'ألغِ كتم الميكروفون من سماعة الرأس أو من إعدادات النظام.',
  },
  microphone_silent: {
    message: 'The other side cannot hear you: no sound comes from the microphone.',
    messageAr: 'الطرف الآخر لا يسمعك: لا يصدر أي صوت من الميكروفون.',
    hint: 'Check the mute switch of the headset, or choose another microphone.',
    hintAr: 'تحقق من مفتاح الكتم في سماعة الرأس، أو اختر ميكروفونًا آخر.',
  },
  microphone_paused: {
    message: 'The other side cannot hear you: the browser has paused the microphone.',
    messageAr: 'الطرف الآخر لا يسمعك: أوقف المتصفح الميكروفون مؤقتًا.',
    hint: 'Bring the page to the front.',
    hintAr: 'أعد فتح الصفحة في المقدمة.',
  },
  nothing_sent: {
    message: 'The other side cannot hear you: the network lets no audio out.',
    messageAr: 'الطرف الآخر لا يسمعك: لا تسمح الشبكة بخروج الصوت.',
    hint: 'Check the network. If the firewall blocks UDP, the platform needs a TURN server.',
    hintAr: 'تحقق من الشبكة. إذا كان جدار الحماية يحجب UDP فتحتاج المنصة إلى خادم TURN.',
  },
  playback_blocked: {
    message: 'You cannot hear the other side: the browser does not play sound yet.',
    messageAr: 'لا تسمع الطرف الآخر: لم يسمح المتصفح بتشغيل الصوت بعد.',
    hint: 'Click anywhere on the page.',
    hintAr: 'انقر في أي مكان من الصفحة.',
  },
  nothing_received: {
    message: 'You cannot hear the other side: no audio arrives.',
    messageAr: 'لا تسمع الطرف الآخر: لا يصل أي صوت.',
    hint: 'Check the network. If the firewall blocks UDP, the platform needs a TURN server.',
    hintAr: 'تحقق من الشبكة. إذا كان جدار الحماية يحجب UDP فتحتاج المنصة إلى خادم TURN.',
  },
  silence_received: {
    message: 'You cannot hear the other side: it sends silence.',
    messageAr: 'لا تسمع الطرف الآخر: ما يصل منه صمت.',
    hint: 'The other side may have muted its microphone.',
    hintAr: 'ربما كتم الطرف الآخر الميكروفون.',
  },
  high_round_trip: {
    message: 'The delay is high.',
    messageAr: 'تأخر الصوت كبير.',
    hint: 'Stop downloads, and prefer a cable to a wireless network.',
    hintAr: 'أوقف التنزيلات، واستخدم شبكة سلكية بدل اللاسلكية.',
  },
  high_jitter: {
    message: 'The network delivers the audio unevenly.',
    messageAr: 'تنقل الشبكة الصوت على نحو غير منتظم.',
    hint: 'Stop downloads, and prefer a cable to a wireless network.',
    hintAr: 'أوقف التنزيلات، واستخدم شبكة سلكية بدل اللاسلكية.',
  },
  high_loss: {
    message: 'The network loses audio.',
    messageAr: 'تفقد الشبكة جزءًا من الصوت.',
    hint: 'Stop downloads, and prefer a cable to a wireless network.',
    hintAr: 'أوقف التنزيلات، واستخدم شبكة سلكية بدل اللاسلكية.',
  },
  low_mos: {
    message: 'The quality of the call is low.',
    messageAr: 'جودة المكالمة منخفضة.',
    hint: 'Check the network.',
    hintAr: 'تحقق من الشبكة.',
  },
};
