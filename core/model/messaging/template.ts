import type { ErrorDetail, Phrase } from '../errors/index.js';
import { detailOf } from '../errors/index.js';
import type { Channel } from './channels.js';

export const TEMPLATE_STATUSES = ['pending', 'approved', 'rejected'] as const;
export type TemplateStatus = (typeof TEMPLATE_STATUSES)[number];

/** What a template is for. It decides the class of the messages that are made from it. */
export const TEMPLATE_CATEGORIES = ['MARKETING', 'UTILITY', 'AUTHENTICATION'] as const;
export type TemplateCategory = (typeof TEMPLATE_CATEGORIES)[number];

/** A button below the text. A quick reply sends its text back. */
export type TemplateButton =
  | { readonly type: 'QUICK_REPLY'; readonly text: string }
  | { readonly type: 'URL'; readonly text: string; readonly url: string }
  | { readonly type: 'PHONE_NUMBER'; readonly text: string; readonly phone_number: string };

/** The content of a template, in one language. */
export interface TemplateContent {
  readonly body: string;
  /** Above the body; the subject of an e-mail. */
  readonly header: string | null;
  /** Below the body, without placeholders. */
  readonly footer: string | null;
  readonly buttons: readonly TemplateButton[];
  /** A sample value of each placeholder: the first one is that of `{{1}}`. */
  readonly variables: readonly string[];
  /** Whether the chat application shows a button that copies the code. */
  readonly otp_button: boolean;
}

/** What a reviewer decided about a content. */
export interface TemplateReview {
  readonly status: TemplateStatus;
  /** The reviewer may choose another one. */
  readonly category: TemplateCategory;
  /** Why it was rejected, in the reviewer's words. */
  readonly reason: string | null;
}

const PLACEHOLDER = /\{\{(.*?)\}\}/gs;
const POSITION = /^[1-9]\d?$/;

/** The positions of the placeholders in a text, each once, in ascending order. Null: a placeholder is no position. */
export function positionsIn(text: string): readonly number[] | null {
  const names = [...text.matchAll(PLACEHOLDER)].map(([, name = '']) => name.trim());
  if (!names.every((name) => POSITION.test(name))) return null;
  return [...new Set(names.map(Number))].sort((one, other) => one - other);
}

/**
 * What is wrong with a content, apart from the form of its members.
 * @returns one detail for each fault; empty for a good one
 */
export function templateFaults(
  channel: Channel,
  category: TemplateCategory | null,
  { body, header, footer, buttons, variables, otp_button }: TemplateContent,
): readonly ErrorDetail[] {
  const faults: ErrorDetail[] = [];
  const fault = (path: string, problem: Phrase): void => void faults.push(detailOf(path, problem));
  for (const [path, text] of [
    ['body', body],
    ['header', header],
  ] as const) {
    if (text !== null && positionsIn(text) === null) fault(path, FAULTS.name);
  }
  if (footer !== null && positionsIn(footer)?.length !== 0) fault('footer', FAULTS.footer);
  const used = positionsIn(`${header ?? ''}\n${body}`);
  if (used?.some((position, index) => position !== index + 1) === true) fault('body', FAULTS.gap);
  else if (used !== null && used.length !== variables.length) fault('variables', FAULTS.samples);
  if (channel === 'email' && header === null) fault('header', FAULTS.subject);
  if (channel !== 'chatapp' && buttons.length > 0) fault('buttons', FAULTS.buttons);
  if (otp_button && (channel !== 'chatapp' || (category !== null && category !== 'AUTHENTICATION')))
    fault('otpButton', FAULTS.otpButton);
  return faults;
}

const FAULTS = {
  name: { en: 'has a placeholder that is not {{1}} to {{99}}', ar: 'فيه متغيّر ليس من `{{1}}` إلى `{{99}}`' },
  footer: { en: 'cannot have placeholders', ar: 'لا يمكن أن يحتوي على متغيّرات' },
  gap: {
    en: 'must number the placeholders of header and body from {{1}} without a gap',
    ar: 'يجب أن تُرقَّم متغيّرات الترويسة والنص ابتداءً من `{{1}}` من دون انقطاع',
  },
  samples: {
    en: 'must have one sample value for each placeholder of header and body',
    ar: 'يجب أن يحتوي على قيمة مثال لكل متغيّر في الترويسة والنص',
  },
  subject: { en: 'is the subject of an e-mail, and required', ar: 'هو عنوان رسالة البريد الإلكتروني، وهو مطلوب' },
  buttons: { en: 'are only possible on the channel chatapp', ar: 'متاحة في القناة `chatapp` فقط' },
  otpButton: {
    en: 'is only possible on the channel chatapp with the category AUTHENTICATION',
    ar: 'متاح في القناة `chatapp` مع الفئة `AUTHENTICATION` فقط',
  },
} as const satisfies Readonly<Record<string, Phrase>>;

/** The text with values in place of its placeholders. A placeholder without a value stays. */
export function fillTemplate(text: string, values: readonly string[]): string {
  return text.replace(PLACEHOLDER, (whole, name: string) => values[Number(name.trim()) - 1] ?? whole);
}
