import type { Phrase } from '../../errors/index.js';
import { arabic, writtenCount } from '../../wording/wording.js';

/** The kinds of faults that a check reports. */
export type FaultCode =
  | 'too_many_nodes'
  | 'unknown_start'
  | 'missing_link'
  | 'unknown_link'
  | 'unreachable'
  | 'loop_without_input'
  | 'no_choices'
  | 'both_links'
  | 'bad_limits'
  | 'bad_template'
  | 'bad_path'
  | 'bad_url'
  | 'bad_header'
  | 'bad_value'
  | 'bad_target'
  | 'reserved_name'
  | 'own_line'
  | 'unknown_audio'
  | 'unknown_queue'
  | 'unknown_number'
  | 'unknown_agent'
  | 'unknown_callflow'
  | 'inactive_callflow'
  | 'recursion';

/** One fault of a flow. `node` is null for a fault of the flow as a whole. */
export interface FlowFault {
  readonly code: FaultCode;
  readonly node: string | null;
  /** The path of the member in the node: `next`, `choices.1`; empty for the node itself. */
  readonly field: string;
  /** The value that the fault is about; may be empty. */
  readonly about: string;
}

const TEXTS: Readonly<Record<FaultCode, (about: string) => Phrase>> = {
  too_many_nodes: (most) => ({
    en: `has more than ${most} nodes`,
    ar: arabic`فيه أكثر من ${writtenCount(Number(most), 'node', 'ar')}`,
  }),
  unknown_start: (id) => ({ en: `starts at ${id}, which is not a node`, ar: arabic`يبدأ من ${id} وهي ليست عقدة` }),
  missing_link: (link) => ({
    en: `has no ${link}, so the next node is undefined`,
    ar: arabic`ينقصها ${link}: لم تُحدَّد العقدة التالية`,
  }),
  unknown_link: (id) => ({ en: `links to ${id}, which is not a node`, ar: arabic`تشير إلى ${id} وهي ليست عقدة` }),
  unreachable: () => ({ en: 'cannot be reached from the start', ar: 'لا تصل إليها أي عقدة أخرى' }),
  loop_without_input: (ids) => ({
    en: `is in a loop that never asks the caller for input: ${ids}`,
    ar: arabic`في حلقة لا ينهيها شيء يفعله المتصل: ${ids}`,
  }),
  no_choices: () => ({ en: 'has no choices', ar: 'ليس فيها خيارات' }),
  both_links: () => ({
    en: 'has next and callflow_id; only one can be given',
    ar: 'فيها `next` و`callflow_id` معًا، ولا يُقبل إلا أحدهما',
  }),
  bad_limits: (about) => ({
    en: `has contradictory limits: ${about}`,
    ar: arabic`فيها حدود متعارضة: ${about}`,
  }),
  bad_template: () => ({
    en: 'has braces that are not a variable such as {{name}}',
    ar: 'فيها أقواس ليست موضعًا لمتغير مثل `{{name}}`',
  }),
  bad_path: (path) => ({ en: `has the invalid path ${path}`, ar: arabic`قيمة \`path\` فيها غير صالحة: ${path}` }),
  bad_url: () => ({
    en: 'needs an https address of a public host without variables in the host',
    ar: 'تحتاج إلى رابط https لمضيف عام دون متغيرات في اسم المضيف',
  }),
  bad_header: (name) => ({ en: `may not set the header ${name}`, ar: arabic`لا يجوز أن تضبط الترويسة ${name}` }),
  bad_value: (operator) => ({
    en: `has no suitable value for ${operator}`,
    ar: arabic`ليس فيها قيمة مناسبة لـ ${operator}`,
  }),
  bad_target: (target) => ({
    en: `has a target that no call can be sent to: ${target}`,
    ar: arabic`فيها وجهة لا يمكن الإرسال إليها: ${target}`,
  }),
  reserved_name: (name) => ({
    en: `may not set ${name}, which the platform sets`,
    ar: arabic`لا يجوز أن تضبط ${name} لأن المنصة تضبطه`,
  }),
  own_line: () => ({
    en: 'would speak the code in a call to the telephone that is in this call, whose line is busy: set `to` or another channel',
    ar: 'تنطق الرمز في مكالمة إلى هاتف المتصل نفسه وهو مشغول: حدد `to` أو قناة أخرى',
  }),
  unknown_audio: (id) => ({
    en: `plays the audio ${id}, which the project does not have`,
    ar: arabic`تشير إلى الملف الصوتي ${id} غير الموجود في المشروع`,
  }),
  unknown_queue: (id) => ({
    en: `names the queue ${id}, which the project does not have`,
    ar: arabic`تشير إلى قائمة الانتظار ${id} غير الموجودة في المشروع`,
  }),
  unknown_number: (id) => ({
    en: `names the number ${id}, which the project does not have`,
    ar: arabic`تشير إلى الرقم ${id} غير الموجود في المشروع`,
  }),
  unknown_agent: (id) => ({
    en: `names the agent ${id}, which the project does not have`,
    ar: arabic`تشير إلى الموظف ${id} غير الموجود في المشروع`,
  }),
  unknown_callflow: (id) => ({
    en: `names the call flow ${id}, which the project does not have`,
    ar: arabic`تشير إلى مسار المكالمات ${id} غير الموجود في المشروع`,
  }),
  inactive_callflow: (id) => ({
    en: `names the call flow ${id}, which is not active`,
    ar: arabic`تشير إلى مسار المكالمات ${id} غير المفعّل`,
  }),
  recursion: (ids) => ({
    en: `calls flows that come back to this one: ${ids}`,
    ar: arabic`تستدعي مسارات مكالمات تعود إلى هذا المسار: ${ids}`,
  }),
};

/** What is wrong, as the end of a sentence about the node or the flow. */
export function faultText({ code, about }: FlowFault): Phrase {
  return TEXTS[code](about);
}
